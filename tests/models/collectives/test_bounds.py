"""Lower bounds reach what is known, go not beyond it, and prove what they say."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest

from syncfabric.models.collectives.bounds import lower_bounds, paper_bound
from syncfabric.models.collectives.certificate import Cut, best, verify
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.errors import PlanError
from tests.models.collectives.right_schedules import ALL, cube_aas
from tests.models.collectives.tasks import task

STORE = Rules(switching="store-and-forward")
FREE = Rules()
ONE = Rules(1)
ONE_STORE = Rules(1, "single-use", "store-and-forward")
STRICT = Rules(1, "strict", "store-and-forward")
GROUP = list(range(1, 9))
"""Eight processors on routers with 1, 2, 2, 2 and 1 of them."""
OTHERS = [p for p in range(16) if p not in GROUP]


def proved(one: Task) -> int:
    """The best bound, after every bound has been verified."""
    found = lower_bounds(one)
    for bound in found:
        if bound.proves:
            assert verify(one, bound) is None, bound
            assert verify(one, replace(bound, value=bound.value + 1)) is not None, bound
    top = best(found)
    assert top is not None
    return top.value


CUBES = {
    "OAB": (2, 2, 2, 3, 3),
    "OAS": (3, 4, 7, 11, 19),
    "AAB": (3, 4, 7, 11, 19),
    "AAS": (4, 8, 16, 32, 64),
}


@pytest.mark.parametrize("kind", CUBES)
@pytest.mark.parametrize("dimension", range(3, 8))
def test_hypercubes(kind: str, dimension: int) -> None:
    one = task(f"hypercube-{2**dimension}", kind, STORE if kind == "AAB" else Rules())
    assert proved(one) == CUBES[kind][dimension - 3]
    paper = paper_bound(one)
    assert paper is not None
    assert paper.value == CUBES[kind][dimension - 3]


@pytest.mark.parametrize(("kind", "steps"), [("OAB", 2), ("OAS", 3), ("AAB", 3), ("AAS", 4)])
def test_the_octagon(kind: str, steps: int) -> None:
    assert proved(task("octagon-8", kind, STORE if kind == "AAB" else Rules())) == steps


@pytest.mark.parametrize(("kind", "dual"), [("AOG", "OAS"), ("AOR", "OAB"), ("AAR", "AAB")])
def test_what_is_the_reverse_takes_as_long(kind: str, dual: str) -> None:
    for rules in (STORE, STRICT, Rules()):
        found = [b.value for b in lower_bounds(task("mesh-3x3", kind, rules))]
        assert found == [b.value for b in lower_bounds(task("mesh-3x3", dual, rules))]
        proved(task("mesh-3x3", kind, rules))


@pytest.mark.parametrize(
    ("name", "kind", "rules", "steps"),
    [
        ("mesh-4x4", "AAS", ONE, 16),
        ("mesh-4x4", "AAS", Rules(), 16),
        ("coated-mesh-4x4", "AAS", ONE, 16),
        ("mesh-4x4", "AAB", ONE_STORE, 15),
        ("mesh-4x4", "AAB", STORE, 8),
        ("mesh-4x4", "AAB", STRICT, 18),
        ("mesh-3x3", "AAB", STRICT, 10),
        ("star-8", "AAB", STRICT, 49),
        ("coated-mesh-4x4", "AAB", ONE_STORE, 15),
        ("torus-4x4", "AAB", STORE, 4),
        ("torus-8x8", "AAB", STORE, 16),
        ("torus-16x16", "AAB", STORE, 64),
        ("torus-32x32", "AAB", STORE, 256),
        ("torus-8x8", "AAS", Rules(), 64),
        ("torus-16x16", "AAS", Rules(), 512),
        ("torus-3x3", "AAB", STORE, 2),
        ("torus-5x5", "AAB", STORE, 6),
    ],
)
def test_meshes_and_tori(name: str, kind: str, rules: Rules, steps: int) -> None:
    assert proved(task(name, kind, rules)) == steps


@pytest.mark.parametrize(
    ("name", "extra", "steps"),
    [("octagon-bridged-15", 0, 52), ("octagon-bridged-15", 1, 48), ("mesh-4x4", 2, 15)],
)
def test_who_must_pass_a_broadcast_on(name: str, extra: int, steps: int) -> None:
    assert proved(task(name, "AAB", STRICT, extra)) == steps


@pytest.mark.parametrize(
    ("senders", "receivers", "single_use", "strict", "minimal", "any_path"),
    [
        (GROUP, GROUP, 7, 7, 10, 7),
        (GROUP, OTHERS, 8, 9, 10, 10),
        (GROUP, None, 8, 9, 15, 15),
        (None, None, 15, 15, 16, 16),
    ],
)
def test_the_fat_octagon(
    senders: list[int] | None,
    receivers: list[int] | None,
    single_use: int,
    strict: int,
    minimal: int,
    any_path: int,
) -> None:
    def steps(kind: str, rules: Rules, extra: int = 0) -> int:
        sets = {"senders": senders, "receivers": receivers}
        return proved(task("fat-octagon-16", kind, rules, extra, **sets))

    assert steps("MNB", ONE_STORE) == single_use
    assert steps("MNB", STRICT) == strict
    assert steps("MNS", ONE) == minimal
    assert steps("MNS", ONE, extra=1) == any_path


@pytest.mark.parametrize(("sender", "minimal", "any_path"), [(0, 8, 8), (1, 6, 5), (5, 4, 4)])
def test_scatter_on_the_mesh_of_fig_7(sender: int, minimal: int, any_path: int) -> None:
    assert proved(task("mesh-4x4", "OAS", senders=[sender])) == minimal
    assert proved(task("mesh-4x4", "OAS", extra=2, senders=[sender])) == any_path


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_no_bound_is_above_a_schedule_that_is_right(make: Callable[[], Schedule]) -> None:
    schedule = make()
    one = Task(schedule.topology, schedule.collective, schedule.rules, check(schedule).detour)
    assert proved(one) <= len(schedule.steps)


@pytest.mark.parametrize("nodes", [8, 16, 32, 64])
def test_the_cube_schedule_is_optimal(nodes: int) -> None:
    schedule = cube_aas(nodes)
    assert check(schedule).right
    assert proved(Task(schedule.topology, schedule.collective)) == len(schedule.steps) == nodes // 2


@pytest.mark.parametrize(
    ("name", "rules", "steps"),
    [
        ("hypercube-16", Rules(1, "strict"), 4),
        ("hypercube-16", Rules(1, "single-use"), 2),
        ("hypercube-16", Rules(2, "strict"), 3),
        ("ring-9", Rules(1, "strict"), 4),
        ("ring-9", Rules(), 2),
        ("ring-9", STORE, 4),
        ("coated-mesh-4x4", Rules(1, "strict"), 4),
        ("coated-mesh-4x4", STRICT, 4),
        ("coated-mesh-4x4", ONE_STORE, 1),
    ],
)
def test_how_fast_a_broadcast_spreads(name: str, rules: Rules, steps: int) -> None:
    assert proved(task(name, "OAB", rules)) == steps


def test_permutations() -> None:
    ring = task("ring-8", "permutation", targets=[(i + 4) % 8 for i in range(8)])
    # Each message makes four hops of the 16 there are a step: two steps.
    assert proved(ring) == 2
    assert paper_bound(ring) is None


def test_the_cut_is_the_best_of_all() -> None:
    for name in ("octagon-8", "mesh-2x4", "star-6", "fat-octagon-16"):
        one = task(name, "AAS")
        topology = one.topology
        routers = [v for v in range(topology.vertices) if topology.routers[v]]

        def steps(side: set[int], one: Task = one) -> int:
            near = one.topology.successors
            inside = side | {p for p in range(one.topology.nodes) if near[p][0] in side} - {
                v for v in range(one.topology.vertices) if one.topology.routers[v] and v not in side
            }
            out = sum(a in inside and b not in inside for a, b in one.topology.channels)
            return -(-sum(a in inside and b not in inside for a, b in one.collective.pairs) // out)

        wanted = max(
            steps(set(side))
            for many in range(1, len(routers))
            for side in combinations(routers, many)
        )
        (cut,) = (b for b in lower_bounds(one) if isinstance(b.argument, Cut))
        assert cut.value == wanted
        assert isinstance(cut.argument, Cut)
        assert cut.argument.exact


def test_large_networks_say_that_cuts_were_searched() -> None:
    (cut,) = (b for b in lower_bounds(task("torus-8x8", "AAS")) if isinstance(b.argument, Cut))
    assert isinstance(cut.argument, Cut)
    assert not cut.argument.exact
    assert cut.value == 64
    assert "best cut found" in cut.argument.words()


def test_nothing_to_send_is_refused() -> None:
    with pytest.raises(PlanError, match="collective MNS: there is nothing to send"):
        lower_bounds(task("ring-4", "MNS", senders=[1], receivers=[1]))


def test_halves_of_a_large_mesh() -> None:
    # Distances say 726.
    assert lower_bounds(task("mesh-16x16", "AAS"))[0].value == 1024
