"""The fabric of tiles against the Verilog bench under Icarus: the same trace, line by line."""

import random
from pathlib import Path

import pytest

from syncfabric.models.messages.static import LoaderWord, StaticWord
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import set_up_writes
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.script import Stimulus, StimulusKind, script_text
from syncfabric.sim.drive.backends import build_bench, run_bench
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from tests.nightly import nightly_but
from tests.rtl.static.fuzz import PHASES, random_play
from tests.rtl.support import SEED
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh, plan_of
from tests.sim.drive.static.networks import SMALL as STATIC
from tests.sim.drive.test_backends import ALL
from tests.sim.soak.networks import ENGINES

EPISODES, APART = 2, 300
SWEEP, COMMAND = 100, 1_500
"""Cycles in which engines clear their entries, and in which a manager sets a group up."""

MESSAGES: dict[str, MessageSpec] = {
    "engines": ENGINES["engines"].message_network,
    **{name: ALL[name] for name in ("column, no data, wide flits", "irregular, two channels")},
    "messages alone": ALL["messages alone"],
    "check bits": mesh(2, 2, check_bits=8, channels=2, message_links="shared"),
    "routed, check bits": mesh(3, 2, check_bits=4, transport="routed", data_bits=9),
}
WIRED: dict[str, MessageSpec] = {
    "no packets": mesh(2, 2, wires=1, groups=1, channels=0, data_bits=0),
    "no packets, wide": mesh(2, 1, wires=12, channels=0, data_bits=32),
    "registers, check bits": mesh(2, 2, wires=2, link_registers=1, check_bits=8),
    "shared, managers": mesh(
        3, 1, wires=3, message_links="shared", setup="manager", link_registers=2
    ),
    "irregular, no packets": irregular(SMALL, wires=2, channels=0, check_bits=4, watchdog=100),
    "irregular, serial": irregular(SMALL, wires=2, operations="all", data_bits=9),
    "irregular, registers": irregular(SMALL, wires=2, link_registers=1, channels=2),
}


def plan_for(spec: MessageSpec) -> BarrierPlan:
    """Return a plan of groups of everybody: one on each slot of wires, and one by messages."""
    nodes = tuple(spec.topology.nodes)
    wired = (GroupSpec(id=gid, members=nodes, planner="wires") for gid in range(spec.wires))
    return plan_of(spec, *wired, GroupSpec(id=spec.wires, members=nodes, planner="shortest"))


def set_up(plan: BarrierPlan, spec: MessageSpec) -> list[Stimulus]:
    """Return the writes, one after the other with time for its answer, and for what it orders."""
    script, cycle = [], SWEEP
    for write in set_up_writes(plan):
        index = write.target << 12 | write.address
        script.append(Stimulus(cycle, StimulusKind.CONFIG, index, write.value, 1))
        cycle += COMMAND if write.until else 4 * spec.shape.targets + 20
    return script


def stimuli(plan: BarrierPlan, spec: MessageSpec) -> list[Stimulus]:
    """Set the groups up; make barriers and traffic."""
    nodes, rng = spec.topology.nodes, random.Random(1)
    script = set_up(plan, spec)
    begin = script[-1].cycle + COMMAND
    if spec.channels:
        script.append(Stimulus(begin, StimulusKind.LOAD, data=5))
        begin += WARM_CYCLES + 2
        script.append(Stimulus(begin, StimulusKind.RATE, data=1 << 18, extra=1))
    for group in plan.groups:
        for episode in range(EPISODES):
            for i, node in enumerate(nodes):
                cycle, data = (
                    begin + APART * episode + rng.randrange(20),
                    rng.getrandbits(spec.data_bits),
                )
                index = i * spec.port_registers + group.places[node]
                script.append(Stimulus(cycle, StimulusKind.ARRIVE, index, data))
    return sorted(script, key=lambda stimulus: stimulus.cycle)


@pytest.fixture(autouse=True)
def memories_begin_in_any_state() -> None:
    """Override that: tiles' memories begin with 0, and a first COMMIT answers what was there."""


@pytest.mark.icarus
@pytest.mark.parametrize("name", nightly_but(["engines"], MESSAGES))
def test_the_trace_is_the_benchs(name: str, tmp_path: Path) -> None:
    same_traces(MESSAGES[name], tmp_path)


