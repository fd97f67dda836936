"""A schedule, in steps or in chunks, as each rank has to carry it out; and a rank that does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from syncfabric.models.collectives.chunks.checker import check
from syncfabric.models.collectives.chunks.schedule import Exchange
from syncfabric.models.collectives.chunks.schedule import Schedule as InChunks
from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.errors import SpecError
from syncfabric.sim.ranks.payloads import WORD, Bytes, Name


class PartStep(NamedTuple):
    """What a rank does in a step. A slot is the place of a block of data."""

    receives: tuple[tuple[int, int], ...]
    """From which rank, into which slot."""
    sends: tuple[tuple[int, int], ...]
    """To which rank, from which slot."""
    adds: tuple[tuple[int, int], ...] = ()
    """After that: to which slot which one is added."""
    copies: tuple[tuple[int, int], ...] = ()
    """And in which slot's place which one comes."""


@dataclass(frozen=True)
class Part:
    """What one rank does.

    Parameters
    ----------
    slots : int
    own : tuple of (slot, name)
        What it has at the beginning.
    wanted : tuple of (slot, name)
        What it must have in the end, and what it relays; of a reduction (d, d) is the sum of all
        messages to d.
    steps : tuple of PartStep
        Those in which it does something.
    each : int
        Slots from the named one on that what it has or wants takes.
    early : bool
        Whether all is received from the beginning on, in slots of its own, and a send is only to be
        over when its slot changes; else a step ends with its messages.
    """

    slots: int
    own: tuple[tuple[int, Name], ...]
    wanted: tuple[tuple[int, Name], ...]
    steps: tuple[PartStep, ...]
    each: int = 1
    early: bool = False


def reduces(collective: Collective) -> bool:
    """Whether nodes combine what they pass on."""
    return collective.kind in ("AOR", "AAR")


def message_name(collective: Collective, message: tuple[int, int]) -> Name:
    """Return what a transfer of a message carries: a broadcast's copies are all the same."""
    origin, target = message
    if collective.broadcast:
        return origin, origin
    return (target, target) if reduces(collective) else message


def wanted_by(collective: Collective) -> dict[int, list[Name]]:
    """Return for each receiver what it must have in the end."""
    wanted: dict[int, dict[Name, None]] = {}
    for pair in collective.pairs:
        wanted.setdefault(pair[1], {})[message_name(collective, pair)] = None
    return {node: list(names) for node, names in wanted.items()}


def parts_of(schedule: Schedule) -> list[Part]:
    """Return the part of each rank; a rank is a node.

    Parameters
    ----------
    schedule : Schedule
        One that the checker finds right: what a node sends, it has received in a step before.
    """
    collective, nodes = schedule.collective, range(schedule.topology.nodes)
    adds_up = reduces(collective)
    slots: list[dict[Name, int]] = [{} for _ in nodes]
    own: list[dict[int, Name]] = [{} for _ in nodes]
    steps: list[list[PartStep]] = [[] for _ in nodes]
    for node, name in _owned(schedule):
        held = (name[1], name[1]) if adds_up else name
        own[node][slots[node].setdefault(held, len(slots[node]))] = name
    # In a reduction a node has a slot for each sum from the beginning; its spare ones follow.
    sums, spare = len(collective.receivers), [0 for _ in nodes]
    for transfers in schedule.steps:
        receives: dict[int, list[tuple[int, Name]]] = {node: [] for node in nodes}
        sends: dict[int, list[tuple[int, int]]] = {node: [] for node in nodes}
        for message, path in transfers:
            name = message_name(collective, message)
            # Both ends list what goes from one to the other in the same order: no tag is needed.
            sends[path[0]].append((path[-1], slots[path[0]][name]))
            receives[path[-1]].append((path[0], name))
        for node in nodes:
            into, adds = [], []
            for place, (peer, name) in enumerate(receives[node]):
                slot = slots[node].setdefault(name, len(slots[node]))
                into.append((peer, sums + place if adds_up else slot))
                if adds_up:
                    adds.append((slot, sums + place))
                    spare[node] = max(spare[node], place + 1)
            if into or sends[node]:
                steps[node].append(PartStep(tuple(into), tuple(sends[node]), tuple(adds)))
    wanted, found = wanted_by(collective), []
    for node in nodes:
        names = dict.fromkeys(wanted.get(node, []))
        if not adds_up:
            # What it only relays can be checked as well.
            relayed = (name for name, slot in slots[node].items() if slot not in own[node])
            names |= dict.fromkeys(relayed)
        kept = tuple((slots[node][name], name) for name in names)
        count = len(slots[node]) + spare[node]
        found.append(Part(count, tuple(own[node].items()), kept, tuple(steps[node])))
    return found


def _owned(schedule: Schedule) -> Iterator[tuple[int, Name]]:
    """Yield which rank has what at the beginning; in a reduction its own part of each sum."""
    collective = schedule.collective
    if collective.broadcast:
        yield from ((sender, (sender, sender)) for sender in collective.senders)
    elif reduces(collective):
        nodes = range(schedule.topology.nodes)
        yield from ((node, (node, target)) for target in collective.receivers for node in nodes)
    else:
        yield from ((pair[0], pair) for pair in collective.pairs)


Changes = list[tuple[Any, Any, bool]]
"""Blocks, others, and whether these are added to them or take their place."""


