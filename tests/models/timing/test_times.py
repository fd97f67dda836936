"""Every model's times, what its messages and trees take, against values of the papers' figures."""

import random
from dataclasses import dataclass, replace

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.timing import btin, btm
from syncfabric.models.timing.btin import PacketTiming, heights, packets_ns
from syncfabric.models.timing.btm import cs_formula_ns, formula_ns
from syncfabric.models.timing.loggp import INFINIBAND, TILE64, TILE64_CYCLE_NS, LogGP
from syncfabric.models.timing.times import Times, ns

BY_HAND = LogGP(L=1_000.0, o=100.0, g=10.0, G=0.5, h=1.0)


@dataclass(frozen=True)
class Pair(Times):
    low: float = ns(0, 5, "the lower one")
    high: float = ns(10, 10, "the higher one")


def test_limits_are_within_and_each_field_has_its_own() -> None:
    assert (Pair().low, Pair().high) == (0, 10)
    assert Pair(5, 0) == replace(Pair(), low=5, high=0)
    assert Pair.most_ns() == {"low": 5, "high": 10}


@pytest.mark.parametrize(
    ("model", "changes", "message"),
    [
        (Pair, {"low": 5.1}, "Pair: low must be 0 to 5 ns, not 5.1"),
        (btm.Timing, {"t_s": -1}, "Timing: t_s must be 0 to 100000 ns, not -1"),
        (btm.Timing, {"t_p": 1001}, "Timing: t_p must be 0 to 1000 ns, not 1001"),
        (btm.Timing, {"t_rn": float("nan")}, "Timing: t_rn must be 0 to 1000 ns, not nan"),
        (btm.Timing, {"t_rm": 1e9}, "Timing: t_rm must be 0 to 10000 ns, not 1000000000.0"),
        (btin.Timing, {"t_s": -1}, "Timing: t_s must be 0 to 100000 ns, not -1"),
        (btin.Timing, {"t_p": 1001}, "Timing: t_p must be 0 to 1000 ns, not 1001"),
        (btin.Timing, {"t_r": float("nan")}, "Timing: t_r must be 0 to 10000 ns, not nan"),
        (PacketTiming, {"t_in": 1e6}, "PacketTiming: t_in must be 0 to 100000 ns, not 1000000.0"),
        (PacketTiming, {"t_out": -2}, "PacketTiming: t_out must be 0 to 100000 ns, not -2"),
        (LogGP, {"L": -1}, "LogGP: L must be 0 to 1000000 ns, not -1"),
        (LogGP, {"o": 1e7}, "LogGP: o must be 0 to 1000000 ns, not 10000000.0"),
        (LogGP, {"g": float("nan")}, "LogGP: g must be 0 to 1000000 ns, not nan"),
        (LogGP, {"G": 10_001}, "LogGP: G must be 0 to 10000 ns, not 10001"),
        (LogGP, {"h": float("inf")}, "LogGP: h must be 0 to 100000 ns, not inf"),
    ],
)
def test_times_out_of_range_are_refused(
    model: type[Times], changes: dict[str, float], message: str
) -> None:
    with pytest.raises(PlanError) as error:
        model(**changes)
    assert str(error.value) == message


@pytest.mark.parametrize(("hops", "message", "access"), [(0, 1_200, 2_400), (7, 1_207, 2_414)])
def test_a_message_pays_both_ends_and_each_hop_once(
    hops: int, message: float, access: float
) -> None:
    """LogP: a remote read takes 2 L + 4 o; the hops come to it twice."""
    assert (BY_HAND.message_ns(hops), BY_HAND.access_ns(hops)) == (message, access)


def test_presets_are_what_was_measured() -> None:
    """700 MHz; there and back 11.384 µs, o 1.052 and 1.085 µs, g 0.940 µs, 0.497 ns a byte."""
    assert TILE64.h == TILE64_CYCLE_NS == pytest.approx(1.4286, abs=1e-4)
    assert INFINIBAND.message_ns(0) == pytest.approx(11_384.472 / 2, rel=2e-3)
    assert INFINIBAND.o == pytest.approx((1_052.192 + 1_084.834) / 2, rel=2e-3)
    assert INFINIBAND.g == pytest.approx(940.152, rel=2e-3)
    assert abs(INFINIBAND.G - 0.497) < 0.005


