"""Planner ``shortest``: a tree of members only with the least greatest cost from the root.

The cost of a member is its hops along the tree plus ``pipeline`` for each edge above it.
The registers are BTM's, so a node has one child a port at most: a +X child lies to the east of
its parent (it is reached X first), a +Y child to the north (Y first), and so on. Four such paths
share no link, so a distribution still leaves in one cycle.

The tree is the best of several: ``btm``'s, those grown from the most central members with rising
targets for the cost, and each of them after local improvement. Hence it is never worse than
``btm``'s. In none of them can messages meet (see ``meeting``). It need not be the best there is;
``least_cost`` says how far off it can be at most.

A tree grows from a given root, every subtree of a level at once. Like ``btm`` it parts the members
below a node into four, one for each port, and makes one of each part its root. Unlike it, the
parting may differ from node to node, and a part's root lies only as far back from the node as a
target for the greatest cost allows. Every part is a rectangle of the plane, open or not, that holds
the paths to its own members but for their first link. So the paths of two members neither of which
is above the other lie in different parts, and their messages cannot meet.
"""

from collections.abc import Callable

import numpy as np

from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Ints
from syncfabric.models.networks.mesh import Port
from syncfabric.models.planning.btm import Segments, Tree, off_centre, sectors
from syncfabric.models.planning.meeting import can_meet

EFFORT = 200_000
"""Members laid out over all trials: small groups get many trials, huge ones a few."""
MOST_TRIALS = 150
ROOTS = 8
EXACT_LIMIT = 1500
"""Members above which ``least_cost`` looks at less."""
REHANG_LIMIT = 5000
"""Members above which trees stay as they have grown."""
NEAR = 2
"""How much worse than the best a tree may be to be worth improving."""


def _quadrants(dx: Ints, dy: Ints) -> Ints:
    """Those of paper BTM: +X holds dx > 0, dy >= 0."""
    return sectors(np.stack([dx, dy], axis=1))


def _mirrored(dx: Ints, dy: Ints) -> Ints:
    """Quadrants that turn in the other direction: +X holds dx > 0, dy <= 0."""
    return _quadrants(dy, dx) ^ 1


def _columns(dx: Ints, dy: Ints) -> Ints:
    """The column of the centre to +Y and -Y, all beside it to +X and -X."""
    return np.where(dx != 0, np.where(dx > 0, 0, 2), np.where(dy > 0, 1, 3))


def _rows(dx: Ints, dy: Ints) -> Ints:
    """The row of the centre to +X and -X, all beside it to +Y and -Y."""
    return _columns(dy, dx) ^ 1


PARTINGS: tuple[Callable[[Ints, Ints], Ints], ...] = (_quadrants, _mirrored, _columns, _rows)


def least_heights(sizes: Ints, ports: int = 4) -> Ints:
    """Return the least height in edges of a tree of each size with so many children a node."""
    limits = np.cumsum([ports**level for level in range(1 if ports == 1 else 16)])
    heights: Ints = np.searchsorted(limits, sizes)
    return heights


def far(x: Ints, y: Ints, runs: Segments) -> Ints:
    """Return the hops from every place to the farthest of its run."""
    s, d = x + y, x - y
    back = np.maximum(runs.over(np.maximum, s) - s, s - runs.over(np.minimum, s))
    across = np.maximum(runs.over(np.maximum, d) - d, d - runs.over(np.minimum, d))
    farthest: Ints = np.maximum(back, across)
    return farthest


def grow(x: Ints, y: Ints, root: int, pipeline: int, target: int) -> Tree:
    """Grow a tree from ``root`` whose greatest hops + pipeline * depth is near ``target``.

    Parameters
    ----------
    x, y : array of int64, shape (n,)
        The members.
    root : int
        Position of the root among them.
    pipeline : int
        Cycles a tree node costs.
    target : int
        What the greatest cost should come to; it may come out above.
    """
    n = len(x)
    parent = np.full(n, -1, dtype=np.int64)
    port = np.full(n, int(Port.LOCAL), dtype=np.int64)
    cost = np.zeros(n, dtype=np.int64)
    rest = np.delete(np.arange(n), root)
    owner = np.full(n - 1, root, dtype=np.int64)
    while len(rest):
        side = _best_parting(x, y, rest, owner, cost, pipeline, target)
        keys = owner * 4 + side
        order = np.argsort(keys)
        rest, keys = rest[order], keys[order]
        owner = keys // 4
        runs = Segments.of(keys)
        chosen, _ = _choose(x, y, rest, owner, cost, runs, pipeline, target)
        heads, above = rest[chosen], owner[chosen]
        parent[heads], port[heads] = above, keys[chosen] % 4
        cost[heads] = cost[above] + _distance(x, y, heads, above) + pipeline
        owner = runs.spread(heads)
        others = np.ones(len(rest), dtype=bool)
        others[chosen] = False
        rest, owner = rest[others], owner[others]
    return Tree(np.stack([x, y], axis=1), parent, port)


