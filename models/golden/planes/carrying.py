"""How flits, messages and credits get from place to place, with check bits on links and without."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from syncfabric.models.golden.engine import Message
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.planes.interface import Crossed, NodeInterface
from syncfabric.models.golden.planes.node import Node
from syncfabric.models.golden.planes.numbering import Lanes
from syncfabric.models.golden.planes.processes import Processes
from syncfabric.models.golden.record import GuardWires, Observer
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.transport.config_chain import ChainRequest
from syncfabric.models.golden.transport.message_links import MessageLinks
from syncfabric.models.golden.transport.wires import Back, Forward, LinkForm, Sent
from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.network import NetworkShape

__all__ = ["Carried", "Carrier", "GuardedCarrier"]

NO_FLITS: Mapping[int, Flit] = {}
NO_MESSAGES: Mapping[int, Sent] = {}
STILL, QUIET = Forward(), Back()
NO_GUARDS = GuardWires(0, 0, 0, 0)
SAID = (Kind.PLAIN, Kind.LAST)
"""Kinds of messages whose data have a meaning."""


class Carried:
    """What is on the wires in a cycle, and what comes to places in it.

    Attributes
    ----------
    wires : dict of int to int
        Flits and messages, by lane.
    credit_lanes : list of int
        Lanes with a credit.
    guards : dict of int to GuardWires
        By link.
    flits, messages : dict
        What comes, by place and port; a node interface has port 0.
    tokens : list of (list of int, int)
        Credits that senders have from the next cycle on.
    message_credits : list of (MessageLinks, int, int)
        The same, of routed messages: link and classes.
    sources : list of (int, int)
        The same, of nodes' sources: node and channel.
    injected : dict of int to Flit
        By node interface.
    forward, back : dict
        With check bits: wires by place and port, with the packets of flits.
    driven, freed : dict
        By node interface: what it sends, and the credits of its sink, a bit a channel.
    stepped : set of int
        Places that have to be stepped, whatever comes to them.
    """

    def __init__(self) -> None:
        self.wires: dict[int, int] = {}
        self.credit_lanes: list[int] = []
        self.guards: dict[int, GuardWires] = {}
        self.flits: dict[int, dict[int, Flit]] = {}
        self.messages: dict[int, dict[int, Sent]] = {}
        self.tokens: list[tuple[list[int], int]] = []
        self.message_credits: list[tuple[MessageLinks, int, int]] = []
        self.sources: list[tuple[int, int]] = []
        self.injected: dict[int, Flit] = {}
        self.driven: dict[int, tuple[Flit | None, Sent | None]] = {}
        self.forward: dict[int, dict[int, tuple[Forward, object]]] = {}
        self.back: dict[int, dict[int, Back]] = {}
        self.freed: dict[int, int] = {}
        self.stepped = set[int]()

    @property
    def is_empty(self) -> bool:
        """Whether nothing comes."""
        comes = self.flits or self.messages or self.tokens or self.message_credits
        return not (comes or self.forward or self.back)

    @property
    def places(self) -> set[int]:
        """Places to which something comes but credits, and those that have to be stepped."""
        came = self.flits.keys() | self.messages.keys() | self.forward.keys() | self.back.keys()
        return came | self.stepped


class Out(NamedTuple):
    """Where an output leads: its first lane, and the place and port at the far end.

    ``node`` is a process's number at a LOCAL port, and negative elsewhere; ``far``: the link has
    the network's registers.
    """

    lane: int
    place: int
    port: int
    node: int
    far: bool


class Carrier:
    """Links without check bits: flits and messages are not taken apart.

    Parameters
    ----------
    shape : NetworkShape
    lanes : Lanes
    nodes : sequence of Node
        By router.
    interfaces : sequence of NodeInterface
        By node; there are none on meshes.
    processes : Processes
    observer : Observer or None

    Attributes
    ----------
    due : dict of int to Carried
        What is in registers on links, by the cycle in which it comes out.
    """

    def __init__(
        self,
        shape: NetworkShape,
        lanes: Lanes,
        nodes: Sequence[Node],
        interfaces: Sequence[NodeInterface],
        processes: Processes,
        observer: Observer | None,
    ) -> None:
        router = shape.router
        self._nodes, self._interfaces, self._processes = nodes, interfaces, processes
        self._lanes, self._observer = lanes, observer
        self._registers, self._channels = router.link_registers, router.link_channels
        self._form: LinkForm = nodes[0].ends[0].form
        self._data = 0 if router.data_bits == 0 else 1
        bits = router.flit_bits
        self._marks = [mark << bits for mark in range(8)]
        self._ports = [place for place in shape.nodes]
        self._outs = [self._outputs(shape, n) for n in range(shape.routers)]
        self.due: dict[int, Carried] = {}

    def _outputs(self, shape: NetworkShape, n: int) -> list[Out | None]:
        """Return where the outputs of a router lead."""
        outs: list[Out | None] = []
        for p in range(self._lanes.ports):
            lane = self._lanes.output(n, p) * self._lanes.width
            there, i = shape.ends.get((n, p)), shape.node_at.get((n, p), -1)
            if there is not None:
                outs.append(Out(lane, *there, -1, True))
            elif i >= 0 and shape.interfaces:
                outs.append(Out(lane, shape.routers + i, 0, -1, False))
            else:
                outs.append(Out(lane, n, p, i, False) if i >= 0 else None)
        return outs

    def is_due(self, now: int) -> bool:
        """Return whether something comes out of registers on links in a cycle."""
        return now in self.due

    def release(self, place: int) -> tuple[int, Message | None]:
        """Return the node at a place, and the message that its node port gets in this cycle."""
        if not self._interfaces:
            return place, self._nodes[place].engine.release
        i = place - len(self._nodes)
        return i, self._interfaces[i].message if i >= 0 else None

    def carry(self, now: int, active: Collection[int]) -> Carried:
        """Put on the wires all that is sent in a cycle; return what comes to whom.

        Parameters
        ----------
        now : int
            The cycle.
        active : collection of int
            Places that may send something; others send nothing but what processes put in.
        """
        here = self.due.pop(now, None) or Carried()
        far = self.due.setdefault(now + self._registers, Carried()) if self._registers else here
        for i, c in self._processes.freed():
            self._free(i, c, here)
        routers, interfaces = len(self._nodes), dict.fromkeys(here.freed)
        for place in active:
            if place < routers:
                self._send(now, place, here, far)
            else:
                interfaces[place - routers] = None
        for i, flit in self._processes.send(now).items():
            if self._interfaces:
                here.injected[i] = flit
                interfaces[i] = None
            else:
                n, p = self._ports[i]
                self._show(now, self._lanes.injection(i), flit, here)
                here.flits.setdefault(n, {})[p] = flit
        for i in interfaces:
            self._inject(now, i, here)
        if self._registers and far.is_empty:
            del self.due[now + self._registers]
        return here

    def _send(self, now: int, n: int, here: Carried, far: Carried) -> None:
        """Put on the wires what a router sends, and the credits that it returns."""
        node, outs = self._nodes[n], self._outs[n]
        flits, messages, *_ = node.drive()
        wires, marks, observer = here.wires, self._marks, self._observer
        for p, flit in flits.items():
            out = outs[p] if p < len(outs) else None
            if out is None:
                continue
            channel, payload, head, tail, cut, _ = flit
            wires[out.lane + channel] = payload | marks[head | tail << 1 | cut << 2]
            if observer is not None:
                observer.flit(out.lane // self._lanes.width, now)
            if out.node >= 0:
                self._processes.eject(out.node, flit, now)
            else:
                comes = far.flits if out.far else here.flits
                if out.place in comes:
                    comes[out.place][out.port] = flit
                else:
                    comes[out.place] = {out.port: flit}
        for p, sent in messages.items():
            out = outs[p]
            if out is not None:
                wires[out.lane + self._class(sent)] = self._word(sent)
                there = far if out.far else here
                there.messages.setdefault(out.place, {})[out.port] = sent
        self._return(n, here, far)

    def _return(self, n: int, here: Carried, far: Carried) -> None:
        """Put on the wires the credits that a router returns."""
        node, outs, channels = self._nodes[n], self._outs[n], self._channels
        nodes, width = self._nodes, self._lanes.width
        for at in node.router.freed if node.router else ():
            p, c = divmod(at, channels)
            out = outs[p]
            if out is None:
                continue
            if out.far:
                lane = (out.place * self._lanes.ports + out.port) * width + c
                router = nodes[out.place].router
                assert router
                far.tokens.append((router.tokens, out.port * channels + c))
            else:
                i = out.node if out.node >= 0 else out.place - len(nodes)
                lane = self._lanes.injection(i) * width + c
                here.sources.append((i, c))
            here.credit_lanes.append(lane)
        for p, c in node.messages.credits:
            out = outs[p]
            if out is not None:
                link = out.place * self._lanes.ports + out.port
                here.credit_lanes.append(link * width + self._lanes.messages + c)
                far.message_credits.append((nodes[out.place].messages, out.port, 1 << c))

    def _free(self, i: int, c: int, here: Carried) -> None:
        """Return a credit of a node's sink."""
        n, p = self._ports[i]
        router = self._nodes[n].router
        assert router
        here.credit_lanes.append(self._lanes.output(n, p) * self._lanes.width + c)
        here.tokens.append((router.tokens, p * self._channels + c))

    def _inject(self, now: int, i: int, here: Carried) -> None:
        """Put on the wires what a node interface sends."""
        driven = here.driven[i] = self._interfaces[i].drive(here.injected.get(i))
        flit, sent = driven
        n, p = self._ports[i]
        if flit:
            self._show(now, self._lanes.injection(i), flit, here)
            here.flits.setdefault(n, {})[p] = flit
        if sent:
            lane = self._lanes.injection(i) * self._lanes.width
            here.wires[lane + self._class(sent)] = self._word(sent)
            here.messages.setdefault(n, {})[p] = sent
        if flit is not here.injected.get(i):
            here.stepped.add(len(self._nodes) + i)

    def _show(self, now: int, link: int, flit: Flit, here: Carried) -> None:
        """Record a flit on a link."""
        mark = self._marks[flit.head | flit.tail << 1 | flit.cut << 2]
        here.wires[link * self._lanes.width + flit.channel] = flit.payload | mark
        if self._observer is not None:
            self._observer.flit(link, now)

    def _class(self, sent: Sent) -> int:
        """Return a message's lane of its link."""
        return self._lanes.messages + (sent.way.route_class if sent.way else 0)

    def _word(self, sent: Sent) -> int:
        """Return a message's bits; data without a meaning are 0."""
        if self._data and sent.message.kind not in SAID:
            sent = sent._replace(message=sent.message._replace(data=0))
        return self._form.word(sent)

    def take_node(
        self,
        now: int,
        here: Carried,
        n: int,
        arrivals: Mapping[int, Arrival],
        request: ChainRequest | None,
    ) -> None:
        """Let a router's node take what comes to it."""
        flits = here.flits.get(n, NO_FLITS)
        messages = here.messages.get(n, NO_MESSAGES)
        self._nodes[n].take(flits, messages, arrivals, request)

    def take_interface(
        self,
        now: int,
        here: Carried,
        i: int,
        arrivals: Mapping[int, Arrival],
        request: ChainRequest | None,
    ) -> None:
        """Let a node interface take what comes to it."""
        place = len(self._nodes) + i
        flit = here.flits.get(place, NO_FLITS).get(0)
        came = Crossed(flit, here.messages.get(place, NO_MESSAGES).get(0))
        driven = here.driven.get(i) or self._interfaces[i].drive()
        eject = self._interfaces[i].take(came, driven, here.injected.get(i), arrivals, request)
        if eject:
            self._processes.eject(i, eject, now)

    def credit(self, here: Carried) -> None:
        """Give senders the credits of a cycle that is over."""
        for tokens, at in here.tokens:
            tokens[at] += 1
        for links, p, classes in here.message_credits:
            links.credited(p, classes)
        for i, c in here.sources:
            self._processes.credited(i, c)


