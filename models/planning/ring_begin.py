"""Rings to begin with: along a round trip of the members, or through two of them."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.planning.mesh_links import MeshLinks
from syncfabric.models.planning.tour import short_tour
from syncfabric.models.planning.walk import shortest_walk

__all__ = ["DETOURS", "along_tour", "through_two"]

DETOURS = (8, 40)
"""Links that a way may have beyond the distances, first and second try."""


def along_tour(links: MeshLinks, members: Sequence[int]) -> list[int] | None:
    """Return a ring that visits members in the order of a short round trip, or None.

    It may miss some, where the way to them is taken or would be taken twice.
    """
    tour = short_tour([links.mesh.node(member) for member in members])
    order = [members[place] for place in tour]
    ways = [way for link in links.into(order[0]) if (way := _follow(links, link, order))]
    return min(ways, key=len, default=None)


def through_two(links: MeshLinks, first: int, other: int) -> list[int] | None:
    """Return a shortest ring through two switches, or None."""
    for detour in DETOURS:
        most = 2 * links.distance(first, other) + detour
        best = None
        for link in links.into(first):
            found = shortest_walk(links, link, link, (first, other), most)
            if found is not None and len({link, *found}) == len(found) + 1:
                best, most = [link, *found], len(found) - 1
        if best is not None:
            return best
    return None


def _follow(links: MeshLinks, start: int, order: Sequence[int]) -> list[int] | None:
    """Return a ring from a link into the first switch past the others in turn, or None."""
    way, passed = [start], {order[0]}
    links.free[start] = 0
    for switch, following in zip(order[1:], [*order[2:], order[0]], strict=True):
        if switch not in passed:
            leg = _leg(links, way[-1], switch, following)
            way += leg
            passed.update(map(links.head, leg))
    last = _walk(links, way[-1], start, start >> 2)
    for link in way:
        links.free[link] = 1
    return None if last is None else way + last


def _leg(links: MeshLinks, start: int, switch: int, following: int) -> list[int]:
    """Take the links of a shortest way to a switch, and return them; none if it is closed off.

    Of the ways out of the switch that it leaves open, the one towards the next switch counts.
    """
    ways = []
    for side in range(4):
        out = 4 * switch + side
        if links.free[out] and (found := _walk(links, start, out, switch)):
            ways.append((len(found) + links.distance(links.head(out), following), found))
    best = min(ways, default=(0, []))[1]
    for link in best:
        links.free[link] = 0
    return best


def _walk(links: MeshLinks, start: int, goal: int, switch: int) -> list[int] | None:
    most = links.distance(links.head(start), switch)
    return next(
        (
            found
            for detour in DETOURS
            if (found := shortest_walk(links, start, goal, (), most + detour)) is not None
        ),
        None,
    )
