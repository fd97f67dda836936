"""``syncfabric networks``."""

import typer

from syncfabric.cli.options import Json, print_json

__all__ = ["networks"]


def networks(as_json: Json = False) -> None:
    """List the ready-made networks; their names work wherever NET is asked for."""
    from syncfabric.models.networks.reader import ready_made

    found = ready_made()
    if as_json:
        print_json([{"name": name, "description": text} for name, text in found.items()])
        return
    width = max(map(len, found), default=0)
    for name, text in found.items():
        typer.echo(f"{name:{width}}  {text}")
