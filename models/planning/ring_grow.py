"""A short ring through any members: grown member by member, then torn open and mended.

A heuristic, after farthest insertion and ruin and recreate for round trips (G. Schrimpf and others,
Record Breaking Optimization Results Using the Ruin and Recreate Principle, J. Computational
Physics 159, 2000). Everything random comes from one fixed seed. The order to begin with is that of
a short round trip by the distances alone: nearest neighbour, then 2-opt and moves of up to three
places elsewhere (Or-opt), always the best move there is, until there is none.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator, Sequence

import numpy as np

from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.mesh_links import MeshLinks
from syncfabric.models.planning.trail import Trail, shortest_walk
from syncfabric.models.planning.tree import Ints

__all__ = ["DETOURS", "along_tour", "grow", "shake", "short_tour", "through_two"]

NEAR = 5
"""Places on the ring that are tried for a new member."""
WIDTHS = (0, 1, 2, 4, 6)
"""Links that may go where a member comes in."""
WINDOWS = (6, 10, 14)
"""Links that are laid anew together."""
FIRST = 4
"""Members from which a ring is begun, until one is found."""
CHANCES = 3
"""Times that members are led in by chance, if all else fails."""
TOURED = 1000
"""Members up to which a round trip is worked out."""
FAR = 1 << 30
"""More than any distance."""
WIDEST = 30
"""Links that are torn out at once at most."""


def grow(links: MeshLinks, members: Sequence[int], known: Sequence[list[int]] = ()) -> Trail | None:
    """Return a ring through all members, or None where none was found.

    Parameters
    ----------
    links : MeshLinks
        Of these it takes its own.
    members : sequence of int
        Two switches or more; the first is where it begins to grow.
    known : sequence of list of int
        Rings over free links that may serve.
    """
    begun = [*known, *_beginnings(links, members)]
    ways = [way for start in begun if (way := _complete(links, members, start, None))]
    if not ways:
        rng = random.Random(len(members))
        for start in begun * CHANCES:
            if way := _complete(links, members, start, rng):
                ways.append(way)
                break
    return Trail(links, members, min(ways, key=len)) if ways else None


def _beginnings(links: MeshLinks, members: Sequence[int]) -> Iterator[list[int]]:
    """Yield rings to begin with."""
    if len(members) <= TOURED and (way := along_tour(links, members)):
        yield way
    for first in members[:FIRST]:
        other = max(members, key=lambda v: (links.distance(first, v), v))
        if way := through_two(links, first, other):
            yield way
            return


def _complete(
    links: MeshLinks, members: Sequence[int], start: list[int], rng: random.Random | None
) -> list[int] | None:
    """Return the links of a ring with all members in it, tightened; the links stay free."""
    trail = Trail(links, members, start)
    complete = _insert_all(trail, rng)
    if complete:
        trail.tighten(WINDOWS)
    way = trail.way
    trail.become(())
    return way if complete else None


def shake(trail: Trail, rounds: int, least: int) -> None:
    """Tear pieces out, lead their members in elsewhere, and keep what is not longer.

    Parameters
    ----------
    trail : Trail
        A ring through all its members.
    rounds : int
        Pieces to tear out.
    least : int
        A length that no ring can go below: it ends there.
    """
    rng = random.Random(len(trail))
    kept = list(trail.way)
    for _ in range(rounds):
        count = len(trail)
        if count <= least:
            return
        at, width = rng.randrange(count), rng.randint(4, max(4, min(count - 2, WIDEST)))
        if not _tear(trail, at, width):
            continue
        trail.fresh.clear()
        if _insert_all(trail, rng) and len(trail) <= count + 2:
            trail.tighten(WINDOWS[:2])
        if trail.missing() or len(trail) > count:
            trail.become(kept)
        kept = list(trail.way)
        trail.fresh.clear()


def _tear(trail: Trail, at: int, width: int) -> bool:
    """Lead the ring straight from link to link, past no member's sake; return whether it can."""
    count = len(trail)
    if width > count - 2:
        return False
    piece = [trail.way[(at + 1 + i) % count] for i in range(width)]
    for link in piece:
        trail.links.free[link] = 1
    start, goal = trail.way[at], trail.way[(at + 1 + width) % count]
    found = shortest_walk(trail.links, start, goal, (), width + DETOURS[0])
    for link in piece:
        trail.links.free[link] = 0
    if found is None or len(found) + count - width < 4:
        return False
    trail.put(at, width, found)
    return True


