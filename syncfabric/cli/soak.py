"""``syncfabric soak``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.group import INTERRUPTED
from syncfabric.cli.interrupts import interrupts
from syncfabric.cli.options import Json, Net, console, print_json

if TYPE_CHECKING:
    from syncfabric.sim.soak.result import SoakResult

__all__ = ["soak"]

WRONG = 1
"""Exit code of a soak that has found something."""


def soak(
    net: Net,
    episodes: Annotated[
        int, typer.Option(metavar="N", help="Barriers of all groups together.")
    ] = 100_000,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of all that is random.")] = 1,
    jitter: Annotated[
        int, typer.Option(metavar="N", help="Cycles that a member lingers at most.")
    ] = 15,
    lifetime: Annotated[
        int | None,
        typer.Option(metavar="N", help="Barriers of a group from set-up to tear-down, on average."),
    ] = None,
    inject: Annotated[
        str | None,
        typer.Option(
            metavar="'KIND PLACE CYCLE'",
            help="Inject a fault: drop, credit, dead (LINK CYCLE), release (NODE CYCLE REGISTER).",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run barriers by the million, while groups are created and removed and packets compete.

    Stops at the first lost packet, early release, wrong result or hang, with exit code 1. Ctrl-C
    ends it with the result so far.
    """
    from syncfabric.cli.progress import progress_display
    from syncfabric.sim.network import Network
    from syncfabric.sim.soak.soak import SoakRequest
    from syncfabric.sim.soak.soak import soak as run

    request = SoakRequest(episodes, seed, jitter, lifetime, inject)
    spec = Network.load(net).spec
    with interrupts() as stopped, progress_display() as progress:
        result = run(spec, request, stopped=stopped, progress=progress)
    repeat = request.command(net)
    if as_json:
        print_json({**result.to_json(), "repeat": repeat})
    else:
        _print(result)
    for finding in result.findings:
        typer.echo(f"wrong: {finding}", err=True)
    if result.findings:
        typer.echo(f"repeat it with: {repeat}", err=True)
        raise typer.Exit(WRONG)
    if result.verdict == "interrupted":
        typer.echo(
            f"interrupted in cycle {result.cycles}: {result.episodes} of {episodes} barriers, and "
            "nothing was wrong",
            err=True,
        )
        raise typer.Exit(INTERRUPTED)


def _print(result: "SoakResult") -> None:
    """Print groups, traffic, and rates."""
    from syncfabric.sim.soak.result import group_rows, phase_rows, summary
    from syncfabric.sim.tables import Titled, print_table

    screen = console()
    print_table(screen, Titled(f"{result.network}, soaked", group_rows(result)))
    if result.phases:
        print_table(screen, Titled("traffic", phase_rows(result)))
    for line in summary(result):
        screen.print(line, markup=False, soft_wrap=True)
