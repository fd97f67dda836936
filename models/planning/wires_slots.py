"""Which groups of barrier wires go into which slots.

Groups are laid one after another (``wires_board``). While some are left out, one of them is laid
across others, and these are laid anew: rip-up and reroute, as in ``side_by_side``. It stays so if
no fewer groups are laid than before. Small sets of groups are then packed exactly, over trees that
came up on the way (``wires_pack``). Everything random comes from one fixed seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from syncfabric.models.planning.wires_board import Board, Laid, Wanted
from syncfabric.models.planning.wires_graph import WireGraph
from syncfabric.models.planning.wires_pack import pack
from syncfabric.models.planning.wires_tree import WireTree

__all__ = ["Laid", "Wanted", "lay_groups", "least_slots"]

TRIES = 30
"""Times for each group that is left out, at most ``MOST_TRIES``, that one is laid across others."""
MOST_TRIES = 1_000
WORK = 2_000_000
"""Routers, about, that are looked at in these."""
LOOKS = 3
"""Slots, drawn at random, of which the one is taken where fewest others are in the way."""
KEPT = 0.5
"""Part of the others there that a tree leaves alone if it can."""
PACKED, OPTIONS = 6_000, 6
"""Units of all trees times slots up to which they are packed exactly; and trees of each group."""


def least_slots(graph: WireGraph, wanted: Sequence[Wanted]) -> int:
    """Return slots that the groups need at least, whatever their trees.

    It is the most of them that have members at one unit, or the routers that all trees have at
    least for each that there is, whichever is more.
    """
    routers = sum(graph.centre(group.routers).least for group in wanted if group.routers)
    return max(_load(wanted), -(-routers // len(graph.ends)))


def lay_groups(graph: WireGraph, wanted: Sequence[Wanted], slots: int) -> dict[int, Laid]:
    """Return a slot and a tree for as many of the groups as are found room for, by id."""
    board = Board(graph, wanted, slots)
    must = max(0, _load(wanted) - slots)  # one unit is a member of so many more than it has slots
    _fill(board, must)
    _push_in_the_rest(board, must)
    if len(board.left) > must or _used(board.laid) > least_slots(graph, wanted):
        _pack(board)
    return board.laid


def _load(wanted: Iterable[Wanted]) -> int:
    """Return the most groups that have members at one unit."""
    units = Counter(unit for group in wanted for unit in (*group.routers, *group.own))
    return max(units.values(), default=0)


def _fill(board: Board, must: int) -> None:
    """Lay the groups one after another: large ones first or, if not all fit, otherwise.

    ``must`` are how many groups cannot but be left out.
    """
    small_first = sorted(board.wanted, key=board.size)
    large_first = sorted(board.wanted, key=lambda gid: (-board.size(gid)[0], gid))
    best: dict[int, Laid] = {}
    for order in (large_first, small_first, list(board.wanted)):
        board.restore({})
        for gid in order:
            board.lay(gid)
        if len(board.laid) > len(best):
            best = board.laid
        if len(board.left) <= must:
            break
    board.restore(best)


def _push_in_the_rest(board: Board, must: int) -> None:
    """Lay groups that are left out across others, as long as that may help."""
    rng, limit = random.Random(len(board.wanted)), board.work + WORK
    for _ in range(min(MOST_TRIES, TRIES * len(board.left))):
        left = board.left
        if len(left) <= must or board.work > limit:
            return
        before = board.laid
        gid = rng.choice(left)
        ripped = _push_in(board, gid, rng)
        for other in sorted(ripped, key=board.size):
            board.lay(other)
        for other in board.left:  # there is room only where some were ripped
            board.lay(other, [board.laid[gid].slot])
        if len(board.laid) < len(before):
            board.restore(before)


def _push_in(board: Board, gid: int, rng: random.Random) -> list[int]:
    """Lay a group's tree across others of one slot; return them, laid no more."""
    ways = []
    for slot in rng.sample(range(board.slots), min(LOOKS, board.slots)):
        there = [other for other, laid in board.laid.items() if laid.slot == slot]
        ways.append(board.across(gid, slot, [other for other in there if rng.random() < KEPT]))
    ripped, laid = min(ways, key=lambda way: len(way[0]))
    board.replace(ripped, gid, laid)
    return ripped


def _pack(board: Board) -> None:
    """Pack small sets exactly; keep it if more groups are laid, or as many in fewer slots."""
    ids = list(board.wanted)
    options = {gid: _options(board, gid) for gid in ids}
    if sum(len(units) for trees in options.values() for units in trees) * board.slots > PACKED:
        return
    found = pack([list(options[gid]) for gid in ids], board.slots)
    packed = {
        gid: Laid(place.slot, options[gid][place.units])
        for gid, place in zip(ids, found, strict=True)
        if place is not None
    }
    if (len(packed), -_used(packed)) > (len(board.laid), -_used(board.laid)):
        board.restore(packed)


def _options(board: Board, gid: int) -> dict[frozenset[int], WireTree | None]:
    """Return some trees of a group by their units: the one that it has, and small ones."""
    seen = board.seen[gid]
    now = board.units(gid, board.laid[gid].tree) if gid in board.laid else None
    order = sorted(seen, key=lambda units: (units != now, len(units), sorted(units)))
    return {units: seen[units] for units in order[:OPTIONS]}


def _used(laid: Mapping[int, Laid]) -> int:
    return len({where.slot for where in laid.values()})