def _insert_all(trail: Trail, rng: random.Random | None) -> bool:
    """Lead the ring past all members that it misses: the farthest first, or in any order."""
    away = dict.fromkeys(trail.missing(), FAR)
    laid: Sequence[int] = trail.way
    while away:
        if rng is None:
            _come_near(trail.links, away, laid)
            switch = max(away, key=lambda v: (away[v], v))
        else:
            switch = rng.choice(list(away))
        found = (_insert(trail, switch, detour) for detour in DETOURS)
        laid = next((links for links in found if links is not None), ())
        if not laid:
            return False
        for link in laid:
            away.pop(trail.links.head(link), None)
    return True


def _come_near(links: MeshLinks, away: dict[int, int], laid: Sequence[int]) -> None:
    """Lower the distances of switches to what new links make them."""
    places = {links.head(link) for link in laid}
    for switch, distance in away.items():
        away[switch] = min(distance, *(links.distance(switch, place) for place in places))


def _insert(trail: Trail, switch: int, detour: int) -> list[int] | None:
    """Lead the ring past a switch where that makes it longer by least; return the new links."""
    links, count = trail.links, len(trail)
    away = [links.distance(links.head(link), switch) for link in trail.way]
    best: tuple[int, int, list[int]] | None = None
    longer = FAR
    for place in heapq.nsmallest(NEAR, range(count), key=away.__getitem__):
        most = min(longer - 1, 2 * away[place] + detour)
        for width in WIDTHS:
            for at in {place, (place - width // 2) % count}:
                found = trail.reroute(at, width, (switch,), width + most)
                if found is not None:
                    longer = len(found) - width
                    most = longer - 1
                    best = at, width, found
    if best is None:
        return None
    trail.put(*best)
    return best[2]


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


PIECES = (1, 2, 3)
"""Places that are moved together."""


def short_tour(places: Sequence[Node]) -> list[int]:
    """Return an order of the places, as their positions; the first stays the first.

    Parameters
    ----------
    places : sequence of Node
        One or more; time grows with the third power of their number.
    """
    at = np.array(places, dtype=np.int64).reshape(-1, 2)
    away = np.abs(at[:, None] - at).sum(axis=2)
    order = _nearest(away)
    while len(order) > 3 and (_reverse(order, away) or any(_move(order, away, n) for n in PIECES)):
        pass
    start = int(np.flatnonzero(order == 0)[0])
    return [*order[start:].tolist(), *order[:start].tolist()]


def _nearest(away: Ints) -> Ints:
    left = np.ones(len(away), dtype=bool)
    order = [0]
    left[0] = False
    far = int(away.max()) + 1
    while left.any():
        order.append(int(np.where(left, away[order[-1]], far).argmin()))
        left[order[-1]] = False
    return np.array(order, dtype=np.int64)


def _reverse(order: Ints, away: Ints) -> bool:
    """Turn round the part of the tour that shortens it most; return whether there is one."""
    after = np.roll(order, -1)
    now = away[order, after]
    gain = now[:, None] + now - away[order[:, None], order] - away[after[:, None], after]
    np.fill_diagonal(gain, 0)
    first, last = divmod(int(gain.argmax()), len(order))
    if gain[first, last] <= 0:
        return False
    first, last = sorted((first, last))
    order[first + 1 : last + 1] = order[first + 1 : last + 1][::-1].copy()
    return True


def _move(order: Ints, away: Ints, size: int) -> bool:
    """Move the part of ``size`` places that shortens the tour most; return whether there is one."""
    count = len(order)
    if count < size + 3:
        return False
    head, tail = order, np.roll(order, 1 - size)
    before, behind = np.roll(order, 1), np.roll(order, -size)
    saved = away[before, head] + away[tail, behind] - away[before, behind]
    # To between the places i and i + 1: the same way round, or turned.
    left, right = order, np.roll(order, -1)
    gap = away[left, right]
    same = away[head[:, None], left] + away[tail[:, None], right] - gap
    turned = away[tail[:, None], left] + away[head[:, None], right] - gap
    gain = saved[:, None] - np.minimum(same, turned)
    places = np.arange(count)
    inside = (places - places[:, None] + 1) % count <= size  # the part's own gaps
    gain[inside] = 0
    part, to = divmod(int(gain.argmax()), count)
    if gain[part, to] <= 0:
        return False
    ring = np.roll(order, -part)
    piece, rest = ring[:size], ring[size:]
    cut = (to - part) % count - size + 1
    if turned[part, to] < same[part, to]:
        piece = piece[::-1]
    order[:] = np.concatenate([rest[:cut], piece, rest[cut:]])
    return True
