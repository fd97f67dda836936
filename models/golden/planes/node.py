"""A node: config node, router, engine, transport and node port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from syncfabric.models.golden.counters import MOST
from syncfabric.models.golden.engine import Engine, Message, Outputs, Request
from syncfabric.models.golden.engine.node_port import Arrival, NodePort
from syncfabric.models.golden.lifecycle import Manager, SetUpPort
from syncfabric.models.golden.lifecycle.port import PortEvents, SetUpParameters
from syncfabric.models.golden.planes.pins import (
    Crossed,
    Driven,
    NodeInputs,
    NodeOutputs,
    NodeParameters,
    Rest,
)
from syncfabric.models.golden.planes.words import Words
from syncfabric.models.golden.router import Flit, Router
from syncfabric.models.golden.slots.port import SlotPorts
from syncfabric.models.golden.slots.slot import RouterSlots
from syncfabric.models.golden.transport.config_chain import ConfigNode
from syncfabric.models.golden.transport.link import LinkEnd
from syncfabric.models.golden.transport.message_links import message_links
from syncfabric.models.golden.transport.wires import Back, Forward, LinkForm, Sent
from syncfabric.models.layout.network import RouterWord, Target

__all__ = ["Node"]

STILL, QUIET = Forward(), Back()
NO_MESSAGES: Mapping[int, Sent] = {}
NO_ARRIVALS: Mapping[int, Arrival] = {}
NO_WORDS: Mapping[int, Message] = {}


def _events(found: PortEvents) -> list[RouterWord]:
    overflows = [RouterWord.OVERFLOW] * found.overflows
    return overflows + [RouterWord.UNEXPECTED] * found.unexpected


class Node:
    """Cycle-exact model of a node; its wires to other nodes depend on its registers alone.

    ``wires`` and ``step`` go through a cycle with everything at the node's pins. A network that
    knows what moves takes the node's parts through a cycle, one by one.

    Parameters
    ----------
    parameters : NodeParameters

    Attributes
    ----------
    now : int
        This cycle, since reset.
    ends : dict of int to LinkEnd
        By port.
    """

    def __init__(self, parameters: NodeParameters) -> None:
        self.parameters = parameters
        self._reset = False
        self._build()

    def _build(self) -> None:
        """Put all state to what it is after reset."""
        has = self.parameters
        layout = has.layout
        self.now = 0
        self.engine = Engine(
            layout,
            stages=has.stages,
            watchdog=has.watchdog,
            counters=has.counters,
            read_back=has.read_back,
            shared=has.transport != "own",
        )
        self._channels = has.link_channels
        self.own_links = has.transport == "own"
        self.router: Router[Sent] | None = None
        if has.routing:
            ports, register = layout.links + (layout.own or bool(has.set_up)), has.output_register
            self.router = Router(
                ports,
                has.link_channels,
                has.buffer_flits,
                has.routing(),
                output_register=register,
                datelines=has.datelines,
                ordinary=has.channels,
            )
        checks = has.check_bits
        sizes = has.link_channels, has.flit_bits, layout
        self.ends = {}
        for p in range(layout.links):
            form = LinkForm(*sizes, has.transport, checks, cut=checks > 0)
            registers = 0 if p in has.near else has.link_registers
            self.ends[p] = LinkEnd(form, has.buffer_flits, registers, guarded=checks > 0)
        if self.router and layout.own:
            form = LinkForm(has.channels, *sizes[1:], "", cut=checks > 0)
            self.ends[layout.links] = LinkEnd(form, has.buffer_flits, 0, guarded=False)
        self.messages = message_links(has.transport, *has.place)
        self.node_port = None
        targets = {Target.ENGINE}
        if self.router or checks:
            targets.add(Target.ROUTER)
        if has.registers and layout.own:
            self.node_port = NodePort(has.registers, counters=has.counters)
            targets.add(Target.PORT)
        self.slots: RouterSlots | None = None
        self.slot_ports = SlotPorts(0, counters=False)
        if has.slots:
            targets.add(Target.ROUTER)
            self.slots = RouterSlots(has.slots, reports=has.set_up is not None)
            ports = has.slots.slots if self.node_port else 0
            self.slot_ports = SlotPorts(ports, counters=has.counters)
        self.set_up = self._make_set_up(has.set_up, targets) if has.set_up else None
        counted = [RouterWord.OVERFLOW] if self.router else []
        counted += [RouterWord.CORRUPT, RouterWord.LOST] if checks else []
        counted += [RouterWord.UNEXPECTED] if has.set_up or has.slots else []
        fences = layout.links if checks else 0
        self.words = Words(has.number, targets, counted, fences, counters=has.counters)
        self._local = layout.links
        self._driven: Driven | None = None

    def _make_set_up(self, has: SetUpParameters, targets: set[Target]) -> SetUpPort:
        """Return the set-up port, with a manager if there is one at this node."""
        layout, channels = self.parameters.layout, self.parameters.channels
        buffer_flits, manager = self.parameters.buffer_flits, None
        if has.manager >= 0:
            targets.add(Target.MANAGER)
            sizes = layout.image_words, has.routers, channels
            manager = Manager(has.manager, *sizes, counters=self.parameters.counters)
        sizes = channels, buffer_flits, buffer_flits * channels
        return SetUpPort(has, layout, *sizes, manager)

    @property
    def config(self) -> ConfigNode:
        """The config node."""
        return self.words.config

    # What is on the links.

    def drive(self) -> Driven:
        """Return what the node sends in this cycle."""
        if self._driven is None:
            sends, leaving = self.drive_messages()
            if self.router is None:
                self._driven = Driven({}, leaving, sends, leaving)
            else:
                links = self.router.links(NO_MESSAGES if self.own_links else leaving)
                flits = {o: thing for o, thing in links.items() if isinstance(thing, Flit)}
                local = flits.get(self._local)
                leaves = local if local and self._is_set_up(local) else None
                if leaves:
                    del flits[self._local]
                shared = {o: thing for o, thing in links.items() if isinstance(thing, Sent)}
                messages = leaving if self.own_links else shared
                self._driven = Driven(flits, messages, sends, leaving, leaves)
        return self._driven

    def _is_set_up(self, flit: Flit) -> bool:
        """Whether a flit that leaves by the last port is not for a process."""
        return self.set_up is not None and (
            flit.channel == self.parameters.channels or not self.parameters.layout.own
        )

    def drive_messages(self) -> tuple[Mapping[int, Sent], Mapping[int, Sent]]:
        """Return the messages that the engine sends in this cycle, and those that may leave."""
        engine, sends = self.engine, NO_MESSAGES
        links = engine.links
        if links:
            ways = engine.ways
            sends = {q: Sent(m, ways[q] if ways else None) for q, m in links.items()}
        if self.own_links or not (sends or not self.messages.is_idle):
            return sends, sends
        return sends, self.messages.leaving(sends)

    def freed(self) -> dict[int, int]:
        """Return the credits that go back in this cycle, by port: a bit a channel.

        Those of messages stand above.
        """
        freed: dict[int, int] = {}
        channels = self._channels
        for at in self.router.freed if self.router else ():
            p, c = divmod(at, channels)
            if p != self._local or c < self.parameters.channels:
                freed[p] = freed.get(p, 0) | 1 << c
        for p, c in self.messages.credits:
            freed[p] = freed.get(p, 0) | 1 << channels + c
        return freed

    def wires(self) -> tuple[dict[int, Forward], dict[int, Back]]:
        """Return what is on the links in this cycle, by port."""
        driven, freed = self.drive(), self.freed()
        flits, messages, ends = driven.flits, driven.messages, self.ends
        forward = {p: end.forward(flits.get(p), messages.get(p)) for p, end in ends.items()}
        return forward, {p: end.back(freed.get(p, 0)) for p, end in ends.items()}

    # A cycle.

    def step(self, inputs: NodeInputs) -> NodeOutputs:
        """Go through a cycle."""
        wires, engine = self.wires(), self.engine
        passing, answer = self.config.passing, self.config.answer
        came = self.cross(inputs.forward, inputs.back)
        links, release, answers = engine.links, engine.release, (engine.answer, engine.freed)
        process = self.node_port.shown(release) if self.node_port else None
        ready = self.take(came, inputs)
        self.credited(came.credits)
        if self._reset:
            self._build()
        self._reset = inputs.reset
        outputs = Outputs(links, ready, release, *answers)
        return NodeOutputs(*wires, passing, answer, outputs, process)

    def cross(self, forward: Mapping[int, Forward], back: Mapping[int, Back]) -> Crossed:
        """Take a cycle's wires past the links' ends."""
        driven, freed = self.drive(), self.freed()
        flits: dict[int, Flit] = {}
        messages: dict[int, Sent] = {}
        events: list[RouterWord] = []
        credits = []
        for p, end in self.ends.items():
            from_there = forward.get(p, STILL), back.get(p, QUIET)
            sent = driven.flits.get(p), driven.messages.get(p)
            got = end.step(*sent, freed.get(p, 0), *from_there)
            if got.flit:
                flits[p] = got.flit
            if got.sent:
                messages[p] = got.sent
            if got.credit:
                credits.append((p, got.credit))
            if got.corrupt or got.lost:
                events += [RouterWord.CORRUPT] * got.corrupt + [RouterWord.LOST] * got.lost
        return Crossed(flits, messages, credits, events)

    def credited(self, credits: Iterable[tuple[int, int]]) -> None:
        """Give the credits of a cycle, which is over, to the senders; they are as of ``cross``."""
        channels = self._channels
        for p, word in credits:
            for c in range(channels):
                if word >> c & 1:
                    assert self.router
                    self.router.tokens[p * channels + c] += 1
            if word >> channels:
                self.messages.credited(p, word >> channels)

    def take(self, came: Crossed, inputs: NodeInputs) -> bool:
        """Go over a clock edge, but for credits; return the engine's ``arrive_ready``."""
        driven, full = self.drive(), 0
        self._driven = None
        router, leaves, inject, into = self.router, None, None, None
        if router:
            flits = dict(came.flits)
            credits = [at for at in router.freed if at == self._set_up_lane]
            if self.set_up:
                inject = flits.pop(self._local, None)
                into = self.set_up.drive(inject)
                if into:
                    flits[self._local] = into
            dropped = [p for p, flit in flits.items() if router.is_full((p, flit.channel))]
            sent = router.send(NO_MESSAGES if self.own_links else driven.leaving)
            local = sent.get(self._local)
            if isinstance(local, Flit) and self._is_set_up(local):
                leaves = local
            for p, flit in flits.items():
                if p not in dropped:
                    router.receive(p, flit)
            full = len(dropped)
            for at in self.set_up_credits():
                router.tokens[at] += 1
        events = [*came.events] + [RouterWord.OVERFLOW] * full
        ready = self.take_rest(
            driven.sends,
            came.messages,
            inputs.arrivals,
            inputs.arrive,
            Rest(inputs.request, inputs.further, events, leaves, into, inject),
        )
        if router and self.set_up:
            self.set_up.tokens += len(credits)
        self.now += 1
        return ready

    @property
    def _set_up_lane(self) -> int:
        """The number of the router's input channel from the set-up port."""
        return self._local * self._channels + self.parameters.channels

    def set_up_credits(self) -> list[int]:
        """Return the router's output channels that get a credit of the set-up port."""
        freed = self.set_up.freed if self.set_up else 0
        first = self._local * self._channels
        return [first + c for c in range(self._channels) if freed >> c & 1] if freed else []

    def take_rest(
        self,
        sends: Mapping[int, Sent],
        messages: Mapping[int, Sent],
        arrivals: Mapping[int, Arrival],
        arrive: Message | None,
        rest: Rest,
    ) -> bool:
        """Take messages, words and set-up over a clock edge; return ``arrive_ready``."""
        engine, set_up, slots = self.engine, self.set_up, self.slots
        answer, freed = engine.answer, engine.freed
        if slots:
            answer, freed = answer or slots.answer, freed or slots.report()
        asks = self.config.request(Target.ENGINE)
        to_chain = answer
        if set_up:
            asks = set_up.asks(asks)
            to_chain = set_up.to_chain(answer)
        if slots:
            asks = slots.asks(asks, engine.staged)
        refused = self.node_port.refused if self.node_port else 0
        refused = min(MOST, refused + self.slot_ports.refused)
        ready, dropped = self.take_messages(sends, messages, arrivals, asks, arrive)
        events = [*rest.events] + [RouterWord.OVERFLOW] * dropped
        if slots:
            events += [RouterWord.UNEXPECTED] * slots.events
            slots.events = 0
        managed = set_up.manager.answer if set_up and set_up.manager else None
        if set_up:
            asked = self.config.request(Target.MANAGER)
            came = rest.leaves, rest.into, rest.inject
            events += _events(set_up.step(*came, answer, freed, asked))
        self.words.step(rest.request, rest.further, to_chain or managed, refused, events)
        if self.parameters.check_bits:
            for p in range(self._local):
                self.ends[p].fenced = bool(self.words.fence >> p & 1)
        return ready

    @property
    def messages_are_idle(self) -> bool:
        """Whether nothing but watchdogs' time moves without messages and arrivals."""
        port = self.node_port
        return self.engine.is_idle and (port is None or port.is_idle) and self.messages.is_idle

    @property
    def words_are_idle(self) -> bool:
        """Whether no config request is here, and nothing is still to be counted."""
        quiet = self.set_up is None or self.set_up.is_idle
        return quiet and self.words.is_idle and not (self.slots and self.slots.calls)

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without inputs, and nothing is on the wires."""
        return (
            (self.router is None or self.router.is_idle)
            and self.messages_are_idle
            and self.words_are_idle
            and all(end.is_idle for end in self.ends.values())
        )

    def take_messages(
        self,
        sends: Mapping[int, Sent],
        messages: Mapping[int, Sent] = NO_MESSAGES,
        arrivals: Mapping[int, Arrival] = NO_ARRIVALS,
        request: Request | None = None,
        arrive: Message | None = None,
    ) -> tuple[bool, int]:
        """Take messages over a clock edge.

        Parameters
        ----------
        sends : mapping of int to Sent
            What the engine sends.
        messages : mapping of int to Sent
            What comes by links.
        arrivals : mapping of int to Arrival
            At the node port.
        request : Request or None
            To the engine.
        arrive : Message or None
            At the engine's own port.

        Returns
        -------
        (bool, int)
            The engine's ``arrive_ready``, and how many messages are dropped.
        """
        engine, port, links = self.engine, self.node_port, self.messages
        to_engine: Mapping[int, Message] = NO_WORDS
        hold, dropped = False, 0
        if sends or messages or not links.is_idle:
            hold = links.hold(sends)
            to_engine, dropped = links.step(sends, messages, ())
        if engine.now != self.now:
            engine.skip(self.now - engine.now)
        if port is None:
            return engine.advance(to_engine, arrive, request, hold=hold), dropped
        release = engine.release
        ready = engine.advance(to_engine, port.offer, request, hold=hold)
        if arrivals or release or not port.is_idle:
            port.advance(arrivals, release, taken=ready)
        return ready, dropped
