"""``syncfabric schema``."""

import json
from typing import Annotated

import typer

from syncfabric.cli.options import Json

__all__ = ["schema"]


def schema(
    results: Annotated[
        bool, typer.Option("--results", help="The schema of `run --json` instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a network file, by which editors complete it."""
    from syncfabric.models.networks.schema import file_schema
    from syncfabric.sim.results import results_schema

    chosen = results_schema() if results else file_schema()
    typer.echo(json.dumps(chosen, indent=None if as_json else 2))