def _distance(x: Ints, y: Ints, a: Ints, b: Ints) -> Ints:
    distance: Ints = np.abs(x[a] - x[b]) + np.abs(y[a] - y[b])
    return distance


def _best_parting(
    x: Ints, y: Ints, rest: Ints, owner: Ints, cost: Ints, pipeline: int, target: int
) -> Ints:
    """Return each member's port by the parting that promises its owner the least cost."""
    dx, dy = x[rest] - x[owner], y[rest] - y[owner]
    best_side, best = None, None
    for parting in PARTINGS:
        side = parting(dx, dy)
        keys = owner * 4 + side
        order = np.argsort(keys)
        runs = Segments.of(keys[order])
        chosen, estimate = _choose(x, y, rest[order], owner[order], cost, runs, pipeline, target)
        promise = np.zeros(len(x), dtype=np.int64)
        np.maximum.at(promise, owner[order][chosen], estimate)
        mine = promise[owner]
        if best is None or best_side is None:
            best_side, best = side, mine
        else:
            best_side = np.where(mine < best, side, best_side)
            best = np.minimum(mine, best)
    assert best_side is not None
    return best_side


def _choose(
    x: Ints,
    y: Ints,
    rest: Ints,
    owner: Ints,
    cost: Ints,
    runs: Segments,
    pipeline: int,
    target: int,
) -> tuple[Ints, Ints]:
    """Return the place of each run's root, and the cost expected below it.

    Among the members that keep the run's farthest within the target, the one nearest the run's
    centroid; without any, the one that exceeds it least.
    """
    px, py = x[rest], y[rest]
    reach = cost[owner] + _distance(x, y, rest, owner) + pipeline
    below = far(px, py, runs) + pipeline * runs.spread(least_heights(runs.lengths))
    estimate = reach + below
    away = off_centre(np.stack([px, py], axis=1), runs)
    excess = np.maximum(estimate - target, 0)
    chosen = runs.first_least(excess, (away**2).sum(axis=1), -px, -py)
    return chosen, estimate[chosen]


def greatest_cost(tree: Tree, pipeline: int) -> int:
    """Return the greatest hops + pipeline * depth of a tree's members."""
    return int((tree.hops + pipeline * tree.depth).max())


def improve(first: Tree, pipeline: int) -> Tree:
    """Return the best tree found for the members of ``first``; ``first`` itself if none is better.

    Parameters
    ----------
    first : Tree
        The tree of planner ``btm``.
    pipeline : int
        ``node_cycles``: cycles a tree node costs.
    """
    x, y = first.x, first.y
    least = least_cost(first.places, first.space, pipeline)
    best, cost = first, greatest_cost(first, pipeline)
    small = len(first) <= REHANG_LIMIT
    for root, target in _trials(first, least, cost):
        if cost == least:
            break
        tree = grow(x, y, root, pipeline, target)
        if small and greatest_cost(tree, pipeline) <= cost + NEAR:
            tree = rehang(tree, pipeline)
        if (found := greatest_cost(tree, pipeline)) < cost:
            best, cost = tree, found
    tree = rehang(first, pipeline) if small else first
    return tree if greatest_cost(tree, pipeline) < cost else best


