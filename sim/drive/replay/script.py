"""What nodes' software sends when a schedule is played, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

__all__ = ["NUMBER_BITS", "Mode", "Passage", "Replay", "ReplayOutcome", "Send", "data_flits"]

NUMBER_BITS = 20
"""Low bits of every flit of data: the number of the packet."""

Mode = Literal["barriers", "ordered", "free"]
"""When packets go: see `Replay`."""


class Send(NamedTuple):
    """A packet; its number is its place in `Replay.sends`."""

    step: int
    """From 0."""
    source: int
    target: int
    """Numbers of the nodes of the network, which are ports of processors."""
    channel: int
    payloads: Sequence[int]
    needs: Sequence[int]
    """Packets that must have come in before it can go."""


@dataclass(frozen=True)
class Replay:
    """Packets of a schedule.

    Parameters
    ----------
    sends : tuple of Send
        Those of a port in the order in which it sends them.
    processors : tuple of int
        The processor that each node of the network is a port of.
    steps : int
    mode : str
        ``barriers``: a processor sends its packets of a step when it is released from the barrier
        before it, and arrives when all packets for it have come in; the one group has a member of
        each processor, in their order, and ``steps`` - 1 episodes. ``ordered``: each port sends
        its packets one after the other, as soon as what they need has come in. ``free``: likewise,
        but no packet waits for one before it.
    """

    sends: tuple[Send, ...]
    processors: tuple[int, ...]
    steps: int
    mode: Mode

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Replay:
        """Read what ``dataclasses.asdict`` made, by way of JSON."""
        sends = tuple(Send(*send) for send in values["sends"])
        return cls(sends, tuple(values["processors"]), values["steps"], values["mode"])


class Passage(NamedTuple):
    """A packet on a link: its number, and the cycles of what is left of its head and of its tail.

    The link's number is that of ``sim/assemble/links.py``.
    """

    number: int
    link: int
    first: int
    last: int


@dataclass
class ReplayOutcome:
    """What became of the packets.

    Parameters
    ----------
    due : list of int
        By packet: the cycle in which it could go, and its port had it to send.
    begins : list of int
        The cycle in which the first processor begins each step; with ``barriers`` only.
    passages : list of Passage
        As the hardware's links showed them.
    """

    due: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ReplayOutcome:
        """Read what ``dataclasses.asdict`` made, by way of JSON."""
        return cls(values["due"], values["begins"], [Passage(*p) for p in values["passages"]])


def data_flits(number: int, count: int) -> list[int]:
    """Return the payloads of a packet's data, no two packets' alike."""
    return [place << NUMBER_BITS | number for place in reversed(range(count))]
