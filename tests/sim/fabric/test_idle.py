"""Tiles that idle are not evaluated: it changes nothing, and it happens."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from syncfabric.models.layout.words import EngineWord
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.rtl.traffic.headers import header_words
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric, GroupCount
from tests.nightly import nightly_but
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of
from tests.sim.drive.test_backends import NETWORKS
from tests.sim.fabric.groups import SWEEP, give, set_up

WIRES = mesh(4, 4, channels=0, groups=1, wires=2, link_registers=2)
ALL: dict[str, MessageSpec] = {
    "wires": WIRES,
    "messages": NETWORKS["default"],
    "routed messages": mesh(3, 3, transport="routed"),
    "irregular, wires": irregular(SMALL, wires=2, channels=0),
    "irregular, messages": irregular(SMALL),
    "wires, a watchdog": mesh(2, 2, wires=2, channels=0, watchdog=300),
    "wires, check bits": mesh(2, 2, wires=2, check_bits=8),
    "messages, check bits": mesh(2, 2, check_bits=8),
    "messages, a watchdog": mesh(2, 2, watchdog=300),
    "wires, link registers": mesh(2, 2, wires=2, link_registers=1),
}
SHORT = {"wires", "messages"}

Seen = tuple[str, list[GroupCount], list[dict[str, int]]]


def plan_for(spec: MessageSpec) -> BarrierPlan:
    """Return a plan of a group of all nodes, and one of two."""
    nodes = spec.topology.nodes
    return plan_of(spec, members(3, *nodes), members(8, nodes[0], nodes[-1]))


def begin(fabric: Fabric, spec: MessageSpec, jitter: int | None = None) -> int:
    """Set the groups up, and return the cycle; members may arrive from it on.

    Without a jitter they do not by themselves.
    """
    nodes, plan = spec.topology.nodes, plan_for(spec)
    now = set_up(fabric, plan)
    for group in plan.groups:
        fabric.group(group.id, [(nodes.index(node), place) for node, place in group.places.items()])
    if jitter is None:
        fabric.run(1)
    else:
        fabric.members(seed=5, jitter=jitter)
    return now + 1


def tiles_of(spec: MessageSpec) -> int:
    """Return how many tiles a network has: its nodes and routers, and links with registers."""
    return spec.shape.targets + len(spec.shape.ends) * (spec.link_registers > 0)


def traffic(spec: MessageSpec, start: int) -> list[Stimulus]:
    """Return a packet of software, and then some hundred cycles of the generators' packets."""
    on, head, tail = start + 200 + WARM_CYCLES + 2, 1 << 4, 1 << 5
    return [
        Stimulus(start, StimulusKind.PACKET, 1, header_words(spec)[0], head),
        Stimulus(start + 90, StimulusKind.PACKET, 1, 7, tail),
        Stimulus(start + 200, StimulusKind.LOAD, data=7),
        Stimulus(on, StimulusKind.RATE, data=1 << 18, extra=1),
        Stimulus(on + 300, StimulusKind.RATE),
    ]


def seen(
    spec: MessageSpec,
    folder: Path,
    *,
    all_active: bool,
    threads: int = 1,
    flags: Sequence[str] = (),
) -> tuple[Seen, int, int]:
    """Return all that shows of a run, how often a tile was evaluated, and in how many cycles."""
    probe, cycles = folder / "probe.txt", 1_500
    with Fabric(build_fabric(spec, flags=flags), threads=threads) as fabric:
        if all_active:
            fabric.all_active()
        fabric.probe(probe)
        now = begin(fabric, spec, jitter=63)
        before = fabric.evaluated()
        if spec.channels:
            give(fabric, traffic(spec, now + 2_500), folder)
            cycles = 6_000
        fabric.run(cycles)
        evaluated = fabric.evaluated() - before
        return (probe.read_text(), fabric.watch(), fabric.report()), evaluated, cycles


@pytest.mark.parametrize("name", nightly_but(SHORT, ALL))
def test_a_trace_is_the_same_whether_tiles_sleep_or_not(name: str, tmp_path: Path) -> None:
    spec = ALL[name]
    now, evaluated, cycles = seen(spec, tmp_path, all_active=False)
    then, every_one, _ = seen(spec, tmp_path, all_active=True)
    assert now == then
    assert every_one == tiles_of(spec) * cycles
    if spec.watchdog:  # its clock never stands still
        assert evaluated == every_one
    else:
        assert 0 < evaluated < 0.8 * every_one
    text, counts, rows = now
    assert len(text) > 1_000
    assert all(count.episodes > 10 and count.errors == 0 for count in counts)
    assert sum(row["packets"] for row in rows) >= len(rows)


@pytest.mark.parametrize("name", ["wires", "messages"])
def test_a_network_at_rest_costs_nothing(name: str, tmp_path: Path) -> None:
    spec = ALL[name]
    with Fabric(build_fabric(spec)) as fabric:
        fabric.run(SWEEP)
        settled = fabric.evaluated()
        assert settled <= 20 * tiles_of(spec)  # until the sweep is over
        fabric.run(1_000)
        assert fabric.evaluated() == settled
        give(
            fabric,
            [Stimulus(SWEEP + 1_000, StimulusKind.CONFIG, 2 << 12 | EngineWord.IMAGE, 3, 1)],
            tmp_path,
        )
        fabric.run(1_000)
        assert settled < fabric.evaluated() < settled + 20


@pytest.mark.parametrize(("name", "apart"), [("messages", True), ("wires", False)])
def test_packets_and_barriers_stand_at_rest_apart_from_each_other(name: str, apart: bool) -> None:
    """What of Verilator's evaluation is called for that has the names that it had."""
    with Fabric(build_fabric(ALL[name])) as fabric:
        assert fabric.apart() == apart
