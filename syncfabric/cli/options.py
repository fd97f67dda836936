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


def console() -> "Console":
    """Return where tables are printed."""
    from rich.console import Console

    return Console(highlight=False)


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(value))