@pytest.mark.icarus
@pytest.mark.nightly
@pytest.mark.parametrize("name", WIRED)
def test_the_trace_of_barrier_wires_is_the_benchs(name: str, tmp_path: Path) -> None:
    links = links_of(WIRED[name])
    first, slots = links.width - links.slots, (1 << links.slots) - 1
    lanes = sum(slots << links.width * link + first for link in range(links.count))
    seen = same_traces(WIRED[name], tmp_path)
    assert any(int(line.split()[1], 16) & lanes for line in seen if line[0] != "o")


def same_traces(spec: MessageSpec, folder: Path) -> list[str]:
    """Play the same to fabric and bench, compare what they write, and return the lines."""
    script, probe = folder / "script.txt", folder / "fabric.txt"
    plan = plan_for(spec)
    played = stimuli(plan, spec)
    cycles = played[-1].cycle + APART
    script.write_text(script_text(played))
    bench = build_bench(spec, queue=64)
    expected, report, kept = run_bench(bench, script_text(played), cycles)
    with Fabric(build_fabric(spec)) as fabric:
        fabric.probe(probe)
        fabric.script(script)
        fabric.run(cycles)
        rows, entries = fabric.report(), fabric.entries()
    seen = probe.read_text().splitlines()
    assert seen == expected
    nodes = len(spec.topology.nodes)
    assert released(seen) == EPISODES * len(plan.groups) * nodes
    assert len(rows) == (nodes if spec.channels else 0)
    assert sum(row["packets"] for row in rows) >= 2 * len(rows)
    assert sum(row["errors"] for row in rows) == 0
    assert [list(row.values()) for row in rows] == [row for row in report if row]
    assert len(entries) == len(kept) == spec.shape.routers
    for words, others in zip(entries, kept, strict=True):
        assert [
            (word & ~lost, lost) for (word, _), (_, lost) in zip(words, others, strict=True)
        ] == others
    return seen


def released(lines: list[str]) -> int:
    """Return how many members were released."""
    wires = [line.split() for line in lines if line[0] != "o"]
    return sum(int(words[3], 16).bit_count() for words in wires)


def played(spec: StaticSpec, stimuli: list[Stimulus], cycles: int, folder: Path) -> list[str]:
    """Return what the fabric's probe writes; the script is left in ``script.txt``."""
    script, probe = folder / "script.txt", folder / "fabric.txt"
    script.write_text(script_text(stimuli))
    with Fabric(build_fabric(spec)) as fabric:
        fabric.probe(probe)
        fabric.script(script)
        fabric.run(cycles)
        assert fabric.report() == []
    return probe.read_text().splitlines()


@pytest.mark.icarus
def test_the_trace_is_the_benchs_and_the_models(tmp_path: Path) -> None:
    """Routes and roles by chance, several times over, with all inputs busy."""
    play = random_play(STATIC, SEED)
    seen = played(STATIC, play.stimuli, play.cycles, tmp_path)
    bench, *_ = run_bench(build_bench(STATIC), script_text(play.stimuli), play.cycles)
    assert bench == seen == play.lines
    assert sum(line[0] == "o" for line in seen) > 3 * PHASES


def test_answers_of_node_and_loader_in_one_cycle_are_one(tmp_path: Path) -> None:
    """R5: the answer to SHIFT comes with that of the target asked in its last cycle."""
    loader, begin = STATIC.layout.loader, 5
    stimuli = [
        Stimulus(begin, StimulusKind.CONFIG, loader << 12 | LoaderWord.SHIFT, 1, 1),
        Stimulus(begin + 32, StimulusKind.CONFIG, loader - 1 << 12 | StaticWord.STATUS, 1, 1),
        Stimulus(begin + 40, StimulusKind.CONFIG, loader << 12 | LoaderWord.LENGTH),
        Stimulus(begin + 50, StimulusKind.CONFIG, loader + 1 << 12),  # no target has this number
    ]
    lines = played(STATIC, stimuli, 100, tmp_path)
    answers = [line.replace(" 0 0 0", "") for line in lines]
    assert answers == [f"{begin + 33:x} c1:0", f"{begin + 41:x} c0:{25 * loader:x}"]
