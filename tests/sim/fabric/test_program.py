"""Talking to a running fabric."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from syncfabric.models.errors import ToolError
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.words import (
    EngineWord,
    PortWord,
    config_address,
)
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.sim.assemble.script import REPORT, Stimulus, StimulusKind
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric, GroupCount
from syncfabric.sim.simulators.base import Built
from syncfabric.sim.soak.bench import Bench
from tests.sim.drive.networks import members, plan_of
from tests.sim.drive.test_backends import CLUSTERS, NETWORKS
from tests.sim.fabric.groups import SWEEP, give, set_up
from tests.sim.soak.networks import BUILD, ENGINES

NETWORK = NETWORKS["default"]
CLUSTER = CLUSTERS["irregular, default"]


@pytest.fixture(scope="module")
def built() -> Built:
    return build_fabric(NETWORK)


@pytest.fixture(scope="module")
def built_cluster() -> Built:
    return build_fabric(CLUSTER)


@pytest.fixture
def fabric(built: Built) -> Iterator[Fabric]:
    with Fabric(built) as fabric:
        yield fabric


def test_nothing_happens_by_itself(fabric: Fabric, tmp_path: Path) -> None:
    fabric.probe(tmp_path / "probe.txt")
    fabric.run(500)
    assert (tmp_path / "probe.txt").read_text() == ""
    rows = fabric.report()
    assert len(rows) == 25
    assert all(row == dict.fromkeys(REPORT, 0) for row in rows)
    assert fabric.watch() == []


def with_traffic(fabric: Fabric, folder: Path) -> list[dict[str, int]]:
    """Make some traffic, let it come to its end, and return its counters."""
    on = WARM_CYCLES + 2
    give(
        fabric,
        [
            Stimulus(1, StimulusKind.LOAD, data=7),
            Stimulus(on, StimulusKind.RATE, data=1 << 16, extra=1),
            Stimulus(on + 2_000, StimulusKind.RATE),
        ],
        folder,
    )
    fabric.begin(2_500)
    fabric.end()
    fabric.run(1_000)
    rows = fabric.report()
    assert all(row["created"] == row["sent"] > 0 for row in rows)
    total = {name: sum(row[name] for row in rows) for name in REPORT}
    assert total["packets"] == total["sent"]
    assert total["flits"] == 5 * total["packets"]
    assert (total["errors"], total["overflow"]) == (0, 0)
    assert total["latency_sum"] >= 6 * total["packets"]
    return rows


def test_traffic_is_counted_at_every_node(fabric: Fabric, tmp_path: Path) -> None:
    assert len(with_traffic(fabric, tmp_path)) == 25


@pytest.mark.nightly
def test_traffic_finds_its_way_through_switches(built_cluster: Built, tmp_path: Path) -> None:
    with Fabric(built_cluster) as fabric:
        assert len(with_traffic(fabric, tmp_path)) == 24


@pytest.mark.nightly
def test_config_finds_nodes_and_routers_and_no_others(built_cluster: Built, tmp_path: Path) -> None:
    """The last of 24 nodes has refused an arrival, the last of 12 routers a GO: no group is there.

    Those before them have refused nothing, and behind them the chain ends.
    """
    last, refused = 23, config_address(PortWord.REFUSED_ARRIVE)
    go = COMMIT.pack({"code": Code.GO})
    with Fabric(built_cluster) as fabric:
        fabric.run(SWEEP)
        give(
            fabric, [Stimulus(SWEEP, StimulusKind.ARRIVE, last * CLUSTER.port_registers)], tmp_path
        )
        command = EngineWord.REFUSED_COMMAND
        reads = [(last - 1, refused), (last, refused), (35, command), (34, command), (36, command)]
        fabric.request([(35, EngineWord.COMMIT, go), *((*place, None) for place in reads)])
        fabric.run(1_000)
        answers = fabric.answers()
    assert answers[0][0]
    assert answers[1:] == [(False, 0), (False, 1), (False, 1), (False, 0), (True, 0)]


def start(fabric: Fabric, *, outsider: bool = False) -> None:
    """Set up a group of three, and let its members arrive; perhaps await one who never does."""
    plan = plan_of(NETWORK, members(9, (0, 0), (4, 0), (2, 3)))
    set_up(fabric, plan)
    (group,) = plan.groups
    endpoints = [(NETWORK.topology.index(node), place) for node, place in group.places.items()]
    fabric.group(9, [*endpoints, *([(24, 3)] if outsider else [])])
    fabric.members(seed=5, jitter=7)
    fabric.run(2_000)


def test_the_scoreboard_counts_barriers_by_their_latency(fabric: Fabric) -> None:
    start(fabric)
    (count,) = fabric.watch()
    assert (count.gid, count.errors) == (9, 0)
    assert count.episodes > 50
    assert min(count.latencies) > 0


def test_the_scoreboard_sees_releases_before_the_last_arrival(fabric: Fabric) -> None:
    start(fabric, outsider=True)
    (count,) = fabric.watch()
    assert count.errors > 0
    assert count.episodes == 0


def test_episodes_are_counted_over_all_latencies() -> None:
    assert GroupCount(1, 0, {7: 2, 9: 40}).episodes == 42


def test_its_memory_can_be_asked_for(fabric: Fabric) -> None:
    fabric.run(10)
    assert 1_000_000 < fabric.peak_memory() < 1_000_000_000


def test_a_fabric_that_ends_is_reported_with_the_command(built: Built) -> None:
    message = r"^the simulation of the network ended at 'report', exit code -9: $"
    fabric = Fabric(built)
    fabric.run(10)
    fabric._process.kill()
    with pytest.raises(ToolError, match=message):
        fabric.report()


@pytest.mark.parametrize(
    "name", ["engines", pytest.param("engine cluster", marks=pytest.mark.nightly)]
)
def test_counters_are_those_of_the_config_chain(name: str) -> None:
    """After commands that are refused, some at each router."""
    spec, rng = ENGINES[name], random.Random(1)
    network = spec.network
    assert isinstance(network, MessageSpec)
    shape, places = network.shape, list(counters_of(network))
    with Fabric(BUILD(network)) as fabric:
        bench = Bench(fabric, make_plan(spec))
        bench.wait(100)  # the sweep
        assert not +bench.counters()
        for router in range(shape.routers):
            go = COMMIT.pack({"code": Code.GO, "entry": rng.randrange(4)})
            fabric.request([(shape.target_of(router), 0, go)] * (router + 1))
        bench.wait(2_000)
        fabric.answers()
        fabric.request([(*place.place, None) for place in places])
        bench.wait(20_000)
        answers = fabric.answers()
        assert not any(error for error, _ in answers)
        read = Counter[str]()
        for place, (_, count) in zip(places, answers, strict=True):
            read[place.name] += count
        routers = shape.routers
        assert +read == +bench.counters()
        assert +read == {"engine REFUSED_COMMAND": routers * (routers + 1) // 2}
        assert set(read) == set(bench.counters())
