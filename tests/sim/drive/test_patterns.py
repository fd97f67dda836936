"""Traffic by patterns: hardware and golden model agree, and packets go where they are to."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.patterns import ANY, NAMES, UNIFORM, pattern_of
from syncfabric.sim.drive.long_run import long_run
from syncfabric.sim.drive.run import run
from syncfabric.sim.request import RunRequest
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of

MESH, CLUSTER = mesh(4, 4), irregular(SMALL)


def destinations(network: MessageSpec, pattern: str, folder: Path, sim: str) -> list[Counter[int]]:
    """Run, and return how many packets of each node were for which other, by the log."""
    topology, log = network.topology, folder / "log.csv"
    plan = plan_of(network, members(1, *topology.nodes))
    result = run(plan, RunRequest(sim=sim, episodes=20, background=0.2, pattern=pattern, log=log))
    assert result.verdict == "match", result.mismatches
    assert result.traffic.pattern == pattern
    seen = [Counter[int]() for _ in topology.nodes]
    with log.open(newline="") as rows:
        for row in csv.DictReader(rows):
            if row["kind"] == "packet":
                ends = [tuple(map(int, row[end].split(","))) for end in ("source", "destination")]
                source, destination = (topology.index((x, y)) for x, y in ends)
                seen[source][destination] += 1
    return seen


@pytest.mark.parametrize(
    ("network", "pattern"),
    [
        *((MESH, name) for name in NAMES if name != UNIFORM),
        (MESH, "hotspot:1:1,1:2,3"),
        pytest.param(CLUSTER, "transpose", marks=pytest.mark.nightly),
        pytest.param(CLUSTER, "neighbour", marks=pytest.mark.nightly),
    ],
)
def test_every_packet_is_for_the_goal(network: MessageSpec, pattern: str, tmp_path: Path) -> None:
    goals = pattern_of(network.topology, pattern).goals
    seen = destinations(network, pattern, tmp_path, "verilator")
    for node, (counts, goal) in enumerate(zip(seen, goals, strict=True)):
        assert set(counts) == (set() if goal == node else {goal}) or goal == ANY


def test_a_share_is_for_the_hot_node_and_the_rest_is_uniform(tmp_path: Path) -> None:
    hot = MESH.topology.index((2, 1))
    seen = destinations(MESH, "hotspot:0.5:2,1", tmp_path, "verilator")
    assert not seen[hot][hot]
    to_hot = sum(counts[hot] for counts in seen)
    others = sum(counts.total() for node, counts in enumerate(seen) if node != hot)
    assert to_hot / others == pytest.approx(0.5 + 0.5 / 15, abs=0.08)
    assert len(sum(seen, Counter())) == 16


@pytest.mark.nightly
@pytest.mark.icarus
def test_the_networks_own_top_has_goals_too(tmp_path: Path) -> None:
    network = mesh(2, 2)
    seen = destinations(network, "bit-complement", tmp_path, "icarus")
    assert [set(counts) for counts in seen] == [{3}, {2}, {1}, {0}]


def test_rates_are_of_the_nodes_that_send() -> None:
    """Four of sixteen send nothing: what the others offer is accepted, and no saturation."""
    plan = plan_of(MESH, members(1, *MESH.topology.nodes))
    for result in (
        run(plan, RunRequest(sim="model", episodes=150, background=0.2, pattern="transpose")),
        long_run(plan, RunRequest(episodes=150, background=0.2, pattern="transpose")),
    ):
        assert result.traffic.accepted == pytest.approx(0.2, rel=0.07)
        assert not result.traffic.saturated
        assert result.traffic.pattern == "transpose"
