"""``syncfabric bcast``."""

import os
import sys
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import WRONG, Hostfile, Json, PayloadSeed, Ranks, emit
from syncfabric.cli.schedules import print_first

if TYPE_CHECKING:
    from syncfabric.models.broadcast.strategies import Strategy
    from syncfabric.sim.ranks.broadcast.results import Broadcasts, Recovery
    from syncfabric.sim.ranks.broadcast.script import Script


MOST = 20
"""Wrong payloads that are reported."""


def bcast(
    ranks: Ranks = None,
    hostfile: Hostfile = None,
    size: Annotated[
        int, typer.Option("--bytes", min=1, max=2**30, metavar="N", help="Payload in bytes.")
    ] = 1024,
    rounds: Annotated[
        int, typer.Option(min=1, max=10**6, metavar="R", help="Number of rounds.")
    ] = 20,
    strategy: Annotated[
        str, typer.Option(metavar="S", help="Tree repair: family, path, leaf or position.")
    ] = "path",
    latency: Annotated[
        float,
        typer.Option(min=0, max=1e9, metavar="US", help="Extra latency of each link in µs."),
    ] = 2000,
    slow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A-B:FACTOR@ROUND",
            help="Slow a link from a round on; path:… is one of the costliest path.",
        ),
    ] = None,
    leave: Annotated[
        list[str] | None, typer.Option(metavar="RANK@ROUND", help="Stop answering.")
    ] = None,
    join: Annotated[
        list[str] | None, typer.Option(metavar="RANK@ROUND", help="Join, or join again.")
    ] = None,
    kill: Annotated[
        list[str] | None, typer.Option(metavar="RANK@ROUND", help="Kill the process.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0, max=1e6, metavar="S", help="Timeout of an answer in seconds.")
    ] = 2,
    seed: PayloadSeed = 1,
    as_json: Json = False,
) -> None:
    """Broadcast along a tree that adapts.

    Start it with --ranks, or by an mpiexec whose ranks survive the death of another. Exit code 1: a
    byte is wrong, or a rank is lost unexpectedly.
    """
    from syncfabric.models.ranks import mpi, ranks_started
    from syncfabric.sim.ranks.broadcast.member import Setting
    from syncfabric.sim.ranks.launch import all_end, on_first, relaunch

    words = {"slow": slow or [], "leave": leave or [], "join": join or [], "kill": kill or []}
    script = _script(ranks, rounds, latency / 1e6, words)
    setting = Setting(script, size, seed, timeout)
    if ranks_started() is None:
        _known(strategy)
    relaunch(ranks, sys.argv[1:], outlive=True, hostfile=hostfile)
    world = mpi().COMM_WORLD

    from syncfabric.sim.ranks.broadcast.run import broadcast

    with all_end(world):
        done, whole = broadcast(world, setting, on_first(world, lambda: _known(strategy)))
    code = 0
    if done is not None:
        code = 0 if done.as_asked() else WRONG
        emit(done, as_json, lambda done: _print(done, strategy))
    if not whole:
        # To end MPI in order would wait for those that are gone.
        sys.stdout.flush()
        os._exit(code)
    raise typer.Exit(code)


def _script(
    ranks: int | None, rounds: int, latency: float, words: dict[str, list[str]]
) -> "Script":
    """Return what is to happen, on as many ranks as are started."""
    from syncfabric.models.ranks import ranks_started
    from syncfabric.sim.ranks.broadcast.script import Script, parse_events, parse_slow

    events = (
        *parse_events("leave", words["leave"]),
        *parse_events("kill", words["kill"]),
        *parse_events("join", words["join"]),
    )
    return Script(ranks or ranks_started() or 1, rounds, latency, parse_slow(words["slow"]), events)


def _known(name: str) -> "Strategy":
    """Return a strategy by its name."""
    from syncfabric.models.broadcast.strategies import STRATEGIES
    from syncfabric.models.errors import SpecError
    from syncfabric.models.networks.explain import did_you_mean

    for known in STRATEGIES:
        if name == known:
            return known
    raise SpecError(f'--strategy: unknown "{name}"; {did_you_mean(name, STRATEGIES)}')


def _print(done: "Broadcasts", strategy: str) -> None:
    from syncfabric.sim.ranks.payloads import processors

    setting, script = done.setting, done.setting.script
    on = f"{processors()} processor{'s' * (processors() > 1)}"
    typer.echo(f"broadcast  {setting.size:,} bytes, {script.ranks} ranks on {on}; {done.mpi}")
    typer.echo(
        f"links      {script.latency * 1e6:,g} µs more each; strategy {strategy}; "
        f"who does not answer in {setting.timeout:g} s is lost"
    )
    typer.echo("round  ranks    adaptive       fixed   tree's cost   swaps")
    for row in done.rows:
        times = f"{_time(row.adaptive):>10}  {_time(row.fixed):>10}  {_time(row.cost):>12}"
        typer.echo(f"{row.round:5}  {len(row.order):5}  {times}  {row.swaps:6}")
        for said in row.said:
            typer.echo(f"           {said}")
    typer.echo(f"adaptive   {_time(done.adaptive)}, median of the rounds")
    typer.echo(f"fixed      {_time(done.fixed)}, the plain binomial tree on the same links")
    typer.echo(
        f"library    {_time(median(done.library.seconds))}, Bcast of all ranks before the rounds: "
        "its messages cannot be held back"
    )
    for recovery in done.recoveries():
        typer.echo(f"slow link  {_words(recovery)}")
    lines = []
    for wrong in done.wrong[:MOST]:
        where = "of the library's Bcast" if wrong.round is None else f"of round {wrong.round}"
        lines.append(f"payload {where} on rank {wrong.rank}, from byte {wrong.byte:,} on")
    print_first("wrong", lines, len(done.wrong))
    right = f"all {done.checked:,} bytes right, on every rank that is left"
    typer.echo(f"verdict    {f'{len(done.wrong):,} payloads wrong' if done.wrong else right}")


def _words(recovery: "Recovery") -> str:
    times = (
        f"round {recovery.round}: {_time(recovery.before)} before, {_time(recovery.hit)} with it, "
        f"{_time(recovery.after)} after"
    )
    if recovery.recovered is None:
        return f"{times}: nothing was lost"
    return f"{times}: {recovery.recovered:.0%} of what was lost has come back"


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1e3:,.3f} ms"
