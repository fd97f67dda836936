"""Paper BTM's latency formulas, against the values its figures give."""

import random
from dataclasses import replace

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.timing.btm import Timing, cs_depth, cs_formula_ns, formula_ns


def test_one_path_by_hand() -> None:
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
    tree, timing = build_tree(Mesh(32, 32).nodes), replace(Timing(), t_rm=t_rm)
    assert cs_formula_ns(tree, timing) / formula_ns(tree, timing) == pytest.approx(ratio, abs=5e-4)


@pytest.mark.parametrize("k", [8, 64])
def test_depth_of_the_cs_tree(k: int) -> None:
    assert cs_depth(build_tree(Mesh(k, k).nodes)) == k


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"t_s": -1}, r"^Timing: t_s must be 0 to 100000 ns, not -1$"),
        ({"t_p": 1001}, r"^Timing: t_p must be 0 to 1000 ns, not 1001$"),
        ({"t_rn": float("nan")}, r"^Timing: t_rn must be 0 to 1000 ns, not nan$"),
        ({"t_rm": 1e9}, r"^Timing: t_rm must be 0 to 10000 ns, not 1000000000.0$"),
    ],
)
def test_times_out_of_range_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Timing(**changes)
