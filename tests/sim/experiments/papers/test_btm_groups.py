"""Groups of paper BTM's experiments: SPEC's references, and what is drawn and counted."""

import numpy as np
import pytest

from syncfabric.models.networks.reader import loads
from syncfabric.models.planning import btm
from syncfabric.models.timing.btm import Timing, cs_formula_ns, formula_ns
from syncfabric.sim.experiments.papers.btm_groups import Point, count, draw, sizes

PAPER = Timing()


def _point(side: int, size: int, runs: int = 12) -> Point:
    return Point(side, size, **count(side, size, 1, runs))


# SPEC, section 1: values of 100 groups, so 12 are off by their own spread; full meshes are not.
@pytest.mark.parametrize(
    ("side", "size", "t_rm", "speedup", "tolerance"),
    [
        (32, 1024, 20, 1.247, 5e-4),
        (32, 1024, 30, 1.405, 5e-4),
        (32, 1024, 40, 1.550, 5e-4),
        (32, 1024, 60, 1.805, 5e-4),
        (64, 1024, 30, 1.684, 0.04),
    ],
)
def test_speedups_are_the_references(
    side: int, size: int, t_rm: float, speedup: float, tolerance: float
) -> None:
    point = _point(side, size, runs=1 if size == side**2 else 12)
    assert point.speedup(Timing(t_rm=t_rm)) == pytest.approx(speedup, abs=tolerance)


@pytest.mark.parametrize(
    ("size", "height", "cs_height"),
    [(8, 2.06, None), (32, 3.5, None), (64, None, 4.5), (128, 4.9, 7.0), (256, 5.1, 11.2)],
)
def test_heights_are_near_the_references(
    size: int, height: float | None, cs_height: float | None
) -> None:
    """Heights of groups of one size spread by 0.5: here 60 of them, 100 in the references."""
    point = _point(32, size, runs=60)
    if height is not None:
        assert float(np.mean(point.heights)) == pytest.approx(height, abs=0.28)
    if cs_height is not None:
        assert float(np.mean(point.cs_heights)) == pytest.approx(cs_height, rel=0.1)


def test_complete_meshes_have_the_papers_heights() -> None:
    """Paper BTM, sections 3.3 and 4.2, and SPEC: log4(k²) + 1, and k."""
    for side in (2, 4, 8, 16, 32, 64):
        point = _point(side, side**2, runs=1)
        assert point.heights == [side.bit_length()]
        assert (point.cs_heights, point.depths) == ([side], [side])


def test_a_point_has_the_latency_of_its_trees() -> None:
    """At any times, also where a node outside costs more than a member."""
    found = _point(8, 20, runs=5)
    trees = [btm.build_tree(draw(8, 20, seed)) for seed in range(1, 6)]
    for times in (PAPER, Timing(t_rn=90, t_rm=2), Timing(t_s=0, t_p=7)):
        btm_ns = np.mean([formula_ns(tree, times) for tree in trees])
        cs_ns = np.mean([cs_formula_ns(tree, times) for tree in trees])
        assert found.btm_ns(times) == pytest.approx(btm_ns)
        assert found.cs_ns(times) == pytest.approx(cs_ns)


def test_draws_are_those_of_a_network_file() -> None:
    text = 'name = "n"\n[network]\nkind = "mesh"\nwidth = 8\nheight = 8\n[[group]]\nid = 1\n'
    (group,) = loads(text + "members = { random = 9, seed = 4 }\n").groups
    assert tuple(draw(8, 9, 4)) == group.members


@pytest.mark.parametrize(("side", "expected"), [(2, [4]), (4, [8, 16]), (6, [8, 16, 32, 36])])
def test_sizes_end_with_all_nodes(side: int, expected: list[int]) -> None:
    assert sizes(side) == expected
