"""Many-core systems, end to end: a program's cores, packets and barriers on a network."""

from dataclasses import replace
from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.core import MOST_WORDS, FaultReason
from syncfabric.models.networks.reader import load, loads
from syncfabric.models.networks.spec import IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.rtl.cores.interface import KEPT_FLITS
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.events import Events, Kind, episodes_of, timeline
from syncfabric.sim.cores.program import Program
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.cores.system import fitting, shape_of, with_channels, with_world
from syncfabric.sim.results import Seconds
from syncfabric.sim.simulators import find_simulator
from tests.nightly import nightly_but

OURS = Path(__file__).parent / "programs"
PROGRAMS = Path(__file__).parents[3] / "sim" / "cores" / "programs"
MESH = with_world(with_channels(load("mesh-2x2")), 4, "engine")
LATENCY = 12
"""Cycles that a core adds to the network's latency at most: from its store to going on."""


def compiled(spec: NetworkSpec, program: Path, barrier: str = "engine", **defines: int) -> Program:
    texts = {name: str(value) for name, value in defines.items()}
    return compile_program(program, spec=spec, barrier=barrier, defines=texts)


def played(
    spec: NetworkSpec, program: Path, cores: int = 4, barrier: str = "engine", **defines: int
) -> Events:
    made = compiled(spec, program, barrier, **defines)
    result, events = run_program(spec, made, cores=cores, limit=400_000)
    assert result.ok, result
    return events


def test_every_core_says_hello() -> None:
    events = played(MESH, PROGRAMS / "hello.c")
    said: dict[int, list[int | str]] = {core: [] for core in range(4)}
    for put in events.puts:
        said[put.core].append(put.value)
    assert said == {core: ["hello, world", core] for core in range(4)}


def test_no_core_leaves_a_barrier_before_the_last_one_comes() -> None:
    events = played(MESH, PROGRAMS / "barrier.c", EPISODES=8, SKEW=60)
    times = {core: [put.value for put in events.puts if put.core == core] for core in range(4)}
    for k in range(8):
        before = [int(times[core][2 * k]) for core in range(4)]
        after = [int(times[core][2 * k + 1]) for core in range(4)]
        assert min(after) > max(before)
    plan = make_plan(MESH)
    group = plan.groups[-1]
    episodes = episodes_of(plan, group, events)
    assert len(episodes) == 9
    assert max(episode.latency for episode in episodes) <= (group.bound or 0)
    for core, pieces in enumerate(timeline(plan, events)):
        assert [piece.begin for piece in pieces] == [0, *(piece.end for piece in pieces[:-1])]
        released = [piece for piece in pieces if piece.kind is Kind.RELEASED]
        # Where the release comes before the WAIT, the core is let go outside of a barrier.
        assert 5 <= len(released) <= 9, core
        assert all(one.end - one.begin <= (group.bound or 0) + LATENCY for one in released)


def test_the_fence_holds_an_arrive_back_until_packets_are_there() -> None:
    """With the fence off the race shows: the barrier is over, and packets are in flight."""
    packets, others = 6, 3
    kept = KEPT_FLITS // (MOST_WORDS + 1)
    taken = {}
    (world,) = MESH.groups
    by_file = MESH.model_copy(update={"groups": (world.model_copy(update={"fence": True}),)})
    cases: dict[str, tuple[NetworkSpec, dict[str, int]]] = {
        "fenced": (MESH, {"FENCED": 1}),
        "open": (MESH, {"FENCED": 0}),
        "open by default": (MESH, {}),
        "by the file": (by_file, {}),
    }
    for name, (spec, defines) in cases.items():
        events = played(spec, OURS / "race.c", 4, "engine", PACKETS=packets, **defines)
        (put,) = events.puts
        taken[name] = int(put.value)
    assert min(taken["fenced"], taken["by the file"]) >= packets * others - kept
    assert max(taken["open"], taken["open by default"]) < packets * others - kept


FAULTS = (
    *(FaultReason.ADDRESS, FaultReason.ACCESS, FaultReason.INSTRUCTION, FaultReason.INSTRUCTION),
    *(FaultReason.INSTRUCTION, FaultReason.NOT_READY, FaultReason.WAITING, FaultReason.NO_ARRIVE),
    *(FaultReason.PACKET, FaultReason.ADDRESS),
)


@pytest.mark.parametrize("case", nightly_but([2, 6], range(len(FAULTS))))
def test_a_core_that_does_what_it_may_not_is_stopped(case: int) -> None:
    program = compiled(MESH, OURS / "faults.c", FAULT=case)
    result, events = run_program(MESH, program, cores=4, limit=100_000)
    assert result.verdict == "fault"
    (stop,), (fault,) = result.faults, events.faults
    assert (fault.core, fault.reason) == (1, FAULTS[case])
    assert stop.function == "culprit"


def test_a_barrier_that_one_never_comes_to_ends_all_the_same() -> None:
    result, _ = run_program(MESH, compiled(MESH, OURS / "faults.c", FAULT=10), cores=4, limit=8_000)
    assert result.verdict == "limit"
    assert {one.core: one.activity for one in result.stands}[1] == "works"
    assert not result.ok


