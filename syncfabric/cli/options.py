"""Arguments that several commands share, and how they print."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Json", "Net", "console", "print_json"]

Net = Annotated[
    str,
    typer.Argument(
        metavar="NET",
        help="A network file, or the name of a ready-made network (see: syncfabric networks).",
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]

PLAIN_WIDTH = 132
"""Columns of a table where the output is no terminal."""


def console() -> "Console":
    """Return where tables are printed: wide enough for them when it is no terminal."""
    from rich.console import Console

    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(value))
