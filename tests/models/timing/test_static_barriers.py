"""The latency formulas of rings and trees, by all runs that can be the worst."""

import itertools
import random

import pytest

from syncfabric.models.timing.static import (
    ALONE,
    ring_bound,
    ring_period,
    tree_bound,
)
from tests.models.golden.static_bench import (
    Bench,
    Group,
    cycle,
    mesh_of,
    random_tree,
    ready_bench,
    ring,
    static,
    tree,
)
from tests.models.golden.static_play import Course, Play
from tests.models.timing.exact import ring_latency, ring_worst, tree_period

Buffers = tuple[int, int, int]
"""W, B and O."""

LATE, AFTER = 400, 6
SIZES = {4: (2, 2), 6: (3, 2), 8: (4, 2), 12: (3, 4), 16: (4, 4)}
GRID = list(itertools.product((1, 2, 3), range(1, 9), (1, 2, 3)))


def after_one_late(bench: Bench, late: int | None, episodes: int = AFTER) -> Course:
    """Let one member be late, all else quiet, and then all arrive back to back."""
    bench.quiesce()

    def when(episode: int, member: int, now: int) -> int:
        return LATE * (episode == 0 and member == late)

    play = Play(bench, when)
    course = play.join(bench.groups[0], episodes)
    play.run(episodes)
    return course


def latencies(bench: Bench) -> list[list[int]]:
    """Return the latency of each episode, a list for each member that is late in the first."""
    members = range(len(bench.groups[0].members))
    courses = [after_one_late(bench, member) for member in members]
    return [[course.latency(episode) for episode in range(AFTER)] for course in courses]


def period(bench: Bench) -> int:
    """Return the cycles between the last releases of two barriers, after many back to back."""
    course = after_one_late(bench, None, 24)
    ends = [max(cycles[episode] for cycles in course.released) for episode in (22, 23)]
    return ends[1] - ends[0]


def check_ring(links: int, buffers: Buffers) -> None:
    spec = static(*SIZES[links], buffers)
    bench = ready_bench(spec, ring(cycle(*SIZES[links])))
    found = latencies(bench)
    assert [row[0] for row in found] == [ring_latency(links, i, spec) for i in range(links)]
    assert max(map(max, found)) == ring_worst(links, spec) <= ring_bound(links, spec)
    assert period(bench) == ring_period(links, spec)


@pytest.mark.parametrize("links", [4, 6, 8])
@pytest.mark.parametrize("buffers", [(2, 2, 2), (1, 2, 1), (1, 4, 2), (2, 3, 1), (3, 8, 2)])
def test_ring(links: int, buffers: Buffers) -> None:
    check_ring(links, buffers)


@pytest.mark.campaign
@pytest.mark.parametrize("links", [4, 6, 8])
@pytest.mark.parametrize("buffers", GRID)
def test_ring_with_all_small_buffers(links: int, buffers: Buffers) -> None:
    check_ring(links, buffers)


@pytest.mark.nightly
@pytest.mark.parametrize("links", [12, 16])
@pytest.mark.parametrize("buffers", [(2, 2, 2), (2, 16, 2), (1, 16, 1), (4, 12, 4), (16, 16, 16)])
def test_larger_rings(links: int, buffers: Buffers) -> None:
    check_ring(links, buffers)


def test_who_is_released_when_after_a_late_root() -> None:
    """The root N + 4 cycles after it came, the first member N + 7, the last 2 N + 5."""
    bench = ready_bench(static(4, 4), ring(cycle(4, 4)))
    course = after_one_late(bench, 0, 1)
    after = [cycles[0] - course.arrived[0][0] for cycles in course.released]
    assert after == [20, *range(23, 38)]


def test_where_2n_plus_6_holds() -> None:
    """Up to B = N + 3; with a slow buffer up to 2 B = N + 2; and the periods known before."""
    for links in range(4, 40, 2):
        for core in range(1, 17):
            fast, slow = static(2, 2, (2, core, 2)), static(2, 2, (2, core, 1))
            assert (ring_bound(links, fast) == 2 * links + 6) == (core <= links + 3)
            assert (ring_bound(links, slow) == 2 * links + 6) == (2 * core <= links + 2)
    assert ring_worst(5, static(2, 2, (3, 5, 1))) == 19
    assert ring_period(16, static(4, 4)) == 22
    assert ring_period(16, static(4, 4, (1, 2, 2))) == 24


