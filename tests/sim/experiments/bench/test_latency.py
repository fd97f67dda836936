"""Barriers of meshes and irregular networks, on wires or not, by the golden model."""

from dataclasses import replace

import pytest

from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.drive.backends import plan_of
from syncfabric.sim.experiments import alone
from syncfabric.sim.experiments.bench import latency, speed
from syncfabric.sim.experiments.bench.measures import mesh
from tests.sim.experiments.bench.conftest import met, rows_of


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, by_model: None) -> None:
    monkeypatch.setattr(latency, "SIDES", (2, 4))
    monkeypatch.setattr(latency, "RANDOM", {4: 5})
    monkeypatch.setattr(latency, "CLUSTERS", ("cluster-fig1",))
    monkeypatch.setattr(latency, "REGISTERS", (0, 2))
    monkeypatch.setattr(latency, "WIRE_OPTIONS", ({"wires": 1, "channels": 0},))
    monkeypatch.setattr(latency, "MANY_GROUPS", (("4x4", 3), ("cluster-fig1", 2)))
    monkeypatch.setattr(latency, "FEWEST", 3)
    monkeypatch.setattr(latency, "MOST", 9)
    monkeypatch.setattr(latency, "EPISODES", 10)


def test_alone_the_greatest_is_the_bound() -> None:
    rows = rows_of(latency.wire_latency)
    assert all(map(met, rows))
    found = {row.claim.partition(" (")[0]: (str(row.ours), str(row.paper)) for row in rows}
    assert found["2x2, all members, link_registers 0"][1] == "= 6"
    assert found["4x4, all members, link_registers 2"][1] == "= 26"
    assert found["8x8, all members, wires = 1, channels = 0"] == ("10 / 14 / 18", "= 18")
    cluster = found["cluster-fig1, 14 members, link_registers 2"]
    assert cluster[0].endswith("/ " + cluster[1].removeprefix("= "))
    assert any("5 random members" in figure for figure in found)


@pytest.mark.parametrize(("keys", "met_below"), [({"wires": 1}, False), ({}, True)])
def test_less_than_the_bound_is_a_miss_on_wires_alone(
    keys: dict[str, object], met_below: bool
) -> None:
    group, found = alone.alone(mesh(2, 2, keys))
    for more, met_ in ((0, True), (1, met_below), (-1, False)):
        changed = replace(group, bound=found[0].worst + more)
        assert met(latency.latency_row("2x2", changed, found)) is met_


def test_every_planner_has_a_row_and_wires_one_for_the_diameter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def measured(
        network: MeshSpec, members: latency.Members = None, planner: str = ""
    ) -> tuple[GroupPlan, list[alone.Took]]:
        (group,) = plan_of(network, members, planner).groups
        return group, [alone.Took([7, 36, 8])]

    monkeypatch.setattr(latency, "alone", measured)
    rows = {row.claim.partition(" (")[0]: row for row in rows_of(latency.barrier_latency)}
    assert len(rows) == 6 * len(latency.VARIANTS) + 4
    fig_1 = rows["8x8, Fig. 1's 14 members, btm, transport routed"]
    assert (fig_1.ours, fig_1.paper, met(fig_1)) == ("7 / 8 / 36", "<= 28", False)
    wires = rows["16x16, all members, wires, wires 1"]
    assert (wires.ours, wires.paper, met(wires)) == ("7 / 8 / 36", "= 34", False)
    diameters = {name: row for name, row in rows.items() if name.endswith(": diameter + 6")}
    assert [(row.ours, row.paper, met(row)) for row in diameters.values()] == [
        ("36", f"<= {2 * (side - 1) + 6}", side == 16) for side in (2, 4, 8, 16)
    ]


def test_others_add_nothing() -> None:
    rows = rows_of(latency.wires_beside)
    assert [met(row) for row in rows] == [True, True, None, None] * 2
    assert [row.ours for row in rows if met(row)] == ["30 of 30"] * 2 + ["20 of 20"] * 2
    over = [str(row.ours) for row in rows if met(row) is None]
    assert not all(words.startswith("0 of") for words in over)


