"""Networks of paper BTIN's experiments: SPEC's references, and what is drawn and counted."""

import random
from dataclasses import replace

import numpy as np
import pytest

from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.timing.btin import PacketTiming
from syncfabric.sim.drive import backends
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers.btin import byte_ratio, node_links
from syncfabric.sim.experiments.papers.btin_networks import (
    NAMES,
    Drawn,
    Found,
    Survey,
    look,
    run,
    survey,
)
from tests.sim.experiments.papers.done import ours, work_of
from tests.sim.experiments.papers.test_btin import BOTH


def _survey(drawn: Drawn, size: int, runs: int = 12) -> Survey:
    return survey(Work(EXPERIMENTS["btin-fig6"], runs=runs), drawn, [size])


# SPEC, section 2. A tolerance is four standard errors of twelve networks, and the SPEC's rounding.
@pytest.mark.parametrize(
    ("nodes", "switches", "f", "members", "height", "ratio"),
    [
        (256, 75, 0.75, 256, (6.3, 0.6), (3.98, 0.16)),
        (1024, 300, 0.75, 256, (9.1, 0.7), (3.52, 0.12)),
        (1024, 300, 0.75, 1024, (9.17, 0.6), (130.4 / 11.75, 0.45)),
        (256, 75, 0.70, 256, (8.5, 1.4), (4.08, 0.35)),
        (256, 75, 0.90, 256, (4.5, 0.6), (3.31, 0.15)),
        (256, 75, 0.50, 256, (12.6, 2.0), (10.3, 1.2)),
    ],
)
def test_heights_and_ratios_are_near_the_references(
    nodes: int,
    switches: int,
    f: float,
    members: int,
    height: tuple[float, float],
    ratio: tuple[float, float],
) -> None:
    drawn = Drawn(nodes, switches, 8, f)
    found = replace(_survey(drawn, members), times=PacketTiming())
    mean, away = height
    assert found.mean("height", members) == pytest.approx(mean, abs=away)
    assert found.mean_us("btin", members) == pytest.approx(5.88 + 0.64 * mean, abs=0.64 * away)
    assert found.ratio("multicast", members) == pytest.approx(ratio[0], abs=ratio[1])


@pytest.mark.parametrize(
    ("nodes", "switches", "own", "between"),
    [(256, 75, 2.8, (7.0, 7.4)), (1024, 300, 2.6, (3.3, 3.7))],
)
def test_traffic_is_near_the_references(
    nodes: int, switches: int, own: float, between: tuple[float, float]
) -> None:
    """By shortest paths, as the references seem to be: up/down paths are longer."""
    found = _survey(Drawn(nodes, switches, 8, 0.75), 256)
    btin, direct = found.mean("btin", 256), found.mean("direct", 256)
    least, most = between
    ratio = (direct + btin / 2) / btin
    assert least - 0.25 < ratio < most + 0.25
    with_own = (direct + btin / 2 + node_links("multicast", 256)) / (btin + node_links("btin", 256))
    assert with_own == pytest.approx(own, abs=0.2)
    assert ratio < found.mean("multicast", 256) / btin < 9


def test_other_readings_of_the_traffic() -> None:
    """20 and 100 links by multicast and BTIN, ten of them BTIN's edges; addresses of a byte."""
    values = np.zeros((1, 1, len(Found._fields)))
    values[0, 0, Found._fields.index("btin")] = 20
    values[0, 0, Found._fields.index("multicast")] = 100
    found = Survey(Drawn(256, 75, 8, 0.75), (16,), values, PacketTiming(), 1)
    assert byte_ratio(found, 16) == (90 * 3 + 10 * 18) / (20 * 2)


def test_links_are_as_the_connectivity_asks_but_connect_all() -> None:
    assert [Drawn(256, 75, 8, f).links for f in (0.5, 0.7, 0.75, 0.9)] == [74, 82, 97, 142]
    assert (Drawn(256, 75, 8, 0.5).links_asked, Drawn(1024, 300, 8, 0.75).links) == (22, 388)
    assert len(Drawn(256, 75, 8, 0.5).draw(3).links) == 74
    assert Drawn(256, 75, 8, 0.75).links_a_switch == pytest.approx(2 * 97 / 75)
    assert Drawn(24, 8, 8, 0.75).sizes == [2, 4, 8, 16, 24]


def test_points_are_those_of_network_files() -> None:
    """The plan of a network file with the same draws has the same heights and edges."""
    work = work_of("btin-fig6", 3, **BOTH)
    seven = work_of("btin-fig7", 3, **BOTH)
    for size in (2, 4, 8, 16, 24):
        heights, edges = [], []
        for seed in (1, 2, 3):
            text = f"""
                name = "drawn"
                [network]
                kind = "irregular"
                ports = 8
                setup = "local"
                random = {{ switches = 8, nodes = 24, connectivity = 0.75, seed = {seed} }}
                [[group]]
                id = 1
                members = {{ random = {size}, seed = {seed} }}
                planner = "btin"
            """
            (group,) = make_plan(loads(text)).engine_groups
            heights.append(group.tree.height)
            edges.append(len(group.to_json()["edges"]))
        us = 5.88 + 0.64 * sum(heights) / 3
        assert dict(work.series["BTIN (24, 8), ours"])[size] == pytest.approx(us)
        assert dict(seven.series["BTIN (24, 8)"])[size] == pytest.approx(2 * sum(edges) / 3)


def test_jobs_hold_a_few_networks_each() -> None:
    drawn = Drawn(24, 8, 8, 0.75)
    found = survey(Work(EXPERIMENTS["btin-fig6"], runs=23, seed=5), drawn)
    whole = look(24, 8, 8, 0.75, list(range(5, 28)), drawn.sizes)
    assert found.values.tolist() == whole
    assert found.values.shape == (23, 5, len(Found._fields))


@pytest.mark.usefixtures("by_model")
def test_flits_pass_the_links_that_are_counted() -> None:
    rows = run(12, 5, 8, 0.75, 1, [4, 12])
    found = look(12, 5, 8, 0.75, [1], [4, 12])[0]
    for size, values in zip((4, 12), found, strict=True):
        counted = Found(*values)
        links = {scheme: between for scheme, members, _, between in rows if members == size}
        assert links == {s: getattr(counted, s) for s in NAMES}


@pytest.mark.usefixtures("by_model")
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
    for scheme in NAMES:
        scenario = Scenario(episodes=1, scheme=scheme, policy="together")
        (outcome,) = backends.measure(plan, [scenario])
        assert outcome.scheme is not None
        assert outcome.scheme.beside == [node_links(scheme, 5)]
        assert outcome.scheme.cycles == [rows[scheme]]


@pytest.mark.nightly
def test_latencies_at_full_size() -> None:
    """SPEC's references, within what another hundred networks may differ by."""
    found = ours(work_of("btin-fig6", 100))
    for claim, reference in {
        "BTIN, all 1024 members of (1024, 300), µs": 11.75,
        "multicast, all 1024 members of (1024, 300), µs": 130.4,
        "multicast over BTIN, 256 members of (256, 75)": 3.98,
        "multicast over BTIN, 256 members of (1024, 300)": 3.52,
    }.items():
        assert found[claim] == pytest.approx(reference, rel=0.02)
