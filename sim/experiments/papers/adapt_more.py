"""Paper ADAPT's tables; and beyond it: trees of a million nodes, Balanced-Path's candidates."""

import resource
import time
from collections.abc import Callable
from statistics import fmean, median, quantiles

import numpy as np

from syncfabric.models.broadcast.costs import CostFunction, Floats, Ints
from syncfabric.models.broadcast.layout import parent
from syncfabric.models.broadcast.near import Groups, Near, Places
from syncfabric.models.broadcast.tree import Change, Policy, Tree
from syncfabric.sim.experiments.frame import Axes, Work, experiment

TABLE_5 = (
    (0, 2, 2, 0, 3, 3, 0, 0, 4),
    (2, 0, 0, 2, 5, 5, 2, 2, 2),
    (2, 0, 0, 2, 5, 5, 2, 2, 5),
    (0, 2, 2, 0, 3, 3, 0, 0, 0),
    (3, 5, 5, 3, 0, 0, 3, 3, 0),
    (3, 5, 5, 3, 0, 0, 3, 3, 4),
    (0, 2, 2, 0, 3, 3, 0, 0, 4),
    (0, 2, 2, 0, 3, 3, 0, 0, 3),
    (4, 2, 5, 0, 0, 4, 4, 3, 0),
)
"""Hops between nodes 0 to 8."""
TABLE_1 = tuple(row[:8] for row in TABLE_5[:8])
"""Hops between nodes 0 to 7."""
FIG_1 = (0, 5, 7, 4, 3, 2, 6, 1)
"""The nodes of Fig. 1 left, by position."""


@experiment(
    "adapt-tables",
    "the example of the paper: tree, swaps, a join and a leave, with the cost of each path",
    "paper ADAPT, Tables 1 to 8",
)
def tables(work: Work) -> None:
    """Build the tree of Fig. 1, and do to it what the text does."""
    hops = np.array(TABLE_5)
    work.confirm("Table 1: the same both ways", bool((hops == hops.T).all()), by_formula=True)
    tree = Tree(TABLE_1)
    _nodes(work, "Table 1: nodes of the tree by position (Fig. 1)", FIG_1, tree)
    _paths(work, "Table 2: the tree", "5: 3, 4: 3, 2: 2, 1: 2", tree)
    tree.layout.swap(FIG_1.index(5), FIG_1.index(6))
    _paths(
        work, "Table 3: 5 and 6 swapped", "6: 0, 4: 3, 2: 2, 1: 8", Tree(TABLE_1, order=tree.nodes)
    )
    joining = dict(enumerate(TABLE_5[8][:8]))
    tree = Tree(TABLE_1, policy=Policy(join=None))
    tree.join(joining)
    _paths(work, "Table 4: 8 joins", "5: 3, 4: 3, 2: 2, 1: 2, 8: 4", tree)
    known = Tree(TABLE_5, nodes=range(8))
    same = known.join(node=8) == (change := Tree(TABLE_1).join(joining))
    work.confirm("Table 5: its matrix and a row of 8 give the same swap", same)
    work.claim("swaps of Position that are tried for 8", 2, change.steps)
    _paths(work, "Table 6: 8 swapped by Position", "5: 3, 4: 3, 2: 2, 1: 2, 6: 0", known)
    tree = Tree(TABLE_1, policy=Policy(leave=None))
    tree.leave(7)
    _paths(work, "Table 7: 7 leaves", "5: 3, 4: 7, 2: 2, 6: 0", tree)
    tree = Tree(TABLE_1)
    change = tree.leave(7)
    work.confirm("Path finds no swap then", change.swapped is None)
    tree.layout.swap(tree.position(1), tree.position(4))
    work.claim("cost with 1 and 4 swapped (Fig. 6)", 8, tree.cost)
    tree = Tree(TABLE_1, policy=Policy(leave="position"))
    tree.leave(7)
    _paths(work, "Table 8: 1 swapped by Position", "1: 2, 4: 3, 2: 2, 6: 0", tree)


def _nodes(work: Work, what: str, paper: tuple[int, ...], tree: Tree) -> None:
    work.claim(what, " ".join(map(str, paper)), " ".join(map(str, tree.nodes)))


def _paths(work: Work, what: str, paper: str, tree: Tree) -> None:
    """Claim the cost of the path to each leaf."""
    found = ", ".join(f"{leaf}: {cost:g}" for leaf, cost in tree.paths().items())
    work.claim(f"{what}: leaf and cost of its path", paper, found)


MILLION = 1_000_000
SLOWER = 1_000
WARM = 50
"""Events that are not counted."""
SIZES = (10_000, 30_000)
"""Nodes; up to 8,192 Balanced-Path looks at all pairs anyway."""
MOST_RATIO = 1.05
"""Aim: what a tree may cost over that of all pairs."""


def plane(nodes: int, seed: int) -> tuple[CostFunction, Near]:
    """Return distances in a square with sides of 1000, and the places."""
    places = 1_000 * np.random.default_rng(seed).random((nodes, 2))
    at = places[:, 0] + 1j * places[:, 1]

    def away(one: Ints, other: Ints) -> Floats:
        found: Floats = np.abs(at[one] - at[other])
        return found

    return away, Places(places)


def clusters(nodes: int, seed: int) -> tuple[CostFunction, Near]:
    """Return 1 in a rack, 10 in a pod and 100 across, each part at random, and the groups."""
    side = round(nodes ** (1 / 3))
    labels = np.random.default_rng(seed).integers(0, side, (nodes, 2))

    def levels(one: Ints, other: Ints) -> Floats:
        pod, rack = (labels[one] == labels[other]).T
        return np.where(pod, np.where(rack, 1.0, 10.0), 100.0)

    return levels, Groups(labels)


