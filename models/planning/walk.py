"""The shortest way from link to link that passes some switches and never turns back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from syncfabric.models.planning.mesh_links import AHEAD, MeshLinks

__all__ = ["shortest_walk"]

State = tuple[int, int]
"""The link that was taken last, and a bit for each switch that was passed."""


def shortest_walk(
    links: MeshLinks, start: int, goal: int, marks: Sequence[int], most: int
) -> list[int] | None:
    """Return the links strictly between two, by A* search over (link, switches passed).

    Parameters
    ----------
    links : MeshLinks
        The walk takes free links only, without U-turns. It may take one twice, with other switches
        passed in between.
    start, goal : int
        Links; they may be the same, for a closed walk.
    marks : sequence of int
        Switches to pass in any order; the ends of ``start`` and ``goal`` count. Time and room grow
        with 2 to the power of their number.
    most : int
        Links that the walk may have at most.

    Returns
    -------
    list of int, or None
        None if there is no walk that short.
    """
    width, step, free = links.mesh.width, links.step, links.free
    bit = {switch: 1 << place for place, switch in enumerate(dict.fromkeys(marks))}
    whole = (1 << len(bit)) - 1
    end = goal >> 2
    end_y, end_x = divmod(end, width)
    places = []
    for switch, flag in bit.items():
        y, x = divmod(switch, width)
        places.append((flag, x, y, abs(x - end_x) + abs(y - end_y)))
    begin = start, bit.get(links.head(start), 0) | bit.get(start >> 2, 0) | bit.get(end, 0)
    before: dict[State, State] = {}
    lengths = {begin: 0}
    # By the length that a walk through the state has at least.
    waiting: defaultdict[int, list[State]] = defaultdict(list, {0: [begin]})
    total = 0
    while total <= most:
        if not waiting[total]:
            total += 1
            continue
        state = waiting[total].pop()
        (link, passed), length = state, lengths[state] + 1
        here = (link >> 2) + step[link & 3]
        if here == end and passed == whole and goal & 3 in AHEAD[link & 3]:
            return _back(before, state)
        for port in AHEAD[link & 3]:
            following = 4 * here + port
            if not free[following]:
                continue
            switch = here + step[port]
            now = passed | bit.get(switch, 0)
            after = following, now
            if lengths.get(after, length + 1) <= length:
                continue
            y, x = divmod(switch, width)
            rest = abs(x - end_x) + abs(y - end_y)
            for flag, mark_x, mark_y, on in places:
                if not now & flag:
                    rest = max(rest, abs(x - mark_x) + abs(y - mark_y) + on)
            if length + rest <= most:
                lengths[after], before[after] = length, state
                waiting[length + rest].append(after)
    return None


def _back(before: dict[State, State], state: State) -> list[int]:
    walk = []
    while state in before:
        walk.append(state[0])
        state = before[state]
    return walk[::-1]
