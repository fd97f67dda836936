"""Streams on whole networks: every beat of every result, whatever shows it."""

import random
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_movement import StreamMovement
from syncfabric.models.layout.setup import Operation
from syncfabric.models.networks.long_links import LongLinks
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario, Streaming
from syncfabric.sim.drive.stream_check import StreamCheck
from syncfabric.sim.drive.trace import EMPTY, Commanded, Line
from syncfabric.sim.network import Network
from syncfabric.sim.vectors import StreamRequest
from tests.mixed import mixed
from tests.nightly import nightly_but
from tests.sim.drive.clusters import SMALL, drawn
from tests.sim.drive.networks import SEED, irregular, mesh, plan_of
from tests.sim.drive.vectors import drawn_plan, drawn_scenario

Runs = list[tuple[BarrierPlan, Scenario]]

SHARED: dict[str, Any] = {"groups": 2, "streams": 2, "stream_links": "shared"}
NETWORKS: dict[str, MessageSpec] = {
    "mesh, two channels": mesh(
        3, 3, groups=2, wires=3, streams=2, channels=1, stream_operations=("integer",)
    ),
    "irregular, serial": irregular(
        SMALL,
        **{"groups": 2, "wires": 2, "streams": 1, "channels": 0, "stream_join": "serial"},
        stream_bits=64,
        stream_operations=("add", "bf16", "fp32"),
    ),
    "mesh, registers": mesh(
        4, 2, groups=2, wires=4, streams=4, channels=0, stream_bits=128, link_registers=2
    ),
    "mesh, one channel": mesh(4, 4, groups=2, wires=1, streams=1, channels=1),
    "mesh, floating point": mesh(
        3, 2, groups=2, wires=2, streams=2, channels=0, stream_operations=("fp32", "bf16")
    ),
    "irregular, registers": drawn(
        *(2, 8, 5, 12, 6), groups=2, wires=2, streams=2, link_registers=2, channels=0
    ),
    "serial, four channels": mesh(
        3, 3, groups=2, wires=4, streams=4, stream_join="serial", link_registers=1, watchdog=5000
    ),
    "checked": mesh(3, 2, groups=2, wires=2, streams=2, check_bits=8, channels=1),
    "checked, interfaces": irregular(
        SMALL,
        **{"groups": 2, "wires": 2, "streams": 1, "channels": 0, "check_bits": 8},
        stream_bits=128,
        long_links=(LongLinks(registers=5, between=((1, 2),)),),
    ),
    "managers": mesh(3, 2, groups=2, wires=2, streams=2, setup="manager"),
    "mesh, shared links": mesh(
        3, 2, **SHARED, wires=3, channels=2, stream_operations=("integer",), link_registers=1
    ),
    "irregular, shared links": irregular(
        SMALL,
        **SHARED,
        wires=2,
        channels=1,
        stream_bits=128,
        output_register=True,
        setup="manager",
    ),
    "checked, shared links": irregular(
        SMALL,
        **SHARED,
        wires=2,
        channels=1,
        check_bits=8,
        stream_bits=64,
        output_register=True,
        setup="manager",
    ),
    "serial, shared links": mesh(
        3, 2, **SHARED, wires=2, stream_join="serial", flit_bits=48, watchdog=5000
    ),
    "own operator": mesh(
        *(3, 2),
        **{"groups": 2, "wires": 2, "streams": 2, "channels": 0, "stream_bits": 64},
        stream_operations=("integer", "offload"),
        offload=mixed(),
    ),
    "serial, own operator": irregular(
        SMALL,
        **{"groups": 2, "wires": 2, "streams": 1, "channels": 0, "stream_join": "serial"},
        stream_bits=64,
        stream_operations=("offload",),
        offload=mixed(),
    ),
}