def random_costs(nodes: int, seed: int) -> tuple[CostFunction, Near]:
    """Return costs from 1 to 10 that follow from nothing, and differ from those back."""

    def mixed(one: Ints, other: Ints) -> Floats:
        x = one.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x ^= (other + seed * nodes).astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        x = (x ^ x >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
        return 1 + 9 * ((x ^ x >> np.uint64(32)) >> np.uint64(11)).astype(np.float64) / 2**53

    return mixed, None


KINDS: dict[str, Callable[[int, int], tuple[CostFunction, Near]]] = {
    "distance in a plane": plane,
    "hierarchical clusters": clusters,
    "random, one-way": random_costs,
}


@experiment(
    "adapt-candidates",
    "Balanced-Path that looks at some nodes, over Balanced-Path that looks at all",
    "beyond paper ADAPT",
    runs=3,
    axes=(Axes("nodes", "cost of the tree over that of all pairs", 10),),
    caption="Not in the paper.",
)
def candidates(work: Work) -> None:
    """Compare trees by candidates with those of all pairs, and their times."""
    jobs = [(kind, nodes, seed) for kind in KINDS for nodes in SIZES for seed in work.seeds]
    done = work.map(costs, jobs)
    for kind in KINDS:
        for nodes in SIZES:
            found = [next(done) for _ in work.seeds]
            for how in found[0]["cost"]:
                ratios = [one["cost"][how] / one["cost"]["all pairs"] for one in found]
                seconds = fmean(one["seconds"][how] for one in found)
                what, note = f"{kind}, {nodes:,} nodes, {how}", f"{seconds:.1f} s of processor"
                if how == "all pairs":
                    mean = fmean(one["cost"][how] for one in found)
                    work.claim(f"{what}: mean cost", None, mean, note)
                    continue
                work.point(f"{kind}, {how}", nodes, fmean(ratios))
                note += f"; aim: {MOST_RATIO} at most"
                work.claim(f"{what}: worst cost over all pairs", None, max(ratios), note)


def costs(kind: str, nodes: int, seed: int) -> dict[str, dict[str, float]]:
    """Return what trees cost, and the processor time that it took to build them.

    Parameters
    ----------
    kind : str
        Of ``KINDS``.
    nodes : int
    seed : int
        Of the network.
    """
    function, hint = KINDS[kind](nodes, seed)
    nears: dict[str, Near] = {"all pairs": "all", "no hint": None}
    if hint is not None:
        nears["hint"] = hint
    found: dict[str, dict[str, float]] = {"cost": {}, "seconds": {}}
    for how, near in nears.items():
        begin = time.process_time()
        tree = Tree(function, nodes=range(nodes), one_way=kind == "random, one-way", near=near)
        found["seconds"][how] = time.process_time() - begin
        found["cost"][how] = tree.cost
    return found


@experiment(
    "adapt-million",
    "processor time of Balanced-Path, events, joins and leaves on a million nodes",
    "beyond paper ADAPT",
    runs=1000,
    caption="Not in the paper.",
)
def million(work: Work) -> None:
    """Build a tree with and without a hint, and time ``runs`` events of each kind.

    A matrix of so many costs would take 8 TB. A node's costs come from where it lies in a plane,
    and the tree keeps only those that have changed. Twice as many nodes have places: half of them
    may join.
    """
    function, hint = plane(2 * MILLION, work.seed)
    policy = Policy(join="path", leave="path")
    Tree(function, nodes=range(100), near=hint)  # so that little is left to compile
    for how, near in {"no hint": None, "places as a hint": hint}.items():
        work.report(f"building the tree, {how}")
        begin = time.process_time()
        tree = Tree(function, nodes=range(MILLION), near=near, policy=policy)
        work.claim(f"Balanced-Path, {how}, s", None, time.process_time() - begin)
        work.claim(f"cost of the tree, {how}", None, tree.cost)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    work.claim("peak memory of the process, GiB", None, peak)
    rng = np.random.default_rng(work.seed)
    slow = _events(work, "a slower link", lambda number: _slower(tree, rng, number))
    work.claim("mean swaps tried for a slower link", None, fmean(one.steps for one in slow))
    swaps = sum(one.swapped is not None for one in slow)
    work.claim("slower links that ended with a swap, %", None, 100 * swaps / len(slow))
    _events(work, "a join", lambda number: tree.join())
    leaving = (int(tree.layout.at[x]) for x in rng.integers(1, len(tree) // 2, WARM + work.runs))
    _events(work, "a leave", lambda number: tree.leave(next(leaving)))


def _events(work: Work, what: str, event: Callable[[int], Change]) -> list[Change]:
    """Time ``runs`` events, by processor time, and return what became of them."""
    times, changes = [], []
    for number in range(WARM + work.runs):
        work.report(f"{what}, {number + 1} of {WARM + work.runs}")
        begin = time.process_time()
        change = event(number)
        seconds = time.process_time() - begin
        if number >= WARM:
            times.append(1e3 * seconds)
            changes.append(change)
    work.claim(f"median time of {what}, ms", None, median(times))
    if len(times) > 1:
        work.claim(f"time of {what} that 99 % keep, ms", None, quantiles(times, n=100)[-1])
    return changes


def _slower(tree: Tree, rng: np.random.Generator, number: int) -> Change:
    """Make a link of the costliest path slower."""
    path = tree.layout.longest_path(0)
    # The first link has the root above it, and with only two no node can be swapped.
    x = path[int(rng.integers(1, len(path)))]
    node, above = int(tree.layout.at[x]), int(tree.layout.at[parent(x)])
    return tree.update_cost(node, above, tree.layout.link(x) + SLOWER * (number + 1))
