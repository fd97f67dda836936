"""What goes into a golden network, what comes out, and who may look on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class ConfigRequest:
    """One request over the config chain, or on a static network's config port.

    Parameters
    ----------
    node : int
        Number of the target: a node; on an irregular network also a router, as the number of nodes
        + its own.
    address : int
        Word address.
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


class Beat(NamedTuple):
    """A beat of an AXI4-Stream; all fields are those of ``s_axis`` or ``m_axis``.

    ``keep`` has a bit a byte. ``user`` is a head's data going up, and coming down whether the
    group has ended the packet.
    """

    data: int
    keep: int
    last: bool
    tid: int = 0
    user: int = 0


class PortState(NamedTuple):
    """What a process sees of its registers: a bit each, and their results, the lowest first."""

    ready: int = 0
    done: int = 0
    broken: int = 0
    result: int = 0


class Record(NamedTuple):
    """What is on the wires in one cycle.

    Link ``router * ports + port`` is the output of a router (mesh: 5 ports), link
    ``routers * ports + node`` leads from a node into its router. Bits of a link are its ordinary
    channels, above these that of set-up packets, the classes of messages, the slots of barrier
    wires, and the channels of streams and of their faults; a link of a static network has one.

    Attributes
    ----------
    valid : int
        Bits of the flits and messages on the links.
    credit : int
        Bits of the credits, each at the link whose flits it pays for.
    payloads : list of int
        The flit, message or word on the wires of every valid bit, in ascending order of the bits.
    release : int
        Bit ``node * R + r`` for every register r of the R of a node port that is released.
    results : list of int
        The result of each released register, in ascending order of the bits.
    guards : list of (link, GuardWires)
        What guards show on links where any of it is not 0, in ascending order of the links.
    beats : list of (node, Beat)
        Beats of streams' results that processes take, in ascending order of the nodes; bytes that
        do not count are 0.
    ports : list of (node, PortState)
        Where it is not what it was in the cycle before, in ascending order of the nodes.
    """

    valid: int
    credit: int
    payloads: Sequence[int]
    release: int
    results: Sequence[int]
    guards: Sequence[tuple[int, GuardWires]] = ()
    beats: Sequence[tuple[int, Beat]] = ()
    ports: Sequence[tuple[int, PortState]] = ()


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
    ) -> Record:
        """Return a cycle's record from wires by lane, credits and releases."""
        order, registers = sorted(wires), self.registers
        return Record(
            sum(map(self.bit, order)),
            sum(map(self.bit, credit)),
            [wires[lane] for lane in order],
            sum([1 << node * registers + register for node, register, _ in release]),
            [result for _, _, result in release],
        )


class Packet:
    """An ordinary packet in flight; times are cycles."""

    __slots__ = ("created", "destination", "injected", "source")

    def __init__(self, source: int, destination: int, created: int, injected: int) -> None:
        self.source = source
        self.destination = destination
        self.created = created
        self.injected = injected


class Observer(Protocol):
    """Is called for the packets of a golden network."""

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        """Note a packet whose tail was on the link to its destination in cycle ``ejected``.

        Its head was on the link from its source in cycle ``injected``.
        """
        return
