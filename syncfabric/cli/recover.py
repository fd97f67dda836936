"""``syncfabric recover``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import WRONG, Json, Net, Seed, emit, show

if TYPE_CHECKING:
    from syncfabric.sim.drive.recovery.run import RecoveryResult


def recover(
    net: Net,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="LINK_OR_NODE", help="Failing link or node, as of plan. Repeatable."),
    ] = None,
    move: Annotated[
        list[str] | None,
        typer.Option(metavar="GID:NODE-NODE", help="Move a member, as 1:0,0-2,3. Repeatable."),
    ] = None,
    sim: Annotated[
        str, typer.Option(metavar="SIM", help="verilator, or model (no hardware).")
    ] = "verilator",
    at: Annotated[int, typer.Option(metavar="N", help="Cycles before the event.")] = 400,
    timeout: Annotated[
        int,
        typer.Option(metavar="N", help="Cycles to a member's timeout."),
    ] = 500,
    episodes: Annotated[
        int, typer.Option(metavar="N", help="Barriers of each group before and after.")
    ] = 10,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Recover groups from failures, in a simulation."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.sim.drive.recovery.run import run_recovery
    from syncfabric.sim.network import Network

    network = Network.load(net)
    with progress_display() as progress:
        result = run_recovery(
            network.spec,
            without=without or (),
            moves=move or (),
            sim=sim,
            at=at,
            timeout=timeout,
            episodes=episodes,
            seed=seed,
            progress=progress,
        )
    emit(result, as_json, _print)
    if not result.ok:
        typer.echo(f"{result.verdict}: {result.hang or 'not all is as it must be'}", err=True)
        raise typer.Exit(WRONG)


def _print(result: "RecoveryResult") -> None:
    """Print what each group's recovery took, and how the others fared."""
    from syncfabric.sim.drive.recovery.run import other_rows, recovery_rows
    from syncfabric.sim.tables import Titled

    if result.costs:
        title = f"{result.network} under {result.simulator}: cycles until a group is back"
        show(Titled(title, recovery_rows(result)))
    if result.spans:
        title = "the other groups' barriers: cycles (min/med/max)"
        show(Titled(title, other_rows(result)))
    show(*_words(result))


def _words(result: "RecoveryResult") -> list[str]:
    from syncfabric.sim.words import count, node_words

    lines = [
        f"{result.verdict}: {count(result.cycles, 'cycle')}, {count(result.releases, 'release')}, "
        f"{result.broken} as broken, {result.early} false"
    ]
    if not result.costs and result.ok:
        lines.append("no group was hit" if not result.lost else "no group came back")
    for gid, members in result.left_out.items():
        lines.append(f"group {gid}: {', '.join(map(node_words, members))} left out")
    lines += [f"group {gid}: no member is left" for gid in result.lost]
    return lines
