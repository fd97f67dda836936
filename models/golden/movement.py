"""What moves in a network in a cycle; nothing else is looked at."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from syncfabric.models.golden.engine.memory import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.interface import NodeInterface
from syncfabric.models.golden.link import Back, Carried, Forward, Sent
from syncfabric.models.golden.node import Node
from syncfabric.models.golden.place import (
    IDLE,
    NO_ARRIVALS,
    NO_FLITS,
    NO_MESSAGES,
    NO_WORDS,
    Crossed,
    Driven,
    Place,
)
from syncfabric.models.golden.processes import Processes
from syncfabric.models.golden.record import ConfigRequest, GuardWires
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.wiring import Coming, FaultyLinks, OnWires, Out, Wiring
from syncfabric.models.layout.network import NetworkShape

RESET = 1
"""Cycles after that of the network's reset in which nodes still are in theirs (Node, 1)."""

STILL, QUIET, EDGE = Forward(), Back(), Back(empty=-1)
NOTHING: tuple[Forward, object] = (STILL, None)
NO_GUARDS = GuardWires(0, 0, 0, 0)
Moves: TypeAlias = tuple[int, Mapping[int, Any], Sequence[tuple[int, int]]]
"""A place, its flits by port, and its credits."""


class Movement:
    """All places of a network, and what goes on between them.

    Without check bits flits, messages and credits are on links; with them, the wires between the
    guards of their ends.

    Parameters
    ----------
    shape : NetworkShape
    wiring : Wiring
    nodes : sequence of Node
        By router.
    interfaces : sequence of NodeInterface
        By node; there are none on meshes.
    processes : Processes

    Attributes
    ----------
    active : set of int
        Places that move in the coming cycle without inputs and links' registers.
    flowing : set of int
        Routers of packets that move, where nodes have left them to the network.
    due : dict of int to Coming
        What is in registers on links, by the cycle in which it comes out.
    answers : list of (int, Answer)
        Places whose config node has an answer in the coming cycle.
    releases : list of (int, Message)
        Nodes that get a message of an engine in the coming cycle.
    watched : set of int
        Routers in which a visit of the watchdog may change something.
    faults : FaultyLinks
    """

    def __init__(
        self,
        shape: NetworkShape,
        wiring: Wiring,
        nodes: Sequence[Node],
        interfaces: Sequence[NodeInterface],
        processes: Processes,
    ) -> None:
        router = shape.router
        self._nodes, self._interfaces = nodes, interfaces
        self._places: list[Place] = [*nodes, *interfaces]
        self._many, self._local = len(nodes), not interfaces
        self._first = 0 if self._local else len(nodes)  # the place of node 0
        self._processes, self._homes = processes, shape.nodes
        self._wiring, self._width = wiring, wiring.width
        self._guarded = router.check_bits > 0
        self._delays = shape.delays
        self._watches = router.watchdog > 0
        # Plain tuples are unpacked many times faster than those with names.
        self._outs = [[out and (*out,) for out in outs] for outs in wiring.outs]
        self._form = nodes[0].ends[0].form
        # All routers of packets, or none; what moves in them is in no place's ``active``.
        self._routers = [apart for node in nodes if (apart := node.detach())]
        self._bare = [node.is_bare for node in nodes] + [False] * len(interfaces)
        self.faults = FaultyLinks(shape, wiring, self._form)
        self._edges = [
            {p: EDGE for p, out in enumerate(outs) if out is None and p < router.links}
            for outs in wiring.outs
        ]
        self._set_up_channel = router.channels if shape.managers else -1
        self._marks = [mark << router.flit_bits for mark in range(8)]
        self.active, self.flowing = set[int](), set[int]()
        self.due: dict[int, Coming] = {}
        self.answers: list[tuple[int, Answer]] = []
        self.releases: list[tuple[int, Message]] = []
        self.watched = set[int]()

    def step(
        self,
        now: int,
        arrivals: Mapping[int, Mapping[int, Arrival]],
        request: tuple[int, ConfigRequest] | None,
        visited: Collection[int],
        words: Mapping[int, Mapping[int, Carried]],
    ) -> OnWires:
        """Go through a cycle.

        Parameters
        ----------
        now : int
            The cycle.
        arrivals : mapping of int to (mapping of int to Arrival)
            By place and register.
        request : (int, ConfigRequest) or None
            What comes to a place on the config chain.
        visited : collection of int
            Routers in which a visit becomes due.
        words : mapping of int to (mapping of int to Carried)
            Words of streams that are on guarded links of packets, by place and port.

        Returns
        -------
        OnWires
            What is on the wires.
        """
        self._now, self._on_wires, self._words = now, OnWires(), words
        self.active.update(words)
        here = self._here = self.due.pop(now) if now in self.due else Coming()
        coming = self._coming = {0: here}
        for delay in self._delays:
            coming[delay] = self.due.setdefault(now + delay, Coming())
        self.answers, self.releases = [], []
        freed: dict[int, list[int]] = {}
        for i, c in self._processes.freed():
            freed.setdefault(i, []).append(c)
        injected = self._processes.send(now)
        moves = self._send_packets() if self.flowing or here.packets or here.tokens else []
        driving: Collection[int] = self.active
        if self._local:
            self._at_meshs_processes(injected, freed)
        elif injected or freed:
            driving = {*driving, *(self._first + i for i in (*injected, *freed))}
        for place in driving:
            if place < self._many:
                driven = self._nodes[place].drive()
            else:
                i = place - self._first
                driven = self._interfaces[i].drive(injected.get(i), freed.get(i, ()))
            if driven.flits or driven.freed:
                moves.append((place, driven.flits, driven.freed))
            if driven is not IDLE or self._guarded:
                self._put(place, driven)
        self._put_packets(moves)
        if self._guarded:
            self.faults.strike(now, coming)
        for delay in self._delays:
            if coming[delay].is_empty:
                del self.due[now + delay]
        moving = {*driving, *here.flits, *here.messages, *arrivals, *visited}
        moving.update((request[0],) if request else (), here.forward, here.back)
        self.active = set()
        for place in moving:
            mine = request[1] if request and request[0] == place else None
            self._take(place, arrivals.get(place, NO_ARRIVALS), mine)
        for place, port, c in here.credits:
            if self._places[place].credited(port, c):
                self._processes.credit(place - self._first, c)
        return self._on_wires

    def _send_packets(self) -> list[Moves]:
        """Let routers of packets send, then receive what comes out of links' registers."""
        here, routers, moves = self._here, self._routers, list[Moves]()
        flowing, self.flowing = self.flowing, set()
        for n in flowing:
            router = routers[n]
            freed = router.freed
            moves.append((n, router.send(), freed))
            if not router.is_idle:
                self.flowing.add(n)
        for n, port, flit in here.packets:
            routers[n].receive(port, flit)
            self.flowing.add(n)
        for tokens, lane in here.tokens:
            tokens[lane] += 1
        return moves

    def _at_meshs_processes(
        self, injected: Mapping[int, Flit], freed: Mapping[int, Sequence[int]]
    ) -> None:
        """Put what processes send, and their credits, on the links of nodes without interfaces."""
        for i, channels in freed.items():
            n, p = self._homes[i]
            first = (n * self._wiring.ports + p) * self._wiring.width
            self._on_wires.credits += [first + c for c in channels]
            if self._routers:
                for c in channels:
                    self._routers[n].tokens[p * self._wiring.channels + c] += 1
            else:
                self._here.credits += [(n, p, c) for c in channels]
        for i, flit in injected.items():
            n, p = self._homes[i]
            self._show(self._wiring.injection(i), flit)
            if self._routers:
                self._routers[n].receive(p, flit)
                self.flowing.add(n)
            else:
                self._here.flits.setdefault(n, {})[p] = flit

    # What is on the links.

    def _put(self, place: int, driven: Driven) -> None:
        """Put what a place drives on the links, or hand it to the node's process."""
        outs, messages, leaves = self._wiring.outs[place], driven.messages, driven.leaves
        if leaves and leaves.channel != self._set_up_channel:
            self._processes.drop()
        if self._guarded:
            words = self._words.get(place, NO_WORDS)
            self._put_wires(self._places[place], outs, driven, words)
            return
        for p, sent in messages.items():
            out = outs[p]
            if out is None:
                continue
            self._show_message(out.link, sent)
            to = self._coming[out.delay].messages
            if out.place in to:
                to[out.place][out.port] = sent
            else:
                to[out.place] = {out.port: sent}

    def _put_packets(self, moves: Iterable[Moves]) -> None:
        """Put places' flits and credits on links; with check bits those of processes alone."""
        ends, guarded, local = self._outs, self._guarded, self._local
        coming, now, processes = self._coming, self._now, self._processes
        wires, credits, width = self._on_wires.wires, self._on_wires.credits, self._width
        marks, routers = self._marks, self._routers
        flowing, many = self.flowing, len(routers)
        channels = self._wiring.channels
        for place, flits, freed in moves:
            outs = ends[place]
            for p, flit in flits.items():
                out = outs[p]
                if out is None:
                    continue
                _, lane, there, port, node, _, delay = out
                if local and node >= 0:
                    processes.eject(node, flit, now)
                elif guarded:
                    continue
                elif there < many:
                    if delay:
                        coming[delay].packets.append((there, port, flit))
                    else:
                        routers[there].receive(port, flit)
                        flowing.add(there)
                else:
                    coming[delay].flits.setdefault(there, {})[port] = flit
                payload = flit.payload
                if flit.head or flit.tail:
                    payload |= marks[flit.head | flit.tail << 1 | flit.cut << 2]
                wires[lane + flit.channel] = payload
            for p, c in freed:
                out = outs[p]
                if out is None:
                    continue
                _, _, there, port, node, reverse, delay = out
                if local and node >= 0:
                    processes.credit(node, c)
                elif guarded:
                    continue
                elif there < many:
                    tokens, lane = routers[there].tokens, port * channels + c
                    if delay:
                        coming[delay].tokens.append((tokens, lane))
                    else:
                        tokens[lane] += 1
                else:
                    coming[delay].credits.append((there, port, c))
                credits.append(reverse * width + c)

    def _put_wires(
        self,
        place: Place,
        outs: Sequence[Out | None],
        driven: Driven,
        words: Mapping[int, Carried],
    ) -> None:
        """Put the wires of a place's guarded links on them."""
        forward, back = place.wires(words)
        for p, out in enumerate(outs):
            if out is None or (self._local and out.node >= 0):
                continue
            wires, credit, guards = forward[p], back[p], self._on_wires.guards
            there = self._coming[out.delay]
            flit, sent = driven.flits.get(p), driven.messages.get(p)
            if wires != STILL:
                packet = flit.packet if flit else None
                there.forward.setdefault(out.place, {})[out.port] = wires, packet
                if wires.valid and flit:
                    self._show(out.link, flit)
                if wires.message_valid and sent:
                    self._show_message(out.link, sent)
                seen = GuardWires(wires.check, wires.message_check, wires.probe, 0)
                if any(seen):
                    empty = guards.get(out.link, NO_GUARDS).empty
                    guards[out.link] = seen._replace(empty=empty)
            if credit != QUIET:
                there.back.setdefault(out.place, {})[out.port] = credit
                word = credit.credit | credit.message_credit << self._wiring.channels
                first = out.reverse * self._wiring.width
                bits = range(word.bit_length())
                self._on_wires.credits += [first + c for c in bits if word >> c & 1]
                if credit.empty:
                    seen = guards.get(out.reverse, NO_GUARDS)
                    guards[out.reverse] = seen._replace(empty=credit.empty)

    def _show(self, link: int, flit: Flit) -> None:
        """Show a flit on a link."""
        mark = self._marks[flit.head | flit.tail << 1 | flit.cut << 2]
        self._on_wires.wires[link * self._width + flit.channel] = flit.payload | mark

    def _show_message(self, link: int, sent: Sent) -> None:
        """Show a message on a link."""
        lane = link * self._wiring.width + self._wiring.channels
        self._on_wires.wires[lane + (sent.route.lane if sent.route else 0)] = self._form.word(sent)

    # What comes.

    def _take(
        self, place: int, arrivals: Mapping[int, Arrival], request: ConfigRequest | None
    ) -> None:
        """Take a place over a clock edge."""
        here = self._here
        if self._bare[place] and request is None and (node := self._nodes[place]).quiet:
            node.now = self._now - RESET
            node.take_alone(here.messages.get(place, NO_MESSAGES), arrivals)
            self._note(place, node)
            if not (node.still and node.quiet):
                self.active.add(place)
            return
        there: Place
        flits = here.flits.get(place, NO_FLITS)
        if self._guarded:
            came = self._cross(place, flits)
        else:
            came = Crossed(flits, here.messages.get(place, NO_MESSAGES))
        if place < self._many:
            node = there = self._nodes[place]
            node.now = self._now - RESET
            node.take(came, arrivals, request)
            self._note(place, node)
            answers = not node.quiet
        else:
            i = place - self._first
            interface = there = self._interfaces[i]
            answers = True
            eject = interface.take(came, arrivals, request)
            if eject:
                self._processes.eject(i, eject, self._now)
            if interface.message:
                self.releases.append((i, interface.message))
        for port, c in came.credits:
            if there.credited(port, c):
                self._processes.credit(place - self._first, c)
        if not there.is_idle:
            self.active.add(place)
        if answers and there.config.answer is not None:
            self.answers.append((place, there.config.answer))

    def _note(self, place: int, node: Node) -> None:
        """Note a release of a node, and whether a visit may change something in it."""
        if self._local and not node.still and node.engine.release:
            self.releases.append((place, node.engine.release))
        if self._watches:
            (self.watched.add if node.engine.watches else self.watched.discard)(place)

    def _cross(self, place: int, injected: Mapping[int, Flit]) -> Crossed:
        """Take what is on a place's wires past its guards; flits are of the packets they were."""
        forward = self._here.forward.get(place, {})
        back = {**self._edges[place], **self._here.back.get(place, {})}
        came = self._places[place].cross({p: wires for p, (wires, _) in forward.items()}, back)
        if not came.flits and not injected:
            return came
        flits = {
            p: replace(flit, packet=forward.get(p, NOTHING)[1]) for p, flit in came.flits.items()
        }
        return came._replace(flits={**flits, **injected})
