"""How a macro of DuckDB's is written."""

from __future__ import annotations

import re


def macro(signature: str, body: str) -> str:
    """Return the statement that makes a macro."""
    return f"CREATE OR REPLACE MACRO {signature} AS {body}"


def once(signature: str, body: str) -> str:
    """Return a macro that evaluates each argument once.

    A plain macro copies its arguments into its body, so that calls in calls would grow without
    bound; here the body runs over a list of one struct of them, or of the only one.
    """
    name, _, parameters = signature.removesuffix(")").partition("(")
    names = [parameter.strip() for parameter in parameters.split(",")]
    variable = f"v_{name}"
    held, place = names[0], {names[0]: variable}
    if len(names) > 1:
        held = f"{{{', '.join(f'{n!r}: {n}' for n in names)}}}"
        place = {n: f"{variable}.{n}" for n in names}
    inner = re.sub(
        rf"'[^']*'|(?<![\w.])(?P<parameter>{'|'.join(names)})\b(?!\()",
        lambda found: place[found[0]] if found["parameter"] else found[0],
        body,
    )
    return macro(
        signature, f"list_extract(list_transform([{held}], lambda {variable}: {inner}), 1)"
    )
