"""Talking to a running fabric."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from syncfabric.models.errors import ToolError
from syncfabric.models.planning.images import config_writes
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.sim.assemble.bench import REPORT
from syncfabric.sim.assemble.player import Stimulus, StimulusKind, script_text
from syncfabric.sim.fabric import Fabric, build_fabric
from syncfabric.sim.fabric.program import GroupCount
from syncfabric.sim.simulators import Built
from tests.sim.drive.networks import members, plan_of
from tests.sim.drive.test_tiles import CLUSTERS, NETWORKS

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


def give(fabric: Fabric, stimuli: list[Stimulus], folder: Path) -> None:
    """Hand in a script."""
    script = folder / "script.txt"
    script.write_text(script_text(stimuli))
    fabric.script(script)


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


@pytest.mark.long
def test_traffic_finds_its_way_through_switches(built_cluster: Built, tmp_path: Path) -> None:
    with Fabric(built_cluster) as fabric:
        assert len(with_traffic(fabric, tmp_path)) == 24


def test_config_finds_nodes_and_switches_and_no_others(
    built_cluster: Built, tmp_path: Path
) -> None:
    """A word that was written, at the last of 24 nodes, the last of 12 switches, and beyond."""
    with Fabric(built_cluster) as fabric:
        fabric.probe(tmp_path / "probe.txt")
        writes = [
            Stimulus(cycle, StimulusKind.CONFIG, target << 12 | 1, 0x30, 1)
            for cycle, target in ((10, 23), (20, 35), (30, 36))
        ]
        reads = [Stimulus(write.cycle + 5, StimulusKind.CONFIG, write.index) for write in writes]
        give(fabric, sorted(writes + reads, key=lambda stimulus: stimulus.cycle), tmp_path)
        fabric.run(100)
        fabric.probe(None)
        give(fabric, [Stimulus(110, StimulusKind.CONFIG, 23 << 12 | 1)], tmp_path)
        fabric.run(100)
    lines = (tmp_path / "probe.txt").read_text().splitlines()
    assert [line.split()[-1] for line in lines] == ["c0:0", "c0:30", "c0:0", "c0:30"]


def start(fabric: Fabric, folder: Path, *, outsider: bool = False) -> None:
    """Set up a group of three, and let its members arrive; perhaps await one who never does."""
    plan = plan_of(NETWORK, members(9, (0, 0), (4, 0), (2, 3)))
    writes = [
        Stimulus(cycle, StimulusKind.CONFIG, node << 12 | address, word, 1)
        for cycle, (node, address, word) in enumerate(config_writes(plan), 1)
    ]
    end = len(writes) + 1
    give(fabric, [*writes, Stimulus(end, StimulusKind.START)], folder)
    fabric.run(end + 1)
    fabric.group(9, [(0, 0), (4, 0), (17, 0), *([(24, 3)] if outsider else [])])
    fabric.members(seed=5, jitter=7)
    fabric.run(2_000)


def test_the_referee_counts_barriers_by_their_latency(fabric: Fabric, tmp_path: Path) -> None:
    start(fabric, tmp_path)
    (count,) = fabric.watch()
    assert (count.gid, count.errors) == (9, 0)
    assert count.episodes > 50
    assert min(count.latencies) > 0


def test_the_referee_sees_releases_before_the_last_arrival(fabric: Fabric, tmp_path: Path) -> None:
    start(fabric, tmp_path, outsider=True)
    (count,) = fabric.watch()
    assert count.errors > 0
    assert count.episodes == 0


def test_episodes_are_counted_over_all_latencies() -> None:
    assert GroupCount(1, 0, {7: 2, 9: 40}).episodes == 42


def test_its_memory_can_be_asked_for(fabric: Fabric) -> None:
    fabric.run(10)
    assert 1_000_000 < fabric.peak_memory() < 1_000_000_000


def test_a_fabric_that_ends_is_told_with_the_command(built: Built) -> None:
    message = r"^the simulation of the network ended at 'report', exit code -9: $"
    fabric = Fabric(built)
    fabric.run(10)
    fabric._process.kill()
    with pytest.raises(ToolError, match=message):
        fabric.report()