def test_btm_by_hand() -> None:
    """Root (1, 0), one child two hops away: d = 2, h = 1."""
    tree = build_tree([(1, 0), (3, 0)])
    assert formula_ns(tree) == 2 * (1000 + 2 * 5 + 1 * 5 + 2 * 30)
    assert cs_formula_ns(tree) == 2 * (1000 + 2 * 5 + 3 * 30)


def test_the_worst_path_is_one_path() -> None:
    """The farthest member and the deepest one differ: their d and h are not mixed."""
    tree = build_tree([(4, 0), (0, 0), (5, 0), (6, 0), (7, 0)])
    sums = [
        2 * (1000 + d * 5 + (d - h) * 5 + (h + 1) * 30)
        for d, h in zip(tree.hops.tolist(), tree.depth.tolist(), strict=True)
    ]
    assert formula_ns(tree) == max(sums)


@pytest.mark.parametrize(("k", "ratio"), [(32, 1.405), (64, 1.684)])
def test_speedup_of_1024_members(k: int, ratio: float) -> None:
    rng, nodes = random.Random(k), Mesh(k, k).nodes
    trees = [build_tree(rng.sample(nodes, 1024)) for _ in range(20)]
    speedup = sum(map(cs_formula_ns, trees)) / sum(map(formula_ns, trees))
    assert speedup == pytest.approx(ratio, abs=0.03)


@pytest.mark.parametrize(("t_rm", "ratio"), [(20, 1.247), (40, 1.550), (60, 1.805)])
def test_speedup_by_routing_delay(t_rm: float, ratio: float) -> None:
    tree, timing = build_tree(Mesh(32, 32).nodes), replace(btm.Timing(), t_rm=t_rm)
    assert cs_formula_ns(tree, timing) / formula_ns(tree, timing) == pytest.approx(ratio, abs=5e-4)


def test_btin_is_linear_in_the_height() -> None:
    """5.88 + 0.64 h µs at the paper's times."""
    for height in range(6):
        assert btin.formula_ns(height) == 5_880 + 640 * height
    slow = btin.Timing(t_s=10_000, t_p=40, t_r=500)
    assert btin.formula_ns(3, slow) == 2 * (10_000 + 5 * 40 + 6 * 500)


@pytest.mark.parametrize(
    ("nodes", "switches", "height", "theorem"), [(256, 75, 6.44, 12.0), (1024, 300, 9.47, 15.0)]
)
def test_theorem_1_as_printed_is_about_twice_the_mean_height(
    nodes: int, switches: int, height: float, theorem: float
) -> None:
    found = heights(8, 0.75, nodes, switches)
    assert found.mean == pytest.approx(height, abs=0.005)
    assert found.theorem == pytest.approx(theorem, abs=0.05)
    assert found.theorem > found.bound > found.mean


def test_further_messages_are_switched_by_all_links_in_turn() -> None:
    """1,023 of 300 ns over 2.587 links; the last of 1,023 sent waits for 1,022 start-ups."""
    large = 9, 1024, 6 - 1024 / 300
    m = packets_ns("multicast", *large)
    assert m == pytest.approx(11_640 + 118_647, abs=1)
    assert packets_ns("unicast", *large) == m + 1022 * 2000
    for method in ("multicast", "unicast"):
        assert packets_ns(method, 9, 2, 4) == 11_640 + 75
        assert packets_ns(method, 9, 1, 4) == btin.formula_ns(9)
    assert packets_ns("multicast", 0, 3, 4, PacketTiming(t_in=7)) == 5_880 + 14
    assert packets_ns("unicast", 0, 4, 4, PacketTiming(t_in=7, t_out=11)) == 5_880 + 21 + 22
    assert packets_ns("btin", *large[:2], -1) == btin.formula_ns(9)


def test_switches_without_links_or_branches_are_refused() -> None:
    message = (
        r"^Multicast model: a switch must have more than 0 links to others, not -0.2; "
        r"take fewer nodes, or a greater connectivity$"
    )
    with pytest.raises(PlanError, match=message):
        packets_ns("multicast", 3, 8, -0.2)
    message = (
        r"^Mean height: 75 switches with -0.413 children each make no tree; "
        r"take two or more of each$"
    )
    with pytest.raises(PlanError, match=message):
        heights(8, 0.5, 256, 75)
    with pytest.raises(PlanError, match=r"^Mean height: 1 switches with 3 children"):
        heights(8, 0.75, 2, 1)
