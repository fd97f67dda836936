"""Plans of groups on large irregular networks: seconds, and how they grow."""

import random
import time
from collections.abc import Iterator

from syncfabric.models.networks.random_network import RandomNetwork, draw_network
from syncfabric.models.networks.spec import (
    MESSAGE_PLANNERS,
    GroupSpec,
    IrregularSpec,
    NetworkSpec,
)
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.figures.row import Row

__all__ = ["irregular_planning"]

SIZES = (1_000, 10_000, 100_000)


def irregular_planning() -> Iterator[Row]:
    """Planning a group of a random irregular network, 8 ports, three nodes a switch."""
    seconds: dict[tuple[int, str], float] = {}
    for switches in SIZES:
        network = _network(switches, 3 * switches)
        some = tuple(random.Random(1).sample(network.nodes, 64))
        for who, members in (("64 members", some), ("all members", network.nodes)):
            for planner in MESSAGE_PLANNERS["link"]:
                name = f"{who}, {planner}"
                plan, taken = _plan(network, members, planner)
                seconds[switches, name] = taken
                limit = switches == SIZES[-1]
                yield Row(
                    f"{switches:,} switches, {3 * switches:,} nodes, {name} "
                    f"(height {plan.groups[0].height})",
                    f"{taken:.2f} s",
                    "< 60 s" if limit else "",
                    taken < 60 if limit else None,
                )
    before, last = SIZES[-2:]
    for name in [name for switches, name in seconds if switches == last]:
        grown = seconds[last, name] / seconds[before, name]
        yield Row(f"growth from {before:,} to {last:,} switches, {name}", f"{grown:.1f} times")
    network = _network(300, 1_024)
    plan, _ = _plan(network, network.nodes, "btin")
    begin = time.perf_counter()
    deadlock.check(plan)
    checked = time.perf_counter() - begin
    yield Row(
        "300 switches: tables made and checked for deadlock",
        f"{checked:.2f} s",
        "< 5 s",
        checked < 5,
    )


def _network(switches: int, nodes: int) -> IrregularSpec:
    """Draw a network whose nodes and links take three of four ports."""
    drawn = RandomNetwork(switches=switches, nodes=nodes, connectivity=0.75, seed=1)
    topology, _ = draw_network(drawn, 8)
    return IrregularSpec(
        kind="irregular",
        ports=8,
        switches=switches,
        links=topology.links,
        nodes=topology.nodes,
        setup="local",  # trees of more switches than a manager's command can ask
    )


def _plan(
    network: IrregularSpec, members: tuple[tuple[int, int], ...], planner: str
) -> tuple[BarrierPlan, float]:
    """Plan a group; return the plan and the seconds it took, its members' check included."""
    begin = time.perf_counter()
    group = GroupSpec(id=1, members=members, planner=planner)
    plan = make_plan(NetworkSpec(name="figure", network=network, groups=(group,)))
    return plan, time.perf_counter() - begin