class GuardedCarrier(Carrier):
    """Links with check bits: what is on them is wires, between the guards of their ends."""

    def _send(self, now: int, n: int, here: Carried, far: Carried) -> None:
        node = self._nodes[n]
        forward, back = node.wires()
        flits, messages, *_ = node.drive()
        local = node.parameters.layout.links
        for p, out in enumerate(self._outs[n]):
            if out is None:
                continue
            flit, sent = flits.get(p), messages.get(p)
            if p == local:
                if flit:
                    self._show(now, out.lane // self._lanes.width, flit, here)
                    self._processes.eject(out.node, flit, now)
                for c in range(self._channels):
                    if back[p].credit >> c & 1:
                        lane = self._lanes.injection(out.node) * self._lanes.width + c
                        here.credit_lanes.append(lane)
                        here.sources.append((out.node, c))
                continue
            there = far if out.far else here
            self._put(now, out.lane, forward[p], back[p], self._reverse(out), flit, sent, here)
            if forward[p] != STILL:
                packet = flit.packet if flit else None
                there.forward.setdefault(out.place, {})[out.port] = forward[p], packet
            if back[p] != QUIET:
                there.back.setdefault(out.place, {})[out.port] = back[p]

    def _reverse(self, out: Out) -> int:
        """Return the first lane of the link that leads the other way."""
        routers = len(self._nodes)
        if out.place >= routers:
            return self._lanes.injection(out.place - routers) * self._lanes.width
        return self._lanes.output(out.place, out.port) * self._lanes.width

    def _put(
        self,
        now: int,
        lane: int,
        forward: Forward,
        back: Back,
        reverse: int,
        flit: Flit | None,
        sent: Sent | None,
        here: Carried,
    ) -> None:
        """Record the wires of a link, and those that run back against the other one."""
        width = self._lanes.width
        if forward.valid and flit:
            self._show(now, lane // width, flit, here)
        if forward.message_valid and sent:
            here.wires[lane + self._class(sent)] = self._word(sent)
            if self._data and sent.message.kind not in SAID:
                forward = self._form.known(forward)
        shown = GuardWires(forward.check, forward.message_check, forward.probe, 0)
        if any(shown):
            empty = here.guards.get(lane // width, NO_GUARDS).empty
            here.guards[lane // width] = shown._replace(empty=empty)
        if back.empty:
            guards = here.guards.get(reverse // width, NO_GUARDS)
            here.guards[reverse // width] = guards._replace(empty=back.empty)
        credit = back.credit | back.message_credit << self._channels
        while credit:
            low = credit & -credit
            here.credit_lanes.append(reverse + low.bit_length() - 1)
            credit ^= low

    def _free(self, i: int, c: int, here: Carried) -> None:
        if self._interfaces:
            here.freed[i] = here.freed.get(i, 0) | 1 << c
        else:
            super()._free(i, c, here)

    def _inject(self, now: int, i: int, here: Carried) -> None:
        interface = self._interfaces[i]
        flit, sent = here.driven[i] = interface.drive(here.injected.get(i))
        forward = interface.end.forward(flit, sent)
        back = interface.back(here.freed.get(i, 0))
        n, p = self._ports[i]
        here.stepped.add(len(self._nodes) + i)
        lane = self._lanes.injection(i) * self._lanes.width
        reverse = self._lanes.output(n, p) * self._lanes.width
        self._put(now, lane, forward, back, reverse, flit, sent, here)
        if forward != STILL:
            packet = flit.packet if flit else None
            here.forward.setdefault(n, {})[p] = forward, packet
        if back != QUIET:
            here.back.setdefault(n, {})[p] = back

    def take_node(
        self,
        now: int,
        here: Carried,
        n: int,
        arrivals: Mapping[int, Arrival],
        request: ChainRequest | None,
    ) -> None:
        """Let a router's node take what comes to it."""
        node = self._nodes[n]
        there = here.forward.get(n, {})
        back = dict(here.back.get(n, {}))
        for p, out in enumerate(self._outs[n]):
            if out is None:
                back[p] = Back(empty=-1)
        came = node.cross({p: wires for p, (wires, _) in there.items()}, back)
        flits = {p: flit._replace(packet=there[p][1]) for p, flit in came.flits.items()}
        flits |= here.flits.get(n, NO_FLITS)
        node.take(flits, came.messages, arrivals, request, events=came.events)
        node.credited(came.credits)

    def take_interface(
        self,
        now: int,
        here: Carried,
        i: int,
        arrivals: Mapping[int, Arrival],
        request: ChainRequest | None,
    ) -> None:
        """Let a node interface take what comes to it."""
        interface, place = self._interfaces[i], len(self._nodes) + i
        driven = here.driven.get(i) or interface.drive()
        forward, packet = here.forward.get(place, {}).get(0, (STILL, None))
        back = here.back.get(place, {}).get(0, QUIET)
        came = interface.cross(driven, here.freed.get(i, 0), forward, back)
        if came.flit:
            came = came._replace(flit=came.flit._replace(packet=packet))
        here.sources += [(i, c) for c in range(self._channels) if came.credit >> c & 1]
        eject = interface.take(came, driven, here.injected.get(i), arrivals, request)
        if eject:
            self._processes.eject(i, eject, now)