def test_nonmembers_on_the_ring_make_it_no_slower() -> None:
    for seed in range(6):
        rng = random.Random(seed)
        spec = static(4, 2, (rng.randint(1, 3), rng.randint(1, 9), rng.randint(1, 3)))
        path = cycle(4, 2)
        members = [path[0], *rng.sample(path[1:], rng.randint(1, 6))]
        bench = ready_bench(spec, ring(path, members))
        assert max(map(max, latencies(bench))) <= ring_worst(8, spec)


def chain(length: int) -> Group:
    """Return a tree that is one path along a row, all its switches members."""
    nodes = [(x, 0) for x in range(length + 1)]
    return tree(dict(zip(nodes[1:], nodes, strict=False)), nodes[0], nodes)


def worst_of_tree(bench: Bench) -> tuple[int, int, int]:
    """Return the worst latency found, the bound and the flits of an episode."""
    group = bench.groups[0]
    flits = group.flits(bench.spec)
    bound = tree_bound(group.length, flits, bench.spec)
    return max(map(max, latencies(bench))), bound, flits


@pytest.mark.parametrize("length", [1, 3, 6])
@pytest.mark.parametrize("places", [1, 2])
def test_tree_is_3l_plus_5_with_one_or_two_places(length: int, places: int) -> None:
    bench = ready_bench(static(length + 1, 1, (places,) * 3), chain(length))
    worst, bound, _ = worst_of_tree(bench)
    assert worst == bound == 3 * length + 5


def check_chain(length: int, buffers: Buffers) -> None:
    spec = static(length + 1, 1, buffers)
    bench = ready_bench(spec, chain(length))
    worst, bound, flits = worst_of_tree(bench)
    tight = buffers[1] == (2 if min(buffers) > 1 else 1)
    assert worst == bound if tight or length == 1 else worst <= bound
    assert period(bench) == tree_period(flits, spec)


@pytest.mark.parametrize("buffers", [(3, 2, 4), (2, 1, 3), (2, 3, 2), (1, 3, 2)])
def test_chain(buffers: Buffers) -> None:
    check_chain(4, buffers)


@pytest.mark.campaign
@pytest.mark.parametrize("length", range(1, 6))
@pytest.mark.parametrize("buffers", list(itertools.product((1, 2, 3, 4), repeat=3)))
def test_chain_with_all_small_buffers(length: int, buffers: Buffers) -> None:
    check_chain(length, buffers)


def check_random_tree(seed: int) -> None:
    rng = random.Random(seed)
    buffers = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    spec = static(rng.randint(2, 4), rng.randint(2, 4), buffers)
    bench = ready_bench(spec, random_tree(rng, mesh_of(spec), spec.topology.nodes))
    worst, bound, _ = worst_of_tree(bench)
    assert worst <= bound


@pytest.mark.parametrize("seed", range(10))
def test_random_tree(seed: int) -> None:
    check_random_tree(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_many_random_trees(seed: int) -> None:
    check_random_tree(seed)


@pytest.mark.parametrize("seed", range(10))
def test_no_skew_does_worse(seed: int) -> None:
    """That late arrivals one at a time are the worst: arrivals of any other kind."""
    rng = random.Random(seed)
    spec = static(3, 2, (rng.randint(1, 3), rng.randint(1, 6), rng.randint(1, 3)))
    group = ring(cycle(3, 2)) if seed % 2 else random_tree(rng, mesh_of(spec), spec.topology.nodes)
    bench = ready_bench(spec, group)
    skew = rng.choice((1, 4, 12))
    play = Play(bench, lambda *_: rng.randint(0, skew))
    course = play.join(group, 60)
    play.run(60)
    bound = tree_bound(group.length, group.flits(spec), spec) if group.tree else ring_worst(6, spec)
    assert max(map(course.latency, range(60))) <= bound


def test_alone() -> None:
    bench = ready_bench(static(1, 1), Group((0, 0), ((0, 0),), {}, 0))
    assert after_one_late(bench, None, 3).latency(2) == ALONE
