"""What moves in a network in a cycle; nothing else is looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from syncfabric.models.golden.engine import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.planes import interface as interfaces
from syncfabric.models.golden.planes.faulty_links import FaultyLinks
from syncfabric.models.golden.planes.interface import NodeInterface
from syncfabric.models.golden.planes.node import Node
from syncfabric.models.golden.planes.packet_movement import PacketMovement
from syncfabric.models.golden.planes.pins import Rest
from syncfabric.models.golden.planes.processes import Processes
from syncfabric.models.golden.planes.wiring import Coming, Shown, Wiring
from syncfabric.models.golden.record import Observer
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.transport.config_chain import ChainRequest
from syncfabric.models.golden.transport.wires import Sent
from syncfabric.models.layout.network import NetworkShape, RouterWord

__all__ = ["RESET", "Movement"]

RESET = 1
"""Cycles after that of the network's reset in which nodes still are in theirs (Node, 1)."""
NO_ARRIVALS: Mapping[int, Arrival] = {}
NO_MESSAGES: Mapping[int, Sent] = {}
NOTHING: tuple[Flit | None, Flit | None] = (None, None)


class Movement:
    """All places of a network whose links have no check bits, and what goes on between them.

    A node's packets, its messages and its words are looked at apart: packets are those of its
    router; messages of its engine, transport and node port; words of its config node.

    Parameters
    ----------
    shape : NetworkShape
    wiring : Wiring
    nodes : sequence of Node
        By router.
    interfaces : sequence of NodeInterface
        By node; there are none on meshes.
    processes : Processes
    observer : Observer or None

    Attributes
    ----------
    due : dict of int to Coming
        What is in registers on links, by the cycle in which it comes out.
    answers : list of (int, Answer)
        Places whose config node has an answer in the coming cycle.
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
        observer: Observer | None,
    ) -> None:
        router = shape.router
        self._nodes, self._interfaces, self._processes = nodes, interfaces, processes
        self._wiring, self._observer, self._homes = wiring, observer, shape.nodes
        parts = shape, wiring, nodes, interfaces, processes, observer
        self.packets = PacketMovement(*parts)
        self._registers = router.link_registers
        self._own_links = nodes[0].own_links
        self._form = nodes[0].ends[0].form
        self.faults = FaultyLinks(shape, wiring, self._form)
        self._watches = router.watchdog > 0
        self._set_up_channel = router.channels if shape.managers else -1
        self._sink_port = router.links if shape.managers else -1
        self._marks = [mark << router.flit_bits for mark in range(8)]
        self.due: dict[int, Coming] = {}
        self.answers: list[tuple[int, Answer]] = []
        self.watched = set[int]()
        self._messages = set[int]()  # routers whose messages move
        self._words = set[int]()  # routers whose words move
        self._asking = set[int]()  # the same, of the cycle that is stepped
        self._rest = set[int]()  # interfaces that move

    @property
    def moves(self) -> bool:
        """Whether anything moves in the coming cycle without inputs and links' registers."""
        return bool(self.packets.active or self._messages or self._words or self._rest)

    def wake(self, router: int) -> None:
        """Look at a router's words in the coming cycle."""
        self._words.add(router)

    def releases(self) -> Iterator[tuple[int, Message]]:
        """Yield the nodes that get a message of an engine in the coming cycle."""
        for i in self._rest if self._interfaces else self._messages:
            if self._interfaces:
                message = self._interfaces[i].message
            else:
                message = self._nodes[i].engine.release
            if message:
                yield i, message

    def step(
        self,
        now: int,
        arrivals: Mapping[int, Mapping[int, Arrival]],
        request: tuple[int, ChainRequest] | None,
        visited: Collection[int],
    ) -> Shown:
        """Go through a cycle.

        Parameters
        ----------
        now : int
            The cycle.
        arrivals : mapping of int to (mapping of int to Arrival)
            By place and register.
        request : (int, ChainRequest) or None
            What comes to a place on the config chain.
        visited : collection of int
            Routers in which a visit becomes due.

        Returns
        -------
        Shown
            What is on the wires.
        """
        shown, here = Shown(), self.due.pop(now, None) or Coming()
        far = self.due.setdefault(now + self._registers, Coming()) if self._registers else here
        asked = request[0] if request else -1
        self.answers = []
        self._drives: dict[int, tuple[Flit | None, Flit | None]] = {}
        for i, c in self._processes.freed():
            self._free(i, c, shown, here)
        self._free_set_up(shown, here)
        sends = self._send_messages(shown, here, far)
        for message in self.packets.send(now, self._blocking, shown, here, far):
            self._put(*message, shown, here, far)
        self._inject(now, arrivals, request, shown, here)
        if self._registers and far.is_empty:
            del self.due[now + self._registers]
        moving = {*self._messages, *here.messages, *self._words, *visited}
        moving.update(self.packets.leaves)
        moving.update(self._drives)
        moving.update(arrivals)
        if request:
            moving.add(asked)
        self._messages, self._words, self._asking = set(), set(), self._words
        for n in moving:
            if n < len(self._nodes):
                mine = request[1] if request and n == asked else None
                messages, come = sends.get(n, NO_MESSAGES), here.messages.get(n, NO_MESSAGES)
                self._take(now, n, messages, come, arrivals.get(n, NO_ARRIVALS), mine)
        self.packets.end(here)
        for links, p, classes in here.message_credits:
            links.credited(p, classes)
        return shown

    def _free(self, i: int, c: int, shown: Shown, here: Coming) -> None:
        """Return a credit of a node's sink."""
        n, p = self._homes[i]
        router = self.packets.routers[n]
        shown.credits.append((n * self._wiring.ports + p) * self._wiring.width + c)
        here.tokens.append((router.tokens, p * router.channels + c))

    def _free_set_up(self, shown: Shown, here: Coming) -> None:
        """Return the credits of set-up ports and of managers."""
        for n in self._words:
            node = self._nodes[n]
            if node.router:
                here.tokens += [(node.router.tokens, at) for at in node.set_up_credits()]
        for i in self._rest if self._interfaces else ():
            if self._interfaces[i].freed:
                self._free(i, self._interfaces[i].parameters.channels, shown, here)

    def _send_messages(
        self, shown: Shown, here: Coming, far: Coming
    ) -> dict[int, Mapping[int, Sent]]:
        """Let engines and transports send; return what engines send, by router."""
        sent: dict[int, Mapping[int, Sent]] = {}
        self._blocking: dict[int, Mapping[int, Sent]] = {}
        for n in self._messages:
            node = self._nodes[n]
            sends, leaving = node.drive_messages()
            if sends:
                sent[n] = sends
            if not leaving:
                pass
            elif self._own_links:
                for p, message in leaving.items():
                    self._put(n, p, message, shown, here, far)
            else:
                self._blocking[n] = leaving
            if node.messages.credits:
                self._credit_messages(node, n, shown, far)
        return sent

    def _put(self, n: int, p: int, sent: Sent, shown: Shown, here: Coming, far: Coming) -> None:
        """Put a message of a router on a link."""
        out = self._wiring.outs[n][p]
        if out is None:
            return
        shown.wires[out.lane + self._class(sent)] = self._word(sent)
        there = (far if out.node < 0 else here).messages
        if out.place in there:
            there[out.place][out.port] = sent
        else:
            there[out.place] = {out.port: sent}

    def _credit_messages(self, node: Node, n: int, shown: Shown, far: Coming) -> None:
        """Return credits of routed messages."""
        wiring = self._wiring
        for p, c in node.messages.credits:
            out = wiring.outs[n][p]
            if out is not None:
                shown.credits.append(out.reverse * wiring.width + wiring.messages + c)
                far.message_credits.append((self._nodes[out.place].messages, out.port, 1 << c))

    def _drive_set_up(self, injected: Mapping[int, Flit], here: Coming) -> None:
        """Let set-up ports drive routers; ``injected`` are processes' flits, by router."""
        for n in self._words | injected.keys():
            port, inject = self._nodes[n].set_up, injected.get(n)
            assert port
            flit = port.drive(inject)
            if flit:
                here.flits.append((n, self._sink_port, flit))
            if inject is not flit:
                self._drives[n] = flit, inject

    def _inject(
        self,
        now: int,
        arrivals: Mapping[int, Mapping[int, Arrival]],
        request: tuple[int, ChainRequest] | None,
        shown: Shown,
        here: Coming,
    ) -> None:
        """Let processes send their flits, and node interfaces what they have."""
        injected = self._processes.send(now)
        if self._set_up_channel >= 0:
            self._drive_set_up({} if self._interfaces else injected, here)
        if not self._interfaces:
            for i, flit in injected.items():
                n, p = self._homes[i]
                if self._set_up_channel < 0:
                    here.flits.append((n, p, flit))
                self._show(now, self._wiring.injection(i), flit, shown)
            return
        first = len(self._nodes)
        come: dict[int, Flit] = {n - first: flit for n, _, flit in here.flits if n >= first}
        moving = self._rest | injected.keys() | come.keys()
        moving |= {n - first for n in (*here.messages, *arrivals) if n >= first}
        if request and request[0] >= first:
            moving.add(request[0] - first)
        self._rest = set()
        for i in moving:
            interface, inject = self._interfaces[i], injected.get(i)
            driven = interface.drive(inject)
            (sends, sent), (n, p) = driven, self._homes[i]
            if sends:
                here.flits.append((n, p, sends))
                self._show(now, self._wiring.injection(i), sends, shown)
            if sent:
                lane = self._wiring.injection(i) * self._wiring.width
                shown.wires[lane + self._class(sent)] = self._word(sent)
                here.messages.setdefault(n, {})[p] = sent
            message = here.messages.get(first + i, NO_MESSAGES).get(0)
            eject = interface.take(
                interfaces.Crossed(come.get(i), message),
                driven,
                inject,
                arrivals.get(first + i, NO_ARRIVALS),
                request[1] if request and request[0] == first + i else None,
            )
            if eject:
                self._processes.eject(i, eject, now)
            if not interface.is_idle:
                self._rest.add(i)
            if interface.config.answer is not None:
                self.answers.append((first + i, interface.config.answer))

    def _take(
        self,
        now: int,
        n: int,
        sends: Mapping[int, Sent],
        come: Mapping[int, Sent],
        arrivals: Mapping[int, Arrival],
        request: ChainRequest | None,
    ) -> None:
        """Take a router's messages, and its words, over a clock edge."""
        node = self._nodes[n]
        node.now = now - RESET
        leaves, (into, inject) = self.packets.leaves.get(n), self._drives.get(n, NOTHING)
        if (
            request is not None
            or leaves is not None
            or inject is not None
            or n in self._asking
            or (node.set_up is not None and node.engine.freed is not None)
        ):
            rest = Rest(request, None, (), leaves, into, inject)
            node.take_rest(sends, come, arrivals, None, rest)
            if node.config.answer is not None:
                self.answers.append((n, node.config.answer))
            if not node.words_are_idle:
                self._words.add(n)
        else:
            _, dropped = node.take_messages(sends, come, arrivals)
            if dropped:
                node.words.step(None, None, None, 0, [RouterWord.OVERFLOW] * dropped)
                self._words.add(n)
        if not node.messages_are_idle:
            self._messages.add(n)
        if self._watches:
            if node.engine.watches:
                self.watched.add(n)
            else:
                self.watched.discard(n)

    def _show(self, now: int, link: int, flit: Flit, shown: Shown) -> None:
        """Show a flit on a link."""
        mark = self._marks[flit.head | flit.tail << 1 | flit.cut << 2]
        shown.wires[link * self._wiring.width + flit.channel] = flit.payload | mark
        if self._observer is not None:
            self._observer.flit(link, now)

    def _class(self, sent: Sent) -> int:
        """Return a message's lane of its link."""
        return self._wiring.messages + (sent.way.route_class if sent.way else 0)

    def _word(self, sent: Sent) -> int:
        """Return a message's bits."""
        return self._form.word(sent)
