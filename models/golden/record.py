"""What goes into a golden network, what comes out, and who may look on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

__all__ = [
    "Answer",
    "ConfigRequest",
    "GuardWires",
    "Message",
    "Observer",
    "Packet",
    "Record",
    "Recorder",
]

Answer: TypeAlias = tuple[bool, bool, int]
"""Of the config port: ready, error and data."""


@dataclass(frozen=True, slots=True)
class ConfigRequest:
    """One request on the config port.

    Parameters
    ----------
    node : int
        Number of the place that is addressed: on a mesh a node; on an irregular network a node, or
        a switch as the number of nodes + its own.
    address : int
        Word address, 12 bits; see ``models/messages/``.
    write : bool
        Write ``data``, else read.
    data : int
        Word to write, 32 bits.
    """

    node: int
    address: int
    write: bool
    data: int = 0


class GuardWires(NamedTuple):
    """What the guards of a directed link put on it, besides what routers do (F1).

    ``empty`` runs back against the link.
    """

    check: int
    sync_check: int
    probe: int
    empty: int


class Record(NamedTuple):
    """What is on the wires in one cycle.

    Link ``router * ports + port`` is the output of a router (mesh: 5 ports) or switch, link
    ``routers * ports + node`` leads from a node into it. With S classes of synchronization (mesh:
    2, irregular: 1), bit ``link * (V + S) + c`` is ordinary channel c, or class c - V.

    Attributes
    ----------
    valid : int
        Bits of the flits and messages on the links.
    credit : int
        Bits of the credits, each at the link whose flits it pays for.
    payloads : list of int
        The ``flit`` (or ``sync``) wires of every valid bit, in ascending order of the bits.
    release : int
        Bit ``node * R + r`` for every register r of the R of a node port that is released.
    results : list of int
        The result of each released register, in ascending order of the bits.
    wires : list of (link, word)
        What barrier wires show that differs from the cycle before, in ascending order of the links:
        section W7 of docs/microarchitecture-wires.md; links have the numbers of W5.
    guards : list of (link, GuardWires)
        What guards show on links where any of it is not 0, in ascending order of the links.
    """

    valid: int
    credit: int
    payloads: Sequence[int]
    release: int
    results: Sequence[int]
    wires: Sequence[tuple[int, int]] = ()
    guards: Sequence[tuple[int, GuardWires]] = ()


class Recorder:
    """Makes the records of a network of ``lanes`` lanes, with ``registers`` at a node port."""

    def __init__(self, lanes: int, registers: int) -> None:
        self.registers = registers
        self.bit = [1 << lane for lane in range(lanes)].__getitem__

    def record(
        self,
        wires: Mapping[int, int],
        credit: Iterable[int],
        release: Sequence[tuple[int, int, int]],
        shown: Sequence[tuple[int, int]] = (),
    ) -> Record:
        """Return a cycle's record from wires by lane, credits, releases, and wires of slots."""
        order, registers = sorted(wires), self.registers
        return Record(
            sum(map(self.bit, order)),
            sum(map(self.bit, credit)),
            [wires[lane] for lane in order],
            sum([1 << node * registers + register for node, register, _ in release]),
            [result for _, _, result in release],
            shown,
        )


class Message(NamedTuple):
    """A synchronization message under way.

    ``raw`` is its image on the wires; ``code`` its destination, x in the low bits, y above, and
    ``turn`` its class (on a mesh); ``source`` and ``sent`` (a cycle) are for the observer only.
    """

    raw: int
    kind: int
    gid: int
    epoch: int
    code: int
    turn: int
    data: int
    source: int
    sent: int


class Packet:
    """An ordinary packet under way; times are cycles."""

    __slots__ = ("created", "destination", "injected", "source")

    def __init__(self, source: int, destination: int, created: int, injected: int) -> None:
        self.source = source
        self.destination = destination
        self.created = created
        self.injected = injected


class Observer(Protocol):
    """Hears of what happens inside a golden network; override what is wanted."""

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        """Note a packet whose tail was on the link to its destination in cycle ``ejected``.

        Its head was on the link from its source in cycle ``injected``.
        """
        return

    def flit(self, link: int, cycle: int) -> None:
        """Note an ordinary flit on a link."""
        return