@pytest.mark.nightly
def test_exit_codes_come_back() -> None:
    program = compiled(MESH, OURS / "faults.c", FAULT=11)
    result, _ = run_program(MESH, program, cores=4, limit=100_000)
    assert result.exits == (7, 7, 7, 7)
    assert not result.ok


@pytest.mark.nightly
@pytest.mark.parametrize("barrier", ["engine", "dissemination"])
def test_both_simulators_see_the_same(barrier: str) -> None:
    find_simulator("icarus")
    program = compiled(MESH, PROGRAMS / "barrier.c", barrier, EPISODES=2)
    runs = [
        run_program(MESH, program, cores=4, sim=sim, limit=100_000)
        for sim in ("verilator", "icarus")
    ]
    (first, events), (second, others) = runs
    assert events == others
    of_no = {"simulator": "", "seconds": Seconds(0, 0)}
    assert replace(first, **of_no) == replace(second, **of_no)  # type: ignore[arg-type]


WIRES = """
name = "wired"
[network]
kind = "mesh"
width = 2
height = 2
channels = 2
wires = 1
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("network", "cores", "barrier"),
    [
        ("cluster-fig1", 6, "engine"),
        ("reflex-2x2", 4, "reflex"),
        ("reflex-2x2", 4, "reflex-tree"),
        ("reflex-2x2", 4, "reflex-software"),
        ("reflex-2x2", 4, "reflex-tree-software"),
        ("reflex-2x2", 3, "central"),
        ("wires", 4, "engine"),
        ("mesh-4x4", 16, "engine"),
    ],
)
def test_barriers_hold_on_networks_of_every_kind(network: str, cores: int, barrier: str) -> None:
    spec = loads(WIRES) if network == "wires" else load(network)
    spec = with_world(with_channels(spec), cores, barrier)
    events = played(spec, PROGRAMS / "barrier.c", cores, barrier, EPISODES=6, SKEW=200)
    times = {core: [put.value for put in events.puts if put.core == core] for core in range(cores)}
    for k in range(6):
        before = [int(times[core][2 * k]) for core in range(cores)]
        assert min(int(times[core][2 * k + 1]) for core in range(cores)) > max(before)


@pytest.mark.parametrize(
    ("keys", "cores", "memory", "words"),
    [
        ({}, 5, 32, "cores = 5"),
        ({}, 0, 32, "cores = 0"),
        ({}, 4, 33, "memory = 33"),
        ({"channels": 1}, 4, 32, "channels = 1"),
        ({"channels": 2, "flit_bits": 24}, 4, 32, "flit_bits = 24"),
        ({"channels": 2, "check_bits": 8}, 4, 32, "check_bits = 8"),
    ],
)
def test_what_cannot_be_is_refused(
    keys: dict[str, int], cores: int, memory: int, words: str
) -> None:
    network = MESH.network
    settings = network.model_dump(exclude_unset=True) | keys
    with pytest.raises(SpecError, match=words):
        shape_of(type(network)(**settings), cores, memory)


def test_packets_that_bring_their_route_are_refused() -> None:
    keys = load("cluster-19").network.model_dump(exclude_unset=True) | {"channels": 2}
    own = {"setup": "local", "routing": "source", "flit_bits": 64}
    with pytest.raises(SpecError, match='routing = "source"'):
        shape_of(IrregularSpec.model_validate(keys | own), 4, 32)


def test_datelines_take_four_channels() -> None:
    spec = loads('name = "a"\n[network]\nkind = "irregular"\ntopology = "torus-4x4"\n')
    words = "channel 2, and behind datelines on the next one each; set channels = 4"
    with pytest.raises(SpecError, match=f"channels = 2: .* {words}"):
        shape_of(spec.network, 4, 32)
    assert shape_of(with_channels(spec).network, 4, 32).acks == 2


@pytest.mark.parametrize("topology", ["mesh-4x4", "torus-4x4"])
def test_packets_that_may_overtake_each_other_are_refused(topology: str) -> None:
    head = f'name = "a"\n[network]\nkind = "irregular"\ntopology = "{topology}"\n'
    spec = loads(f'{head}routing = "adaptive"\n').network
    words = 'routing = "adaptive": packets between two cores may overtake .*; set routing = "dim'
    with pytest.raises(SpecError, match=words):
        shape_of(spec, 4, 32)


@pytest.mark.parametrize(
    ("network", "barrier"),
    [
        *(("mesh-2x2", "reflex"), ("mesh-2x2", "reflex-tree-software")),
        *(("reflex-2x2", "engine"), ("ring-8", "reflex"), ("mesh-8x8-groups", "reflex")),
    ],
)
def test_a_barrier_that_the_network_has_not_is_refused(network: str, barrier: str) -> None:
    spec = load(network)
    with pytest.raises(SpecError, match="does not go with"):
        with_world(spec, 4, barrier)
    assert barrier not in fitting(spec.network)
