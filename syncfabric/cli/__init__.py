"""The command line. Each command has a file; what it needs is imported when it runs."""

from typing import Annotated

import typer

from syncfabric import __version__
from syncfabric.cli.bcast import bcast
from syncfabric.cli.bitstream import bitstream
from syncfabric.cli.board import board
from syncfabric.cli.build import build
from syncfabric.cli.campaign import campaign
from syncfabric.cli.check import check
from syncfabric.cli.cores import cores
from syncfabric.cli.group import AsWritten, OneLineErrors
from syncfabric.cli.lists import networks, schema, topologies
from syncfabric.cli.perform import perform
from syncfabric.cli.plan import plan
from syncfabric.cli.recover import recover
from syncfabric.cli.replay import replay
from syncfabric.cli.report import report
from syncfabric.cli.reproduce import reproduce
from syncfabric.cli.run import run
from syncfabric.cli.schedule import schedule
from syncfabric.cli.schemes import schemes
from syncfabric.cli.soak import soak
from syncfabric.cli.synth import synth

__all__ = ["PANELS", "app", "main"]

app = typer.Typer(
    name="syncfabric",
    cls=OneLineErrors,
    help="Hardware barriers and collectives for networks-on-chip, from paper to verified Verilog.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
PANELS = {
    "Design": (networks, plan, schemes, build, schema),
    "Simulate": (run, cores, report),
    "Verify": (soak, campaign, recover),
    "Schedule collectives": (topologies, schedule, check, replay, perform, bcast),
    "Reproduce the papers": (reproduce,),
    "FPGA and board": (synth, bitstream, board),
}
"""The commands by the heads that help shows them under."""

for head, commands in PANELS.items():
    for command in commands:
        app.command(cls=AsWritten, rich_help_panel=head)(command)


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