def chunk_parts(schedule: InChunks) -> list[Part]:
    """Return the part of each rank; a slot is an item, and those behind what has come.

    A send begins when all that is before it in the schedule is done at its rank. Both ends of a
    pair have the same order, so no tags are needed.

    Raises
    ------
    SpecError
        The schedule is wrong, or its items are no whole numbers of bytes, or of the words that are
        added up.
    """
    exchange = schedule.exchange
    unit = WORD if exchange.combines else 1
    if exchange.piece % unit:
        least = unit * exchange.parts * round(exchange.size / exchange.share)
        raise SpecError(
            f"bytes must be a multiple of {least:,}, so that each chunk has whole"
            f" {'numbers of 8 bytes' if exchange.combines else 'bytes'}, not {exchange.size:,};"
            " schedule it with such a --bytes"
        )
    outcome = check(schedule)
    if outcome.broken:
        more = f" (and {outcome.broken - 1:,} more)" if outcome.broken > 1 else ""
        raise SpecError(f"the schedule is wrong: {outcome.wrong[0]}{more}")
    ranks, parts = range(exchange.ranks), exchange.parts
    own, wanted = ([list(_named(exchange, rank, end)) for rank in ranks] for end in (0, 1))
    # Of what is for others alone, only what is passed on.
    items = [
        {share * parts + part for share, _ in (*own[rank], *wanted[rank]) for part in range(parts)}
        for rank in ranks
    ]
    for item, path, _ in schedule.sends:
        items[path[0]].add(item)
        items[path[-1]].add(item)
    slots = [{item: slot for slot, item in enumerate(sorted(some))} for some in items]
    count, steps = [len(some) for some in slots], [list[PartStep]() for _ in ranks]
    for item, path, combine in schedule.sends:
        here, there = path[0], path[-1]
        steps[here].append(PartStep((), ((there, slots[here][item]),)))
        change = ((slots[there][item], count[there]),)
        changes = {"adds" if combine else "copies": change}
        steps[there].append(PartStep(((here, count[there]),), (), **changes))
        count[there] += 1
    found = []
    for rank, at in enumerate(slots):
        has, gets = (tuple((at[n * parts], name) for n, name in end[rank]) for end in (own, wanted))
        found.append(Part(count[rank], has, gets, tuple(steps[rank]), parts, early=True))
    return found


def _named(exchange: Exchange, rank: int, end: int) -> Iterator[tuple[int, Name]]:
    """Yield the shares that a rank begins (0) or ends (1) with, named as in the library's call."""
    for number, share in enumerate(exchange.shares):
        if rank in share[end]:
            owner = exchange.owners[number]
            name = rank if end == 0 else owner, owner
            if exchange.personal:
                name = share.sources[0], share.targets[0]
            yield number, name


class Carrier:
    """One rank's part, ready to be played any number of times.

    The requests are made once, so that playing takes two calls of MPI a step: all messages of a
    step are in flight at once.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        Its rank is the node.
    part : Part
    size : int
        Bytes of a message; of all slots of what a rank has or wants.
    """

    name = "schedule"

    def __init__(self, world: Any, part: Part, size: int) -> None:
        from mpi4py import MPI

        self._part = part
        self._blocks = np.zeros((part.slots, size // part.each), np.uint8)
        self._start, self._wait = MPI.Prequest.Startall, MPI.Request.Waitall
        self._steps = list[tuple[list[Any], list[Any], Changes]]()
        self._receives, self._sends = list[Any](), list[Any]()
        sent: dict[int, list[Any]] = {}
        for step in part.steps:
            receives = [world.Recv_init(self._blocks[slot], peer) for peer, slot in step.receives]
            sends = [world.Send_init(self._blocks[slot], peer) for peer, slot in step.sends]
            self._receives += receives
            self._sends += sends
            changes = [(self._words(to), self._words(spare), True) for to, spare in step.adds]
            changes += [(self._blocks[to], self._blocks[spare], False) for to, spare in step.copies]
            if part.early:
                for request, (_, slot) in zip(sends, step.sends, strict=True):
                    sent.setdefault(slot, []).append(request)
                over = [r for to, _ in (*step.adds, *step.copies) for r in sent.pop(to, ())]
                self._steps.append((sends, receives + over, changes))
            else:
                self._steps.append((receives + sends, receives + sends, changes))

    def fill(self, payload: Callable[[Name], Bytes]) -> None:
        """Put what this rank has at the beginning into its slots, and wipe the others."""
        self._blocks[:] = 0
        for slot, name in self._part.own:
            self._named(slot)[:] = payload(name)

    def run(self) -> None:
        """Play all steps."""
        early = self._part.early
        self._start(self._receives if early else [])
        for starts, waits, changes in self._steps:
            self._start(starts)
            self._wait(waits)
            for block, other, adds in changes:
                if adds:
                    block += other
                else:
                    block[:] = other
        self._wait(self._sends if early else [])

    def got(self) -> dict[Name, Bytes]:
        """Return what this rank was to have in the end."""
        return {name: self._named(slot) for slot, name in self._part.wanted}

    def free(self) -> None:
        """Give the requests back."""
        for request in (*self._receives, *self._sends):
            request.Free()

    def _named(self, slot: int) -> Bytes:
        """Return the bytes of what has a name, from its first slot on."""
        return self._blocks[slot : slot + self._part.each].reshape(-1)

    def _words(self, slot: int) -> Any:
        """Return a block as numbers to be added up."""
        assert self._blocks.shape[1] % WORD == 0
        return self._blocks[slot].view(np.uint64)
