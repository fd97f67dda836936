"""``syncfabric campaign``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.group import INTERRUPTED
from syncfabric.cli.names_of_010 import with_old_fields
from syncfabric.cli.options import WRONG, Json, Net, Seed, print_json, show
from syncfabric.cli.progress import interrupts, progress_display

if TYPE_CHECKING:
    from syncfabric.sim.campaign.result import CampaignResult


def campaign(
    net: Net,
    faults: Annotated[int, typer.Option(metavar="N", help="Faults with an effect.")] = 10_000,
    seed: Seed = 1,
    kinds: Annotated[
        str,
        typer.Option(
            metavar="KIND,...",
            help="flip, drop, credit, dead, absent, injected, spurious, setup, write, renew, "
            "stream-flip, stream-drop, stream-stuck, stream-credit, flips, spoofed; by default all "
            "of the network.",
        ),
    ] = "",
    first: Annotated[int, typer.Option(metavar="N", help="First trial, to repeat one.")] = 0,
    as_json: Json = False,
) -> None:
    """Inject faults, classify each outcome.

    Exit code 1, and commands that repeat the trials: a false release, wrong data, an unreported
    hang, or a group not recovered. Ctrl-C prints the result so far.
    """
    from syncfabric.sim.campaign.campaign import campaign as run
    from syncfabric.sim.campaign.request import CampaignRequest
    from syncfabric.sim.network import Network

    names = tuple(name.strip() for name in kinds.split(",") if name.strip())
    request = CampaignRequest(faults, seed, names, first)
    spec = Network.load(net).spec
    with interrupts() as stopped, progress_display() as progress:
        result = run(spec, request, stopped=stopped, progress=progress)
    if as_json:
        values = {**result.to_json(), "repeat": request.command(net)}
        print_json(with_old_fields("campaign", values))
    else:
        _print(result)
    for finding in result.findings:
        repeat = request.command(net, first=finding.number)
        typer.echo(f"wrong: {finding}\nrepeat it with: {repeat}", err=True)
    if result.findings:
        raise typer.Exit(WRONG)
    if result.interrupted:
        typer.echo(f"interrupted: {result.faults} of {faults} faults", err=True)
        raise typer.Exit(INTERRUPTED)


def _print(result: "CampaignResult") -> None:
    """Print what became of the faults, and rates."""
    from syncfabric.sim.campaign.result import kind_rows, summary
    from syncfabric.sim.tables import Titled

    show(Titled(f"{result.network}, with faults", kind_rows(result)), *summary(result))
