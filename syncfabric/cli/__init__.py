"""The command line. Each command has a file, which is imported when it runs."""

from typing import Annotated

import typer

from syncfabric import __version__
from syncfabric.cli.group import OneLineErrors

__all__ = ["app", "main"]

app = typer.Typer(
    name="syncfabric",
    cls=OneLineErrors,
    help="Hardware barriers and collectives for networks-on-chip, from paper to verified Verilog.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Take the options that stand before a command."""
    if version:
        typer.echo(f"syncfabric {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line, and exit with its code."""
    app(prog_name="syncfabric")
