"""A schedule as each rank has to carry it out: what it sends and receives, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.schedule import Schedule, Transfer
from syncfabric.sim.ranks.payloads import Name

__all__ = ["Part", "PartStep", "message_name", "parts_of", "reduces", "wanted_by"]


class PartStep(NamedTuple):
    """What a rank does in a step. A slot is the place of a block of data."""

    receives: tuple[tuple[int, int], ...]
    """From which rank, into which slot."""
    sends: tuple[tuple[int, int], ...]
    """To which rank, from which slot."""
    adds: tuple[tuple[int, int], ...]
    """After that: to which slot which one is added."""


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
    """

    slots: int
    own: tuple[tuple[int, Name], ...]
    wanted: tuple[tuple[int, Name], ...]
    steps: tuple[PartStep, ...]


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


@dataclass
class _Making:
    """A part that grows."""

    slot_of: dict[Name, int] = field(default_factory=dict)
    own: dict[int, Name] = field(default_factory=dict)
    steps: list[PartStep] = field(default_factory=list)
    spare: int = 0
    """Most messages that are added up in a step."""

    def slot(self, name: Name) -> int:
        return self.slot_of.setdefault(name, len(self.slot_of))


def parts_of(schedule: Schedule) -> list[Part]:
    """Return the part of each rank; a rank is a node.

    Parameters
    ----------
    schedule : Schedule
        One that the checker finds right: what a node sends, it has received in a step before.
    """
    collective = schedule.collective
    making = [_Making() for _ in range(schedule.topology.nodes)]
    for node, name in _owned(schedule):
        if reduces(collective):
            making[node].own[making[node].slot((name[1], name[1]))] = name
        else:
            making[node].own[making[node].slot(name)] = name
    for transfers in schedule.steps:
        _add_step(making, collective, transfers)
    wanted = wanted_by(collective)
    made = []
    for node, part in enumerate(making):
        names = dict.fromkeys(wanted.get(node, []))
        if not reduces(collective):
            # What it only relays can be checked as well.
            names |= dict.fromkeys(
                name for name, slot in part.slot_of.items() if slot not in part.own
            )
        made.append(_made(part, list(names)))
    return made


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


def _add_step(
    making: list[_Making], collective: Collective, transfers: tuple[Transfer, ...]
) -> None:
    """Give everyone its part of a step."""
    receives: dict[int, list[tuple[int, Name]]] = {}
    sends: dict[int, list[tuple[int, int]]] = {}
    for message, path in transfers:
        name = message_name(collective, message)
        # Both ends list what goes from one to the other in the same order, so no tag is needed.
        sends.setdefault(path[0], []).append((path[-1], making[path[0]].slot_of[name]))
        receives.setdefault(path[-1], []).append((path[0], name))
    for node in receives.keys() | sends.keys():
        part, into, adds = making[node], [], []
        for place, (peer, name) in enumerate(receives.get(node, ())):
            # A spare slot is counted from -1 down until the number of others is known.
            into.append((peer, -1 - place if reduces(collective) else part.slot(name)))
            if reduces(collective):
                adds.append((part.slot(name), -1 - place))
                part.spare = max(part.spare, place + 1)
        part.steps.append(PartStep(tuple(into), tuple(sends.get(node, ())), tuple(adds)))


def _made(part: _Making, wanted: list[Name]) -> Part:
    slots = len(part.slot_of) + part.spare  # so that -1 % slots is the last
    steps = tuple(
        PartStep(
            tuple((peer, slot % slots) for peer, slot in step.receives),
            step.sends,
            tuple((slot, spare % slots) for slot, spare in step.adds),
        )
        for step in part.steps
    )
    own = tuple(part.own.items())
    return Part(slots, own, tuple((part.slot_of[name], name) for name in wanted), steps)
