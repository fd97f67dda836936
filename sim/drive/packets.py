"""Packets of nodes' software: sent flit by flit, and put together from the flits on lanes."""

import random
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from syncfabric.models.errors import SpecError
from syncfabric.models.golden.record import Record
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.trace import Put, flits_on


class OnLane(NamedTuple):
    """A packet on a lane, as on the wires; the cycles of its head and of its tail."""

    lane: int
    first: int
    last: int
    flits: tuple[int, ...]


class Assembler:
    """Puts packets together, lane by lane.

    Parameters
    ----------
    spec : MessageSpec
    lanes : int
        A bit for each lane to watch.

    Attributes
    ----------
    open : dict of int to (int, list of int)
        By lane: the packet whose tail is still to come, its head's cycle first.
    """

    def __init__(self, spec: MessageSpec, lanes: int) -> None:
        self._lanes, self._tail = lanes, 1 << spec.layout.flit.offsets["tail"]
        self.open: dict[int, tuple[int, list[int]]] = {}

    def note(self, cycle: int, record: Record) -> Iterator[OnLane]:
        """Take a cycle's wires in; yield the packets whose tails are on them."""
        for lane, flit in flits_on(record, self._lanes):
            first, flits = self.open.setdefault(lane, (cycle, []))
            flits.append(flit)
            if flit & self._tail:
                del self.open[lane]
                yield OnLane(lane, first, cycle, tuple(flits))


class Packet(NamedTuple):
    """A packet that was ejected, its tail in ``cycle``; all its payloads."""

    cycle: int
    node: int
    payloads: tuple[int, ...]


class Inbox:
    """Collects packets at all nodes.

    Parameters
    ----------
    spec : MessageSpec

    Attributes
    ----------
    packets : list of Packet
        Those ejected since ``take``.
    """

    def __init__(self, spec: MessageSpec) -> None:
        masks = LaneMasks(spec)
        self._ejected, self._width = Assembler(spec, masks.eject), masks.width
        self._node_of = {link: node for node, link in enumerate(links_of(spec).eject)}
        self._payload = (1 << spec.flit_bits) - 1
        self.packets: list[Packet] = []

    def note(self, now: int, record: Record) -> None:
        """Take a cycle's wires in."""
        for lane, _, cycle, flits in self._ejected.note(now, record):
            payloads = tuple(flit & self._payload for flit in flits)
            self.packets.append(Packet(cycle, self._node_of[lane // self._width], payloads))

    def take(self) -> list[Packet]:
        """Return what has been ejected, and forget it."""
        packets, self.packets = self.packets, []
        return packets


PAUSE = 0.3
"""Probability that the next flit comes a cycle later, where there are pauses."""


class PutPort:
    """What nodes have still to put, in order; ``pauses`` between flits are drawn, if given."""

    def __init__(self, spec: MessageSpec, pauses: random.Random | None = None) -> None:
        self._spec, self._pauses = spec, pauses
        self._waiting: dict[int, deque[Put]] = {}

    @property
    def waits(self) -> bool:
        """Whether there is a flit to be put."""
        return bool(self._waiting)

    def send(self, node: int, payloads: Sequence[int], channel: int = 0) -> None:
        """Let a node send a packet, behind what it has to put already.

        Raises
        ------
        SpecError
            Its router would have to send it back to the node, and has no output for that.
        """
        self._refuse_own(node, payloads)
        last = len(payloads) - 1
        self._waiting.setdefault(node, deque()).extend(
            Put(-1, node, channel, place == 0, place == last, payload)
            for place, payload in enumerate(payloads)
        )

    def _refuse_own(self, node: int, payloads: Sequence[int]) -> None:
        """See that a router is not asked for the output that its input does not reach (N2.8)."""
        shape = self._spec.shape
        if not shape.interfaces or not payloads:
            return
        _, port = shape.nodes[node]
        header = self._spec.layout.header
        fields = header.unpack(payloads[0] & (1 << header.width) - 1)
        if shape.router.routing == "source":
            own = fields["port_0"] == port
        else:
            own = shape.node_of(payloads[0]) == node
        if own:
            switch, port = self._spec.topology.node(node)
            raise SpecError(
                f"packet of node {switch},{port}: it is for its sender, not for another node; "
                "routers do not send a packet back: keep it at the node"
            )

    def give(self, now: int) -> Iterator[Put]:
        """Yield what is put in a cycle."""
        for node, flits in list(self._waiting.items()):
            if self._pauses is not None and self._pauses.random() < PAUSE:
                continue
            yield flits.popleft()._replace(cycle=now)
            if not flits:
                del self._waiting[node]
