"""Tiles that idle are not evaluated: it changes nothing, and it happens."""

from pathlib import Path

import pytest

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.planning.images import config_writes
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.rtl.traffic.headers import header_words
from syncfabric.sim.assemble.player import Stimulus, StimulusKind, script_text
from syncfabric.sim.fabric import Fabric, build_fabric
from syncfabric.sim.fabric.program import GroupCount
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of
from tests.sim.drive.test_tiles import NETWORKS
from tests.sim.drive.wires.nets import network_of

WIRES = network_of("mesh", channels=0, link_registers=3)
MESSAGES = NETWORKS["default"]
ALL: dict[str, RegisterSpec] = {
    "wires": WIRES,
    "messages": MESSAGES,
    "irregular, wires": irregular(SMALL, sync="wires", channels=0, wires="shared", parity=True),
    "irregular, messages": irregular(SMALL),
    "wires, a watchdog": mesh(2, 2, sync="wires", channels=0, watchdog=300),
    "messages, check bits": mesh(2, 2, check_bits=8),
    "messages, a watchdog": mesh(2, 2, watchdog=300),
    "both, link registers": mesh(2, 2, sync="both", link_registers=1),
}
SHORT = {"wires", "messages"}

Seen = tuple[str, list[GroupCount], list[dict[str, int]]]


def begin(fabric: Fabric, spec: RegisterSpec, folder: Path, jitter: int | None = None) -> int:
    """Set up groups of all nodes and of two, and return the cycle; members may arrive from it on.

    Without a jitter they do not by themselves.
    """
    nodes = spec.topology.nodes
    groups = members(3, *nodes), members(8, nodes[0], nodes[-1])
    plan = plan_of(spec, *groups)
    writes = [
        Stimulus(4 * cycle, StimulusKind.CONFIG, node << 12 | address, word, 1)
        for cycle, (node, address, word) in enumerate(config_writes(plan), 1)
    ]
    end = writes[-1].cycle + 1
    give(fabric, [*writes, Stimulus(end, StimulusKind.START)], folder)
    fabric.run(end + 1)
    for group in plan.groups:
        places = ((nodes.index(node), place) for node, place in group.places.items())
        fabric.group(group.id, [(node, place) for node, place in places if place is not None])
    if jitter is None:
        fabric.run(1)
    else:
        fabric.members(seed=5, jitter=jitter)
    return end + 2


def give(fabric: Fabric, stimuli: list[Stimulus], folder: Path) -> None:
    """Hand in a script."""
    script = folder / "script.txt"
    script.write_text(script_text(stimuli))
    fabric.script(script)


def traffic(spec: RegisterSpec, start: int) -> list[Stimulus]:
    """Return a packet of software, and then some hundred cycles of the generators' packets."""
    on, head, tail = start + 200 + WARM_CYCLES + 2, 1 << 4, 1 << 5
    return [
        Stimulus(start, StimulusKind.PACKET, 1, header_words(spec)[0], head),
        Stimulus(start + 90, StimulusKind.PACKET, 1, 7, tail),
        Stimulus(start + 200, StimulusKind.LOAD, data=7),
        Stimulus(on, StimulusKind.RATE, data=1 << 18, extra=1),
        Stimulus(on + 300, StimulusKind.RATE),
    ]


def seen(spec: RegisterSpec, folder: Path, *, restless: bool) -> tuple[Seen, int, int]:
    """Return all that shows of a run, how often a tile was evaluated, and in how many cycles."""
    probe, cycles = folder / "probe.txt", 1_500
    with Fabric(build_fabric(spec)) as fabric:
        if restless:
            fabric.restless()
        fabric.probe(probe)
        begin(fabric, spec, folder, jitter=63)
        before = fabric.evaluated()
        if spec.channels:
            give(fabric, traffic(spec, 4_000), folder)
            cycles = 6_000
        fabric.run(cycles)
        evaluated = fabric.evaluated() - before
        return (probe.read_text(), fabric.watch(), fabric.report()), evaluated, cycles


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name not in SHORT)) for name in ALL]
)
def test_a_trace_is_the_same_whether_tiles_sleep_or_not(name: str, tmp_path: Path) -> None:
    spec = ALL[name]
    tiles = len(spec.topology.nodes) + (spec.switches if spec.kind == "irregular" else 0)
    now, evaluated, cycles = seen(spec, tmp_path, restless=False)
    then, every_one, _ = seen(spec, tmp_path, restless=True)
    assert now == then
    assert every_one == tiles * cycles
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
        fabric.run(10)
        settled = fabric.evaluated()
        assert settled <= 10 * len(spec.topology.nodes)
        fabric.run(1_000)
        assert fabric.evaluated() == settled
        give(fabric, [Stimulus(1_020, StimulusKind.CONFIG, 2 << 12 | 1, 3, 1)], tmp_path)
        fabric.run(1_000)
        assert settled < fabric.evaluated() < settled + 20