def runs_of(name: str, runs: int, **keys: Any) -> Runs:
    """Return runs on a network, the last half of them with a group that is killed."""
    rng, network = random.Random(f"{SEED}/{name}"), NETWORKS[name]
    plans = [drawn_plan(rng, network) for _ in range(runs)]
    return [
        (plan, drawn_scenario(rng, plan, kill=i >= runs // 2, **keys))
        for i, plan in enumerate(plans)
    ]


def check(outcomes: list[Outcome], runs: Runs) -> None:
    """Check that nothing is wrong, and that results came."""
    for i, (outcome, (_, scenario)) in enumerate(zip(outcomes, runs, strict=True)):
        assert not outcome.mismatches, (i, scenario, outcome.mismatches[:3])
        assert outcome.hang is None, (i, scenario)
        assert outcome.counters == (0, 0, 0, 0)
        killed = {gid for gid, _ in scenario.kills}
        for stream, seen in zip(scenario.streams, outcome.streams, strict=True):
            if stream.instance or stream.gid not in killed:
                comes = bool(stream.gives and stream.takes)
                assert (seen.last >= seen.first > seen.begun) == comes


@pytest.mark.parametrize("name", NETWORKS)
def test_results_of_the_model_are_those_of_arrays(name: str) -> None:
    runs = runs_of(name, 2, count=8, most=60)
    check(run_job(Job(tuple(runs)), "model").outcomes, runs)


@pytest.mark.parametrize(
    "name",
    nightly_but(["checked, shared links"], NETWORKS),
)
def test_hardware_is_as_the_model(name: str) -> None:
    runs = runs_of(name, 6)
    check(run_job(Job(tuple(runs)), "verilator").outcomes, runs)


@pytest.mark.icarus
@pytest.mark.parametrize(
    "name",
    nightly_but(
        ["irregular, serial", "serial, own operator"],
        ["irregular, serial", "serial, own operator", "mesh, shared links"],
    ),
)
def test_the_bench_is_as_the_model(name: str) -> None:
    runs = runs_of(name, 2, count=5, most=20)
    check(run_job(Job(tuple(runs)), "icarus").outcomes, runs)


@pytest.mark.nightly
def test_long_vectors() -> None:
    network = NETWORKS["mesh, one channel"]
    plan = drawn_plan(random.Random(1), network)
    rng = random.Random(f"{SEED}/long")
    runs = [(plan, drawn_scenario(rng, plan, count=4, most=4096)) for _ in range(3)]
    check(run_job(Job(tuple(runs)), "verilator").outcomes, runs)


def all_reduce(plan: BarrierPlan, words: int, **keys: Any) -> Scenario:
    """Return a scenario of one stream of the first group, given and taken by all at once."""
    group = plan.groups[0]
    members = range(len(group.members))
    stream = Streaming(group.id, 0, 2, words, 0, members, members, 5)
    return Scenario(episodes=0, jitter=0, streams=(stream,), **keys)


@pytest.mark.parametrize(
    "name",
    [
        *("mesh, one channel", "mesh, registers", "irregular, registers"),
        *("mesh, shared links", "irregular, shared links", "checked, shared links"),
    ],
)
def test_an_all_reduce_alone_takes_as_long_as_planned(name: str) -> None:
    """V10, and a word a cycle from then on."""
    network = NETWORKS[name]
    nodes = tuple(network.topology.nodes)
    plan = plan_of(network, GroupSpec(id=0, members=nodes, stream=True))
    outcome = run_job(Job(((plan, all_reduce(plan, 50)),)), "model").outcomes[0]
    assert not outcome.mismatches
    seen, bound = outcome.streams[0], plan.groups[0].stream_bound
    assert bound
    assert 0 < seen.first - seen.begun <= bound
    assert seen.last - seen.first == 49


@pytest.mark.parametrize("links", ["own", "shared"])
def test_barriers_take_as_long_beside_streams(links: str) -> None:
    """Those of groups with streams, of other slots and of engines, beside packets, too."""
    keys = SHARED | {"stream_links": links, "wires": 3, "channels": 1}
    network, rng = mesh(4, 4, **keys), random.Random(SEED)
    nodes = tuple(network.topology.nodes)
    groups = tuple(
        GroupSpec(
            id=i,
            members=tuple(rng.sample(nodes, 9)),
            planner="wires" if i < 3 else "shortest",
            stream=i < 2,
        )
        for i in range(5)
    )
    whole = Network(NetworkSpec(name="beside", network=network, groups=groups))
    vectors = StreamRequest("allreduce", 500, "add.i32")
    runs = [whole.run("model", 30, background=0.2, stream=what) for what in (None, vectors)]
    assert all(run.ok for run in runs)
    without, beside = ([group.model_latency for group in run.groups] for run in runs)
    assert without == beside
    assert [took.checked for took in runs[1].streams or ()] == [True, True]


def result(plan: BarrierPlan, scenario: Scenario) -> Outcome:
    return run_job(Job(((plan, scenario),)), "model").outcomes[0]


def test_a_wrong_beat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data, and counts of the sinks, which are taken from whole arrays."""
    plan = drawn_plan(random.Random(1), NETWORKS["mesh, one channel"])
    scenario = all_reduce(plan, 10)
    show = StreamMovement.show

    def corrupted(self: StreamMovement, shown: Any) -> None:
        show(self, shown)
        for node, beat in shown.beats.items():
            shown.beats[node] = beat._replace(data=beat.data ^ 1 << 7)

    monkeypatch.setattr(StreamMovement, "show", corrupted)
    signals = {mismatch.signal for mismatch in result(plan, scenario).mismatches}
    assert "stream 0, beat 0: data" in signals


def test_a_lost_beat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = drawn_plan(random.Random(1), NETWORKS["mesh, one channel"])
    show = StreamMovement.show

    def corrupted(self: StreamMovement, shown: Any) -> None:
        show(self, shown)
        shown.beats = {i: beat for i, beat in shown.beats.items() if i != 3 or not beat.last}

    monkeypatch.setattr(StreamMovement, "show", corrupted)
    (first, *_) = result(plan, all_reduce(plan, 10)).mismatches
    assert first.signal == "streams of channel 0 that have not come"


def test_what_ends_with_a_present_group_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = drawn_plan(random.Random(1), NETWORKS["mesh, one channel"])
    scenario = all_reduce(plan, 60)
    again = scenario.streams[0]._replace(instance=1, seed=9)
    killed = replace(scenario, streams=(*scenario.streams, again), kills=((0, 45),))
    assert not result(plan, killed).mismatches
    monkeypatch.setattr("syncfabric.sim.drive.stream_check.Commanded", type(None))
    signals = {mismatch.signal for mismatch in result(plan, killed).mismatches}
    assert "packets that end with their group" in signals


def test_a_packet_that_goes_on_in_the_next_instance_is_found() -> None:
    plan = drawn_plan(random.Random(1), NETWORKS["mesh, one channel"])
    scenario = all_reduce(plan, 2)
    again = scenario.streams[0]._replace(instance=1, takes=[0])
    scenario = replace(scenario, streams=(*scenario.streams, again), kills=((0, 1000),))
    outcome, check = result(plan, scenario), StreamCheck(plan, scenario)
    (node, _) = plan.endpoints(plan.groups[0])[0]
    for last in (False, True):
        beats = ((node, Beat(0, 15, last)),)
        assert list(check.wires(Line(9, EMPTY._replace(beats=beats))))
        for operation in (Operation.KILL, Operation.SETUP):
            assert not list(check.act(Commanded(9, 0, -1, operation)))
    check.report(outcome)
    assert outcome.streams[1].first == -1
