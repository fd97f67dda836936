"""Whole barriers of serial units: no longer than their bound, and sometimes just as long."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from syncfabric.models.messages import Counter
from syncfabric.models.planning.bounds import bound_cycles
from syncfabric.models.planning.tree import Tree

LEVEL = 4
"""Cycles from a message being chosen to the next, of which one is a hop."""


def worst_arrivals(tree: Tree, place: int, late: int, found: dict[int, int]) -> int:
    """Have all children that count reach their parent in one cycle; return which, of that place.

    ``found`` is filled with how long before the last arrival each member has to arrive, for the
    last of its messages to come ``late`` cycles before it could at the latest.
    """
    ways = []
    for child in tree.children[place]:
        if child >= 0:
            hops = int(tree.hops[child] - tree.hops[place])
            ways.append((worst_arrivals(tree, child, 0, {}) + hops + LEVEL - 1, int(child)))
    found[place] = late if not ways else 200
    ways.sort(reverse=True)
    ends = [way + waits for waits, (way, _) in enumerate(ways)]
    if not ends:
        return 0
    count = ends.index(max(ends)) + 1
    for number, (way, child) in enumerate(ways):
        early = late + way - ways[count - 1][0] if number < count else 200
        worst_arrivals(tree, child, early, found)
    return max(ends)


@pytest.mark.parametrize("links", ["shared", "own"])
def test_the_bound_is_met_by_those_who_arrive_for_it(bench: Callable[..., Any], links: str) -> None:
    """Every way up that takes as long as can be, and again in the cycle of the release."""
    rng, waited = random.Random(links), 0
    for number in range(12):
        width, height = rng.randint(2, 7), rng.randint(1, 7)
        made = bench(width, height, barrier_unit="serial", sync_links=links)
        nodes = made.model.network.mesh.nodes
        made.add(5, nodes if number % 2 else rng.sample(nodes, rng.randint(2, len(nodes))))
        made.settle()
        tree, model = made.trees[5], made.model
        before: dict[int, int] = {}
        up = worst_arrivals(tree, tree.root_position, 0, before)
        way = int((tree.hops + (LEVEL - 1) * tree.depth).max())
        begin = model.cycle + max(before.values())
        index = model.network.mesh.index
        seats = {place: index(tree.node(place)) for place in before}
        last = 0
        while model.cycle <= begin or model.idle_until() is not None:
            now = begin - model.cycle
            model.step(arrive={(seats[p], 0): 0 for p, early in before.items() if early == now})
            last = model.cycle if model.release else last
        exact = 4 + up + way
        assert last - begin == exact, tree
        slack = tree.longest_path + (LEVEL - 1) * tree.height - way
        assert exact == bound_cycles(tree, model.network) - 2 * slack
        waited += up > way
    assert waited >= 4


@pytest.mark.parametrize("side", [1, 2, 3, 4, pytest.param(8, marks=pytest.mark.long)])
def test_a_complete_mesh(bench: Callable[..., Any], side: int) -> None:
    """2 L + 2 + 6 h + 2 if nobody waits, which the last one alone never makes happen."""
    made = bench(side, side, barrier_unit="serial")
    made.add(1, made.model.network.mesh.nodes)
    tree = made.trees[1]
    alone = 2 * tree.longest_path + 2 + 6 * tree.height + 2
    assert max(made.episode(1, last) for last in range(side * side)) == alone
    assert made.episode(1, 0, early=0) <= bound_cycles(tree, made.model.network)
    counters = [router.unit.counters for router in made.model._routers]
    assert counters == [[0] * len(Counter)] * side**2


@pytest.mark.parametrize("operations", ["bitwise", "all"])
def test_data_of_three_groups(bench: Callable[..., Any], operations: str) -> None:
    made = bench(4, 4, barrier_unit="serial", operations=operations, data_bits=8)
    model, rng = made.model, random.Random(operations)
    ops = ["max", "sum", "min"] if operations == "all" else ["and", "xor", "or"]
    combine: dict[str, Callable[[list[int]], int]] = {
        "max": max, "min": min, "sum": lambda data: sum(data) & 255,
        "and": np.bitwise_and.reduce, "xor": np.bitwise_xor.reduce, "or": np.bitwise_or.reduce,
    }  # fmt: skip
    for gid, op in enumerate(ops, 1):
        made.add(gid, rng.sample(model.network.mesh.nodes, 9), op)
    made.settle()
    places = {(node, register): gid for (gid, node), register in made.places.items()}
    data: dict[int, list[int]] = {gid: [] for gid in (1, 2, 3)}
    told: dict[int, list[int]] = {gid: [] for gid in (1, 2, 3)}
    free, ended = dict.fromkeys(places, 0), 0
    for now in range(1500):
        for node, register, result in model.release:
            gid = places[node, register]
            told[gid].append(result)
            free[node, register] = now + rng.choice((0, 0, 1, 9))
            if len(told[gid]) == 9:
                assert set(told[gid]) == {combine[ops[gid - 1]](data[gid])}
                assert len(data[gid]) == 9
                data[gid], told[gid], ended = [], [], ended + 1
        arrive = {}
        for place, since in free.items():
            gid = places[place]
            if since <= now and not told[gid]:
                arrive[place] = rng.getrandbits(8)
                data[gid].append(arrive[place])
                free[place] = 2000
        model.step(arrive=arrive)
    assert ended > 60
