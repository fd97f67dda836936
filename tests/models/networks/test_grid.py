"""Grids: the routers on a path, and the path back."""

import random

from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.networks.grid import Grid

GRIDS = (
    *(Grid((5, 4), pairs=True), Grid((5, 4)), Grid((3, 2, 4))),
    *(Grid((5,), wraps=True), Grid((6,), wraps=True), Grid((4, 2, 3), wraps=True)),
)


@given(st.sampled_from(GRIDS), st.randoms(use_true_random=False))
def test_paths_are_shortest_and_the_opposite_order_goes_back_over_them(
    grid: Grid, rng: random.Random
) -> None:
    a, b = rng.randrange(grid.routers), rng.randrange(grid.routers)
    order = range(len(grid.sides))[:: rng.choice((1, -1))]
    path, back = grid.path(a, b, order), grid.path(b, a, order[::-1])
    assert [grid.axis_of(port) for _, port in path] == sorted(
        (grid.axis_of(port) or 0 for _, port in path), reverse=order.step < 0
    )
    ends = {}
    for router in range(grid.routers):
        for axis, side in enumerate(grid.sides):
            place = list(grid.place(router))
            place[axis] = (place[axis] + 1) % side
            there = grid.router(place)
            assert there is not None
            if there != router and (place[axis] or (grid.wraps and side > 2)):
                up, down = grid.axes[axis]
                ends[router, up], ends[there, down] = there, router
    here, crossed = a, [a]
    for router, port in path:
        assert router == here
        here = ends[router, port]
        crossed.append(here)
    assert here == b
    assert crossed[::-1] == [router for router, _ in back] + [a]
    apart = 0
    for one, other, side in zip(grid.place(a), grid.place(b), grid.sides, strict=True):
        far = abs(one - other)
        apart += min(far, side - far) if grid.wraps else far
    assert len(path) == apart
