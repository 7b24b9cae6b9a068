"""What a person sees: the same on a small terminal, a wide one and in the log of a build."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from server.demo.check import Verdict
from server.demo.data import LIVE_MONTH
from server.demo.stream import Freshness
from server.demo.stream import Progress as StreamProgress
from server.demo.views import VIEWS

_MONTH: Final = {12: "December"}[LIVE_MONTH]
_WIDTH_MAX: Final = 110
_LOG_EVERY_DAYS: Final = 5
_SPARKS: Final = "▁▂▃▄▅▆▇█"
_SPARKS_WIDTH: Final = 24


class Screen:
    """Prints the acts of the tour; without a terminal, line by line and without a cursor."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._console.width = min(self._console.width, _WIDTH_MAX)
        self._logged_day = self._logged_sent = 0

    def act(self, title: str) -> None:
        """Begin an act."""
        self._console.print()
        self._console.print(Rule(f"[bold cyan]{escape(title)}[/]", align="left", style="cyan"))

    def say(self, text: str) -> None:
        """Print a sentence; it may hold markup."""
        self._console.print(text)

    def note(self, text: str) -> None:
        """Print what goes without saying, in a quiet colour."""
        self._console.print(Text(text, style="dim"))

    def typed(self, statement: str) -> None:
        """Print a statement as psql shows it being typed."""
        self._console.print(Text.assemble(("dev=# ", "green"), (f"{statement};", "bold")))

    def answered(self, text: str, style: str = "") -> None:
        """Print what psql would."""
        self._console.print(Text(text, style=style))

    def failed(self, text: str) -> None:
        """Print what went wrong with the tour itself."""
        self._console.print(Text(text, style="bold red"))

    @contextmanager
    def bar(self, total: int) -> Iterator[Callable[[str, int], None]]:
        """Show how far loading is; the yielded function takes what is loaded and how many rows."""
        progress = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        with progress:
            task = progress.add_task("", total=total)

            def advance(what: str, rows: int) -> None:
                progress.update(task, description=what, advance=rows)

            yield advance

    @contextmanager
    def live(self) -> Iterator[Callable[[StreamProgress], None]]:
        """Show the views while they move; the yielded function takes where the stream stands."""
        if not self._console.is_terminal:
            yield self._log
            return
        with Live(console=self._console, refresh_per_second=8, transient=True) as live:
            yield lambda progress: live.update(_dashboard(progress))

    def views(self, progress: StreamProgress) -> None:
        """Print where the views stand."""
        self._console.print(_views_table(progress))

    def verdicts(self, verdicts: list[Verdict]) -> None:
        """Print what the checks gave."""
        table = _table()
        table.add_column("view", no_wrap=True)
        table.add_column("rows", justify="right")
        table.add_column("wrong rows", justify="right")
        table.add_column("equal to its query?")
        for verdict in verdicts:
            answer = "[green]yes[/]" if verdict.holds else "[bold red]NO[/]"
            table.add_row(verdict.view.name, f"{verdict.rows:,}", f"{verdict.wrong:,}", answer)
        self._console.print(table)

    def summary(self, facts: dict[str, str]) -> None:
        """Print the numbers of the whole tour."""
        table = _table(show_header=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column()
        for name, value in facts.items():
            table.add_row(name, value)
        self._console.print(table)

    def _log(self, progress: StreamProgress) -> None:
        is_last = progress.sent == progress.total and self._logged_sent < progress.sent
        if progress.day >= self._logged_day + _LOG_EVERY_DAYS or is_last:
            self._logged_day, self._logged_sent = progress.day, progress.sent
            fresh = progress.freshness
            self._console.print(
                f"{_MONTH[:3]} {progress.day:02d}: {progress.sent:,} of {progress.total:,}, "
                f"fresh after {fresh.median_ms:.0f} ms (median)"
            )


def _dashboard(progress: StreamProgress) -> Group:
    return Group(_bar(progress), _freshness_line(progress.freshness), _views_table(progress))


def _bar(progress: StreamProgress) -> Table:
    line = Table.grid(expand=True, padding=(0, 1))
    line.add_column(no_wrap=True)
    line.add_column(ratio=1)
    line.add_column(no_wrap=True, justify="right")
    bar = Progress(BarColumn(bar_width=None), auto_refresh=False)
    bar.add_task("", total=progress.total, completed=progress.sent)
    line.add_row(
        f"[bold]{_MONTH} {progress.day:2d}[/]",
        bar.get_renderable(),
        f"{progress.sent:,}/{progress.total:,}  {progress.rows_per_second:,.0f}/s",
    )
    return line


def _freshness_line(fresh: Freshness) -> Text:
    if not fresh.samples_ms:
        return Text("")
    return Text.assemble(
        ("fresh after ", ""),
        (f"{fresh.samples_ms[-1]:.0f} ms", "bold green"),
        (f"  median {fresh.median_ms:.0f}, 95 % {fresh.p95_ms:.0f} ms  ", "dim"),
        (_sparkline(fresh.samples_ms[-_SPARKS_WIDTH:]), "green"),
    )


def _sparkline(values: list[float]) -> str:
    top = max(values) or 1
    return "".join(_SPARKS[min(int(v / top * len(_SPARKS)), len(_SPARKS) - 1)] for v in values)


def _views_table(progress: StreamProgress) -> Table:
    table = _table()
    table.add_column("view", no_wrap=True)
    table.add_column("what it says now", no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column("moved", justify="right")
    for view in VIEWS:
        moves = progress.moves.get(view.name, 0)
        table.add_row(view.name, progress.headlines.get(view.name, ""), f"{moves:,}x")
    return table


def _table(*, show_header: bool = True) -> Table:
    return Table(
        box=None,
        expand=True,
        pad_edge=False,
        show_header=show_header,
        header_style="dim",
        padding=(0, 2, 0, 0),
    )