def _trials(first: Tree, least: int, cost: int) -> list[tuple[int, int]]:
    """List the (root, target) to grow from: low targets and central roots first."""
    count = max(1, min(MOST_TRIALS, EFFORT // len(first)))
    reach = far(first.x, first.y, _whole(len(first)))
    central = np.argsort(reach, kind="stable")[:ROOTS].tolist()
    roots = central if first.root_position in central else [*central, first.root_position]
    trials = [(int(root), target) for target in range(least, cost) for root in roots]
    return trials[:count]


def least_cost(places: Ints, grid: Grid, pipeline: int) -> int:
    """Return a greatest cost that no tree of these members can go below.

    For each root: with p ports a tree has ``c = 1 + p + ... + p**(k - 1)`` places above depth k,
    one of them the root's own, so one of the c farthest members is at depth k or below. The least
    over all roots. For groups above ``EXACT_LIMIT`` only the farthest member (k = 1) and the height
    are looked at, and in other grids than meshes of two dimensions half of the path between two
    members instead.

    Parameters
    ----------
    places : array of int64, shape (n, dimensions)
        The members.
    grid : Grid
    pipeline : int
        Cycles a tree node costs.
    """
    n = len(places)
    if n == 1:
        return 0
    height = int(least_heights(np.array([n]), grid.ports)[0])
    if n <= EXACT_LIMIT:
        distances = np.abs(grid.steps(places[:, None], places)).sum(axis=2)
        farthest = -np.sort(-distances, axis=1)
        least = farthest[:, 0] + pipeline
        for depth in range(2, height + 1):
            above = sum(grid.ports**level for level in range(depth))
            least = np.maximum(least, farthest[:, above - 1] + pipeline * depth)
    elif grid.wraps or len(grid.sides) != 2:
        end = places[np.abs(grid.steps(places[0], places)).sum(axis=1).argmax()]
        far_apart = np.abs(grid.steps(end, places)).sum(axis=1).max()
        least = (far_apart + 1) // 2 + np.array([pipeline])
    else:
        least = far(places[:, 0], places[:, 1], _whole(n)) + pipeline
    return max(int(least.min()), height * (1 + pipeline))


def _whole(n: int) -> Segments:
    return Segments(np.zeros(1, np.int64), n)


MOVES = 400
TRIES = 16
"""Moves that are looked at before a tree is left as it is."""

Move = tuple[int, int, int]


def rehang(tree: Tree, pipeline: int) -> Tree:
    """Move subtrees on the worst path to free ports nearer the root, while that helps.

    A move takes a member on the path to one of the worst, with all below it, to another member
    with a free port that faces it. Of the moves that lower its own cost most the first is made
    after which messages still cannot meet; it ends when the worst member and all above it have
    none.

    Parameters
    ----------
    tree : Tree
        Where to start; its messages cannot meet.
    pipeline : int
        Cycles a tree node costs.

    Returns
    -------
    Tree
        A tree whose greatest hops + pipeline * depth is no greater, and whose messages cannot meet.
    """
    for _ in range(MOVES):
        moved = (_moved(tree, move) for move in _best_moves(tree, pipeline))
        better = next((found for found in moved if not can_meet(found)), None)
        if better is None:
            break
        tree = better
    return tree


def _moved(tree: Tree, move: Move) -> Tree:
    head, above, side = move
    parent, port = tree.parent.copy(), tree.port.copy()
    parent[head], port[head] = above, side
    return Tree(tree.places, parent, port)


def _best_moves(tree: Tree, pipeline: int) -> list[Move]:
    """Return (member, new parent, port) for the moves that shorten the path to the worst most."""
    cost = tree.hops + pipeline * tree.depth
    taken = tree.children >= 0
    moves: list[tuple[int, Move]] = []
    head = int(cost.argmax())
    while tree.parent[head] >= 0:
        dx, dy = tree.x[head] - tree.x, tree.y[head] - tree.y
        gain = cost[head] - (cost + np.abs(dx) + np.abs(dy) + pipeline)
        fits = np.stack([dx > 0, dy > 0, dx < 0, dy < 0], axis=1) & ~taken
        fits[gain <= 0] = False
        fits[_below(tree.parent, head)] = False
        above, side = np.nonzero(fits)
        for best in np.argsort(-gain[above], kind="stable")[:TRIES].tolist():
            moves.append((int(gain[above[best]]), (head, int(above[best]), int(side[best]))))
        head = int(tree.parent[head])
    moves.sort(key=lambda move: -move[0])
    return [move for _, move in moves[:TRIES]]


def _below(parent: Ints, head: int) -> Ints:
    """Return the positions of a member and of all below it."""
    inside = np.zeros(len(parent), dtype=bool)
    inside[head] = True
    count = 0
    while count != (count := int(inside.sum())):
        inside |= (parent >= 0) & inside[parent]
    return np.flatnonzero(inside)
