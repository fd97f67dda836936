"""The experiments of paper BTIN on the RTL; here the golden model stands in for it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive import tiles as measured
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.simulate import run_model
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers.btin_latency import run
from syncfabric.sim.experiments.papers.btin_networks import Drawn, Found, look
from syncfabric.sim.experiments.papers.btin_traffic import node_links

RTL = {"rtl_nodes": 6, "rtl_switches": 2}


def _work(name: str, **chosen: float) -> Work:
    work = Work(EXPERIMENTS[name], runs=1, chosen=dict(chosen) | RTL, rtl=True, clock_mhz=50.0)
    work.experiment.function(work)
    return work


@pytest.fixture
def _by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the golden model stand in for the RTL, which it is compared with elsewhere."""
    monkeypatch.setattr(measured, "build_fabric", lambda network: None)
    monkeypatch.setattr(measured, "simulate_tiles", lambda job, built: run_model(job))


@pytest.mark.usefixtures("_by_model")
def test_flits_pass_the_links_that_are_counted() -> None:
    rows = run(12, 5, 8, 0.75, 1, [4, 12])
    found = look(12, 5, 8, 0.75, [1], [4, 12])[0]
    for size, values in zip((4, 12), found, strict=True):
        counted = Found(*values)
        links = {scheme: between for scheme, members, _, between in rows if members == size}
        assert links == {s: getattr(counted, s) for s in ("btin", "multicast", "unicast")}


@pytest.mark.usefixtures("_by_model")
def test_all_members_arrive_together_and_pass_the_links_of_nodes_too() -> None:
    rows = {scheme: cycles for scheme, _, cycles, _ in run(12, 5, 8, 0.75, 1, [5])}
    topology = Drawn(12, 5, 8, 0.75).draw(1)
    network = IrregularSpec(
        kind="irregular",
        transport="link",
        ports=8,
        switches=5,
        links=topology.links,
        nodes=topology.nodes,
        data_bits=0,
        buffer_flits=1,
    )
    members = tuple(random.Random(1).sample(topology.nodes, 5))
    groups = (GroupSpec(id=1, members=members, planner="btin"),)
    plan = make_plan(NetworkSpec(name="little", network=network, groups=groups))
    for scheme in ("btin", "multicast", "unicast"):
        scenario = Scenario(episodes=1, scheme=scheme, policy="together")
        (outcome,) = measured.measure(plan, [scenario])
        assert outcome.scheme is not None
        assert outcome.scheme.beside == [node_links(scheme, 5)]
        assert outcome.scheme.cycles == [rows[scheme]]


@pytest.mark.usefixtures("_by_model")
def test_the_rtl_s_cycles_are_points_at_the_assumed_clock() -> None:
    work = _work("btin-fig6", nodes=8, switches=3, large_nodes=8, large_switches=3)
    rows = run(6, 2, 8, 0.75, 1, [2, 4, 6])
    cycles = {(scheme, members): took for scheme, members, took, _ in rows}
    assert work.series["multicast (6, 2), RTL"] == [
        (size, cycles["multicast", size] / 50) for size in (2, 4, 6)
    ]
    ours = {claim.claim: claim.ours for claim in work.claims}
    assert ours["multicast over BTIN, all 6 members of (6, 2), RTL"] == pytest.approx(
        cycles["multicast", 6] / cycles["btin", 6]
    )
    assert "BTIN (8, 3), RTL" in work.series
    eight = _work("btin-fig8", nodes=24, switches=8)
    assert [label for label in eight.series if label.endswith("RTL")] == [
        f"{name} (6, 2; {f} %), RTL" for f in (50, 70, 90) for name in ("BTIN", "multicast")
    ]
    assert all(np.isfinite([y for p in eight.series.values() for _, y in p]))


@pytest.mark.usefixtures("_by_model")
def test_traffic_on_the_rtl_is_that_of_the_same_draws() -> None:
    work = _work("btin-fig7", nodes=8, switches=3, large_nodes=6, large_switches=2)
    for scheme in ("BTIN", "multicast", "unicast"):
        for size in ("6, 2", "8, 3"):
            assert work.series[f"{scheme} ({size}), RTL"] == work.series[f"{scheme} ({size})"]
