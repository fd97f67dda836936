"""``syncfabric soak``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.group import INTERRUPTED
from syncfabric.cli.names_of_010 import with_old_fields
from syncfabric.cli.options import WRONG, Json, Net, Seed, Threads, print_json, show
from syncfabric.cli.progress import interrupts, progress_display

if TYPE_CHECKING:
    from syncfabric.sim.soak.result import SoakResult


def soak(
    net: Net,
    episodes: Annotated[int, typer.Option(metavar="N", help="Barriers of all groups.")] = 100_000,
    seed: Seed = 1,
    jitter: Annotated[
        int, typer.Option(metavar="N", help="Greatest delay of a member in cycles.")
    ] = 15,
    lifetime: Annotated[
        int | None,
        typer.Option(metavar="N", help="Mean barriers from set-up to tear-down."),
    ] = None,
    inject: Annotated[
        str | None,
        typer.Option(
            metavar="'KIND PLACE CYCLE'",
            help="Inject a fault: drop, credit, dead (LINK CYCLE), release (NODE CYCLE REGISTER).",
        ),
    ] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Run millions of barriers.

    Groups come and go beside packets. Exit code 1 at the first lost packet, early release, wrong
    result or hang. Ctrl-C prints the result so far.
    """
    from syncfabric.sim.network import Network
    from syncfabric.sim.soak.soak import SoakRequest
    from syncfabric.sim.soak.soak import soak as run

    request = SoakRequest(episodes, seed, jitter, lifetime, inject, threads)
    spec = Network.load(net).spec
    with interrupts() as stopped, progress_display() as progress:
        result = run(spec, request, stopped=stopped, progress=progress)
    repeat = request.command(net)
    if as_json:
        print_json(with_old_fields("soak", {**result.to_json(), "repeat": repeat}))
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
    from syncfabric.sim.tables import Titled

    show(Titled(f"{result.network}, soaked", group_rows(result)))
    if result.phases:
        show(Titled("traffic", phase_rows(result)))
    show(*summary(result))
