"""A schedule as each rank has to carry it out: what it sends and receives, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.sim.ranks.payloads import Name


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
    """Yield who has what at the beginning; in a reduction its own part of each sum."""
    collective = schedule.collective
    if collective.broadcast:
        yield from ((sender, (sender, sender)) for sender in collective.senders)
    elif reduces(collective):
        nodes = range(schedule.topology.nodes)
        yield from ((node, (node, target)) for target in collective.receivers for node in nodes)
    else:
        yield from ((pair[0], pair) for pair in collective.pairs)
