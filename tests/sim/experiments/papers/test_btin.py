"""The experiments of paper BTIN: SPEC's references by small runs, and what they count."""

from typing import Any

import numpy as np
import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers.btin_networks import NAMES, run
from tests.sim.experiments.papers.done import ours, work_of

TINY: dict[str, Any] = {"nodes": 24, "switches": 8}
BOTH: dict[str, Any] = {**TINY, "large_nodes": 48, "large_switches": 16}


def test_figure_6_has_every_claim_with_its_note() -> None:
    work = work_of("btin-fig6", 1)
    papers = [claim.paper for claim in work.claims]
    for value in (11.5, 120.5, 109 / 1023, 3.8, 3.3, 1.8):
        assert value in papers
    notes = {claim.paper: claim.note for claim in work.claims}
    own = 11.5 / (120.5 / 3.3 / 3.8)
    assert notes[1.8].endswith(f"it is {own:.1f}")
    assert notes[120.5].startswith("read as T + (n - 1) t_r / c")
    assert work.series["BTIN (1024, 300), paper"] == [(1024, 11.5)]
    by_size = {s: dict(work.series[f"{s} (1024, 300), ours"]) for s in ("BTIN", "multicast")}
    c = 0.75 * 8 - 1024 / 300
    for size, us in by_size["multicast"].items():
        assert us - by_size["BTIN"][size] == pytest.approx((size - 1) * 0.3 / c)
    theorem = [claim.paper for claim in work.claims if "Theorem 1" in claim.claim]
    assert theorem == pytest.approx([12.0, 15.0], abs=0.05)


@pytest.mark.parametrize("name", ["btin-fig6", "btin-fig7", "btin-fig8"])
def test_the_paper_s_values_stand_only_beside_its_own_networks(name: str) -> None:
    """Words and formulas stand; a reading of ours may be changed."""
    published = {11.5, 120.5, 109 / 1023, 3.8, 3.3, 1.8, 46.8, 88.6, 8.7, 4.1, 3.2}
    other = work_of(name, **TINY)
    assert not published & {claim.paper for claim in other.claims}
    assert not [label for label in other.series if label.endswith("paper")]
    if name != "btin-fig7":
        read = work_of(name, t_in=300.0)
        assert published & {claim.paper for claim in read.claims}


def test_every_time_is_a_parameter() -> None:
    usual = work_of("btin-fig6", **BOTH).series
    both = {**BOTH, "t_s": 3000.0, "t_p": 30.0, "t_r": 400.0, "t_in": 500.0, "t_out": 700.0}
    changed = work_of("btin-fig6", **both).series
    for size, us in usual["BTIN (24, 8), ours"]:
        d = (us - 4 - 0.6) / 2 / 0.32
        slow = 2 * (3 + d * 0.03 + (d + 1) * 0.4)
        assert dict(changed["BTIN (24, 8), ours"])[size] == pytest.approx(slow)
        multicast, unicast = (
            dict(changed[f"{s} (24, 8), ours"])[size] for s in ("multicast", "unicast")
        )
        assert multicast == pytest.approx(slow + (size - 1) * 0.5)
        assert unicast == pytest.approx(multicast + (size - 2) * 0.7)


def test_figure_8_says_what_cannot_be() -> None:
    work = work_of("btin-fig8", 4)
    (low,) = (claim for claim in work.claims if claim.paper == 8.7)
    assert low.note == (
        "impossible as stated: 22 links cannot connect 75 switches; with 74, and the c of 22"
    )
    assert [claim.note for claim in work.claims if claim.paper in (4.1, 3.2)] == ["", ""]
    found = ours(work)
    assert found["the same with the network's own c"] == pytest.approx(3.8, abs=0.5)
    assert found["the greater the connectivity, the greater that ratio"] == "no"


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"connectivity": 0.4}, r"connectivity = 0.4 leaves no port for links, since 256 nodes"),
        ({"switches": 20}, r"nodes = 256 is too many for 20 switches of 8 ports"),
    ],
)
def test_networks_that_cannot_be_are_refused_before_thework_of(
    chosen: dict[str, float], message: str
) -> None:
    begun = Work(EXPERIMENTS["btin-fig6"], runs=100, chosen=dict(chosen))
    with pytest.raises(SpecError, match=message):
        begun.experiment.function(begun)
    assert begun.series == {}


RTL: dict[str, Any] = {"rtl_nodes": 6, "rtl_switches": 2}


@pytest.mark.usefixtures("by_model")
def test_the_rtl_s_cycles_are_points_at_the_assumed_clock() -> None:
    work = work_of(
        "btin-fig6", rtl=True, **RTL, nodes=8, switches=3, large_nodes=8, large_switches=3
    )
    rows = run(6, 2, 8, 0.75, 1, [2, 4, 6])
    cycles = {(scheme, members): took for scheme, members, took, _ in rows}
    assert work.series["multicast (6, 2), RTL"] == [
        (size, cycles["multicast", size] / 50) for size in (2, 4, 6)
    ]
    assert ours(work)["multicast over BTIN, all 6 members of (6, 2), RTL"] == pytest.approx(
        cycles["multicast", 6] / cycles["btin", 6]
    )
    assert "BTIN (8, 3), RTL" in work.series
    eight = work_of("btin-fig8", rtl=True, **RTL, nodes=24, switches=8)
    assert [label for label in eight.series if label.endswith("RTL")] == [
        f"{name} (6, 2; {f} %), RTL" for f in (50, 70, 90) for name in ("BTIN", "multicast")
    ]
    assert all(np.isfinite([y for p in eight.series.values() for _, y in p]))


@pytest.mark.usefixtures("by_model")
def test_traffic_on_the_rtl_is_that_of_the_same_draws() -> None:
    work = work_of(
        "btin-fig7", rtl=True, **RTL, nodes=8, switches=3, large_nodes=6, large_switches=2
    )
    for scheme in NAMES.values():
        for size in ("6, 2", "8, 3"):
            assert work.series[f"{scheme} ({size}), RTL"] == work.series[f"{scheme} ({size})"]