def test_an_episode_that_is_longer_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [[[6, 4]], [[6]], [[6, 4], [7]], [[6, 4], [6]], [[6, 4], [6]], [[6, 4], [6]]]
    monkeypatch.setattr(latency, "MANY_GROUPS", (("2x2", 2),))
    monkeypatch.setattr(latency, "FEWEST", 2)
    monkeypatch.setattr(latency, "MOST", 3)
    monkeypatch.setattr(latency, "_latencies", lambda plan, rate: found.pop(0))
    first, second, *_ = rows_of(latency.wires_beside)
    assert (first.ours, met(first)) == ("2 of 3", False)
    assert (second.ours, met(second)) == ("3 of 3", True)


def test_wires_stand_beside_messages_and_software(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight members: a tree of wires of L = 3 takes 9 cycles, BTIN's of messages 13."""
    monkeypatch.setattr(latency, "SIZES", (8,))
    found = rows_of(latency.schemes)
    rows = {row.claim.partition(", buffer_flits ")[2]: str(row.ours) for row in found}
    assert rows["1, all together"] == "13 / 25 / 42 / 9; 1.9 / 3.2 / 0.7 times"
    assert rows["8, worst, one late"] == "9 / 18 / 9; 2.0 / 1.0 times"
    links = rows["1, links between switches"].partition(";")[0].split(" / ")
    beside = rows["1, links with nodes' own"].partition(";")[0].split(" / ")
    assert links[:3] == ["16", "26", "36"]
    assert [int(b) - int(a) for a, b in zip(links, beside, strict=True)][3] == 2 * 8


@pytest.mark.nightly
def test_large_networks_are_compared_with_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    network = MeshSpec(kind="mesh", width=3, height=2, wires=1, groups=1, channels=0)
    groups = (GroupSpec(id=1, members=tuple(network.topology.nodes)),)
    spec = NetworkSpec(name="little", network=network, groups=groups)
    monkeypatch.setattr(speed, "load", lambda name: spec)
    monkeypatch.setattr(speed, "LONG", 40)
    monkeypatch.setattr(speed, "MEMBERS", 2)
    compared, long, written, large, few = rows_of(speed.wire_speed)
    assert met(compared)
    assert long.paper == ">= 20,000"
    assert written.claim.startswith("little: 0.")
    assert (large.paper, met(large)) == ("match, 6 cycles", True)
    assert (few.claim, met(few)) == ("little, 2 members, long run", True)


def test_no_barrier_takes_longer_than_its_bound(
    monkeypatch: pytest.MonkeyPatch, by_model: None
) -> None:
    monkeypatch.setattr(latency, "TOPOLOGIES", ("torus-4x4", "fat-tree-2x2", "hypercube-8"))
    rows = rows_of(latency.topology_barriers)
    assert all(map(met, rows))
    assert {row.claim: f"{row.ours}, {row.paper}" for row in rows} == {
        "torus-4x4, 16 nodes (L 4, h 4)": "7 / 9 / 11, <= 13",
        "torus-4x4, 16 nodes, btm (L 4, h 3)": "10 / 15 / 17, <= 20",
        "torus-4x4, the others long before: greatest, bound if nothing waits": "11, = 11",
        "fat-tree-2x2, the others long before: greatest, bound if nothing waits": "5, = 5",
        "hypercube-8, the others long before: greatest, bound if nothing waits": "9, = 9",
        "torus-4x4, on wires, the others long before: greatest, bound": "10, = 10",
        "fat-tree-2x2, on wires, the others long before: greatest, bound": "5, = 5",
        "hypercube-8, on wires, the others long before: greatest, bound": "8, = 8",
        "fat-tree-2x2, 4 nodes (L 2, h 1)": "5 / 5 / 5, <= 9",
        "hypercube-8, 8 nodes (L 3, h 3)": "6 / 7.5 / 9, <= 11",
        "hypercube-8, 8 nodes, btm (L 3, h 3)": "9 / 13 / 15, <= 15",
    }
