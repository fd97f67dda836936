"""Arithmetic on runs, against plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.planning.btm import quadrant
from syncfabric.models.planning.segments import Segments, quadrants

RUNS = st.lists(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, unique=True),
    min_size=1,
)


@given(RUNS)
def test_runs(lists: list[list[tuple[int, int]]]) -> None:
    keys = np.repeat(np.arange(len(lists)), [len(run) for run in lists])
    first = np.array([a for run in lists for a, _ in run])
    second = np.array([b for run in lists for _, b in run])
    runs = Segments.of(keys)
    assert runs.lengths.tolist() == [len(run) for run in lists]
    assert runs.sum(first).tolist() == [sum(a for a, _ in run) for run in lists]
    assert runs.max(first).tolist() == [max(a for a, _ in run) for run in lists]
    assert runs.min(first).tolist() == [min(a for a, _ in run) for run in lists]
    assert runs.spread(np.arange(len(lists))).tolist() == keys.tolist()
    least = runs.first_least(first, second)
    assert [(first[i], second[i]) for i in least] == [min(run) for run in lists]
    assert keys[least].tolist() == list(range(len(lists)))


def test_quadrants_are_disjoint_and_cover_all_but_the_centre() -> None:
    side = range(-3, 4)
    dx, dy = (np.array(v) for v in zip(*((x, y) for x in side for y in side), strict=True))
    found = quadrants(dx, dy)
    for x, y, number in zip(dx.tolist(), dy.tolist(), found.tolist(), strict=True):
        inside = [x > 0 and y >= 0, y > 0 and x <= 0, x < 0 and y <= 0, y < 0 and x >= 0]
        assert inside.count(True) == (0 if x == y == 0 else 1)
        if x or y:
            assert inside[number]
            assert quadrant(x, y) == number
