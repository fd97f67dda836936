"""The experiments of paper BTM: SPEC's references by small runs, and what they count."""

import functools
from typing import Any

import numpy as np
import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.timing.btm import Timing
from syncfabric.sim.drive.backends import plan_of
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.papers import btm_groups
from syncfabric.sim.experiments.papers.btm_groups import Measured, Point, count
from tests.sim.experiments.papers.done import ours, work_of

SMALL: dict[str, Any] = {"side": 4, "large_side": 8, "members": 16}
PAPER = Timing()
BTM = [name for name in EXPERIMENTS if name.startswith("btm-")]


def point_of(side: int, size: int, runs: int = 12) -> Point:
    return Point(side, size, **count(side, size, 1, runs))


def test_what_the_traffic_claim_depends_on() -> None:
    """SPEC: above the CS tree that joins early; of the union not between 32 and 256 on 32x32."""
    links = {size: point_of(32, size) for size in (16, 64, 128, 512)}
    for size, point in links.items():
        own, union = np.mean(point.links), np.mean(point.cs_links)
        assert own > np.mean(point.nearest_links)
        assert (own > union) == (size in (16, 512))


@pytest.mark.parametrize("name", BTM)
def test_every_experiment_runs_on_small_meshes(name: str) -> None:
    work = work_of(name, 3, **SMALL)
    assert work.claims
    assert work.series
    assert not any("RTL" in label for label in work.series)
    values = [y for points in work.series.values() for _, y in points]
    assert np.isfinite(values).all()


@pytest.mark.parametrize("name", BTM)
def test_claims_for_more_members_than_nodes_are_refused(name: str) -> None:
    expected = r"^--set members: a mesh of 4x4 has 16 nodes, not 17; take fewer members"
    with pytest.raises(SpecError, match=expected):
        work_of(name, **SMALL | {"members": 17})


def test_papers_values_stand_only_beside_the_papers_groups() -> None:
    for name in ("btm-fig5", "btm-fig7"):
        numbers = [c.paper for c in work_of(name, 3, **SMALL).claims if isinstance(c.paper, float)]
        assert not [number for number in numbers if number in (1.3, 1.4, 1.6, 1.7, 1.8)]


@functools.cache
def measured(side: int, seed: int) -> list[Measured]:
    return btm_groups.run(side, seed)


@pytest.mark.usefixtures("by_model")
def test_messages_pass_the_links_that_are_counted_in_the_cycles_of_the_bound() -> None:
    for found in measured(4, 1):
        runs = 1 if found.size == 16 else 5
        counted = point_of(4, found.size, runs)
        assert found.links["btm"] == np.mean(counted.links)
        assert found.links["cs"] == np.mean(counted.cs_links)
    network = MeshSpec(kind="mesh", width=4, height=4, transport="routed", data_bits=0)
    for planner, cycles in measured(4, 1)[-1].cycles.items():  # of all of 4x4 together
        assert cycles == plan_of(network, planner=planner).groups[0].bound


@pytest.mark.usefixtures("by_model")
def test_rtl_is_beside_the_formulas_and_in_nanoseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    measured(4, 1)
    monkeypatch.setattr(btm_groups, "run", measured)
    work = work_of("btm-fig5", 3, rtl=True, **SMALL, rtl_side=4)
    assert dict(work.series["BTM, 4x4, RTL"])[16] == 20 * 20
    found = ours(work)
    assert found["latency of CS, ns, 16 members, 4x4, RTL"] == 19 * 20
    assert found["BTM is faster than CS, times, 16 members, 4x4, RTL"] == pytest.approx(19 / 20)
    traffic = work_of("btm-fig6", 3, rtl=True, **SMALL, rtl_side=4)
    assert "CS, 4x4, RTL" in traffic.series


@pytest.mark.nightly
def test_hardware_and_model_measure_the_same(request: pytest.FixtureRequest) -> None:
    in_hardware = btm_groups.run(4, 1)
    request.getfixturevalue("by_model")
    assert measured(4, 1) == in_hardware
