"""Where rings and trees run between the switches of a static network. Pure geometry, in hops.

Every directed link keeps right of the line between its switches. No two ways use one directed
link, so no two of them lie on one another.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from syncfabric.models.networks.mesh import Node
from syncfabric.sim.draw.strokes import Point

__all__ = ["AWAY", "Branch", "branches", "middle", "ring_lane"]

AWAY = 0.085
"""Distance of a link's lane from the line between its switches."""

Link = tuple[Node, Node]


class Branch(NamedTuple):
    """A link of a tree, with the bend at its beginning.

    ``depth`` is the links from the root to its end; at a ``leaf`` the tree goes no further.
    """

    link: Link
    depth: int
    lane: list[Point]
    leaf: bool


def ring_lane(ring: Sequence[Node]) -> list[Point]:
    """Return a closed lane round a ring: the middle of its last link, its bends, the same point.

    Parameters
    ----------
    ring : sequence of Node
        Its switches in order, each next to the one before; the first follows the last.
    """
    links = list(zip(ring, [*ring[1:], ring[0]], strict=True))
    begin = middle(links[-1])
    bends = [
        point
        for before, after in zip([links[-1], *links[:-1]], links, strict=True)
        for point in _bend(before, after)
    ]
    return [begin, *bends, begin]


def branches(root: Node, edges: Iterable[tuple[Node, Node]], rim: float) -> list[Branch]:
    """Return every link of a tree, from the root outwards; each begins where one above it ends.

    Parameters
    ----------
    root : Node
    edges : iterable of (Node, Node)
        Every switch and the one above it, from the root outwards.
    rim : float
        How far from its ends a link's lane begins and ends: there the members' discs are.
    """
    edges = list(edges)
    depth, entry = {root: 0}, dict(edges)
    inner = set(entry.values())
    found = []
    for switch, above in edges:
        depth[switch] = depth[above] + 1
        link = (above, switch)
        if above == root:
            lane = [_beside(link, 0, rim)]
        else:
            before = (entry[above], above)
            lane = [_beside(before, 1, -rim), *_bend(before, link)]
        lane.append(_beside(link, 1, -rim))
        found.append(Branch(link, depth[switch], lane, switch not in inner))
    return found


def middle(link: Link) -> Point:
    """Return the middle of a link's lane."""
    (ax, ay), (bx, by) = _beside(link, 0, 0.0), _beside(link, 1, 0.0)
    return (ax + bx) / 2, (ay + by) / 2


def _way(link: Link) -> Node:
    (ax, ay), (bx, by) = link
    return bx - ax, by - ay


def _beside(link: Link, end: int, along: float) -> Point:
    """Return the point of a link's lane that is ``along`` after one of its ends."""
    (x, y), (dx, dy) = link[end], _way(link)
    # To the right of (dx, dy) is (dy, -dx).
    return x + dx * along + dy * AWAY, y + dy * along - dx * AWAY


def _bend(before: Link, after: Link) -> list[Point]:
    """Return where one link's lane goes over into another's; nothing where that is straight on."""
    if _way(before) == _way(after):
        return []
    if _way(before) == (-_way(after)[0], -_way(after)[1]):
        return [_beside(before, 1, AWAY), _beside(after, 0, -AWAY)]
    (x, y), (bx, by), (ax, ay) = after[0], _way(before), _way(after)
    return [(x + (by + ay) * AWAY, y - (bx + ax) * AWAY)]
