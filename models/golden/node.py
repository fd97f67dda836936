"""A node: config node, router, engine, transport and node port."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from syncfabric.models.golden.config import Words
from syncfabric.models.golden.counters import MOST
from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.engine import Engine, Outputs
from syncfabric.models.golden.engine.memory import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePort
from syncfabric.models.golden.lifecycle.manager import Manager
from syncfabric.models.golden.lifecycle.port import SetUpParameters, SetUpPort
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.place import (
    IDLE,
    NO_ARRIVALS,
    NO_FLITS,
    NO_MESSAGES,
    NO_PROCESS,
    Crossed,
    Driven,
    Messages,
    Place,
    PlaceInputs,
    PlaceOutputs,
    Site,
    routing_of,
)
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.router import Flit, Router
from syncfabric.models.golden.slots import RouterSlots, SlotPorts
from syncfabric.models.golden.transport import RoutedLinks, SharedLinks
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import RouterWord, Target

NO_WORDS: Mapping[int, Message] = {}


class Node(Place):
    """Cycle-exact model of a node; its wires to other nodes depend on its registers alone.

    Slots of barrier wires, and streams, are left out of ``step``; a network takes them through a
    cycle.

    Parameters
    ----------
    shape : NodeShape
    site : Site

    Attributes
    ----------
    now : int
        This cycle, since reset.
    dropped : int
        Words of streams that are dropped in this cycle.
    still, quiet : bool
        Neither messages, nor words and set-up, move without inputs.
    """

    def __init__(self, shape: NodeShape, site: Site) -> None:
        self.shape, self.site = shape, site
        self._reset = False
        self._build()

    def _build(self) -> None:
        """Put all state to what it is after reset."""
        shape, site = self.shape, self.site
        layout, checks, counters = shape.layout, shape.check_bits, shape.counters
        self.now = 0
        self.engine = Engine(layout, **shape.options)
        self._local, self._channels = layout.links, shape.channels + (site.set_up is not None)
        self.router: Router[Sent] | None = None
        if shape.channels:
            self.router = Router(
                layout.links + (layout.own or site.set_up is not None),
                self._channels,
                shape.buffer_flits,
                routing_of(shape, site),
                output_register=shape.output_register,
                datelines=site.datelines if shape.datelines else None,
                ordinary=shape.channels,
            )
        self.ends = {
            p: self._end(shape, self._channels, site.delays.get(p, shape.link_registers))
            for p in range(layout.links)
        }
        self._guarded = list(self.ends.values()) if checks else []
        if self.router and layout.own:
            self.ends[self._local] = self._end(shape, shape.channels, 0, link=False)
        self.transport: SharedLinks | RoutedLinks | None = None
        if shape.shared:
            self.transport = SharedLinks()
        if layout.routed and shape.grid:
            datelines = site.datelines if shape.datelines else None
            self.transport = RoutedLinks(shape.grid, site.place, layout.links, datelines)
        self.node_port = None
        targets = {Target.ENGINE}
        if shape.router_words:
            targets.add(Target.ROUTER)
        if site.registers and layout.own:
            self.node_port = NodePort(site.registers, counters=counters)
            targets.add(Target.PORT)
        self.slots = RouterSlots(shape.slots, reports=bool(site.set_up)) if shape.slots else None
        self.dropped = 0
        ports = shape.wires if self.node_port else 0
        self.slot_ports = SlotPorts(ports, counters=counters and ports > 0)
        self.set_up = self._make_set_up(site.set_up, targets) if site.set_up else None
        # The router's input channel from the set-up port.
        self._set_up_lane = (self._local, shape.channels) if site.set_up else None
        fences = layout.links if checks else 0
        self.words = Words(site.number, targets, shape.router_words, fences, counters=counters)
        self._driven = None
        self.still, self.quiet = False, True

    def _make_set_up(self, has: SetUpParameters, targets: set[Target]) -> SetUpPort:
        """Return the set-up port, with a manager if there is one at this node."""
        layout, channels, flits = self.shape.layout, self.shape.channels, self.shape.buffer_flits
        manager = None
        if has.manager >= 0:
            targets.add(Target.MANAGER)
            sizes = layout.image_words, has.routers, channels
            manager = Manager(has.manager, *sizes, counters=self.shape.counters)
        return SetUpPort(has, layout, channels, flits, flits * channels, manager)

    def drive(self, inject: Flit | None = None, freed: Iterable[int] = ()) -> Driven:
        """Return what the node sends in this cycle; its parameters have no meaning."""
        if self._driven is None:
            self._driven = self._drive()
        return self._driven

    def detach(self) -> Router[Sent] | None:
        """Leave packets to the network, where they share nothing with messages and words.

        Returns
        -------
        Router or None
            The router, which the node has no more.
        """
        if self._guarded or self.set_up or self.transport:
            return None
        router, self.router = self.router, None
        return router

    def _drive(self) -> Driven:
        router = self.router
        sends = leaving = NO_MESSAGES
        freed: list[tuple[int, int]] = []
        if not self.still:
            links, transport = self.engine.links, self.transport
            if links:
                routes = self.engine.routes
                sends = {q: Sent(m, routes[q] if routes else None) for q, m in links.items()}
                leaving = sends
            if transport and (links or not transport.is_idle):
                leaving = transport.leaving(sends)
                freed = [(p, self._channels + c) for p, c in transport.credits]
        before = leaving if self.transport else NO_MESSAGES
        if router is None or (router.is_idle and not before):
            moves = sends or leaving or freed
            return Driven(NO_FLITS, leaving, freed, None, False, sends) if moves else IDLE
        paid = False
        for at in router.freed:
            if at == self._set_up_lane:
                paid = True
            else:
                freed.append(at)
        sent, leaves = router.send(before), None
        if not self.transport:
            flits = cast("dict[int, Flit]", sent)
        else:
            flits = {o: thing for o, thing in sent.items() if isinstance(thing, Flit)}
            leaving = {o: thing for o, thing in sent.items() if isinstance(thing, Sent)}
        if self.set_up and self._local in flits:
            local = flits[self._local]
            if local.channel == self.shape.channels or not self.shape.own:
                leaves = flits.pop(self._local)
        return Driven(flits, leaving, freed, leaves, paid, sends)

    def step(self, inputs: PlaceInputs) -> PlaceOutputs:
        """Go through a cycle with everything at the pins."""
        wires, engine = self.wires(), self.engine
        passing, answer = self.config.passing, self.config.answer
        came = self.cross(inputs.forward, inputs.back)
        links, release, answers = engine.links, engine.release, (engine.answer, engine.freed)
        process = self.node_port.outputs(release) if self.node_port else NO_PROCESS
        ready = self.take(came, inputs.arrivals, inputs.request, inputs.further, inputs.arrive)
        for p, c in came.credits:
            self.credited(p, c)
        if self._reset:
            self._build()
        self._reset = inputs.reset
        outputs = Outputs(links, ready, release, *answers)
        return PlaceOutputs(*wires, passing, answer, outputs, process)

    def credited(self, port: int, channel: int) -> bool:
        """Give a credit of a cycle that is over to its sender; none is the process's."""
        if self.router and channel < self._channels:
            self.router.tokens[port * self._channels + channel] += 1
        elif self.transport:
            self.transport.credited(port, channel - self._channels)
        return False

    def take(
        self,
        came: Crossed,
        arrivals: Mapping[int, Arrival] = NO_ARRIVALS,
        request: ConfigRequest | None = None,
        further: Answer | None = None,
        arrive: Message | None = None,
    ) -> bool:
        """Go over a clock edge, but for credits; return the engine's ``arrive_ready``.

        Words and set-up are looked at only if something is there for them.
        """
        driven, self._driven = self._driven or self.drive(), None
        router, set_up, events = self.router, self.set_up, came.events
        inject = into = None
        if router:
            flits = came.flits
            if set_up and (self._local in flits or not set_up.is_idle):
                flits = dict(flits)
                inject = flits.pop(self._local, None)
                into = set_up.drive(inject)
                if into:
                    flits[self._local] = into
            for p, flit in flits.items():
                if not router.receive(p, flit):
                    events = [*events, RouterWord.OVERFLOW]
            if set_up and set_up.freed:
                for c in range(self._channels):
                    router.tokens[self._local * self._channels + c] += set_up.freed >> c & 1
        if (
            request
            or further
            or events
            or driven.leaves
            or inject is not into
            or not self.quiet
            or (self.slots and self.slots.calls)
            or self.dropped
            or (set_up and self.engine.freed)
        ):
            moves = driven.leaves, into, inject
            ready = self._take_words(
                driven.sends, came, arrivals, request, further, events, moves, arrive
            )
        else:
            ready = self._take_alone(driven.sends, came.messages, arrivals, arrive)
        if set_up:
            set_up.tokens += driven.paid
        self.now += 1
        return ready

    def take_alone(self, messages: Messages, arrivals: Mapping[int, Arrival]) -> None:
        """Go over a clock edge as ``take`` does if the node ``is_bare`` and nothing else comes."""
        driven, self._driven = self._driven or self.drive(), None
        self._take_alone(driven.sends, messages, arrivals, None)
        self.now += 1

    def _take_alone(
        self,
        sends: Messages,
        messages: Messages,
        arrivals: Mapping[int, Arrival],
        arrive: Message | None,
    ) -> bool:
        """Take messages over a clock edge without words and set-up; return ``arrive_ready``."""
        if (
            self.still
            and not (sends or messages or arrivals)
            and not (self.engine.watches and self.engine.is_due(self.now))
        ):
            return False
        ready, dropped = self._take_messages(sends, messages, arrivals, None, arrive)
        if dropped:  # counted in a cycle in which words do not move otherwise
            self.words.step(None, None, None, 0, [RouterWord.OVERFLOW] * dropped)
            self.quiet = False
        return ready

    @property
    def is_bare(self) -> bool:
        """Whether it has messages alone, words aside: no router, guards, set-up or slots."""
        parts = self.router or self.set_up or self.slots or self._guarded or self.shape.stream
        return not parts

    def _take_words(
        self,
        sends: Messages,
        came: Crossed,
        arrivals: Mapping[int, Arrival],
        request: ConfigRequest | None,
        further: Answer | None,
        events: Sequence[RouterWord],
        moves: tuple[Flit | None, Flit | None, Flit | None],
        arrive: Message | None,
    ) -> bool:
        """Take messages, words and set-up over a clock edge; return ``arrive_ready``.

        ``moves`` are the flits from the router to the set-up port, from there into it, and the
        process's.
        """
        engine, set_up, slots = self.engine, self.set_up, self.slots
        answer, freed = engine.answer, engine.freed
        if slots:
            answer, freed = answer or slots.answer, freed or slots.report()
        asks = self.config.request(Target.ENGINE)
        to_chain, managed = answer, None
        if set_up:
            asks, to_chain = set_up.asks(asks), set_up.to_chain(answer)
            managed = set_up.manager.answer if set_up.manager else None
        if slots:
            asks = slots.asks(asks, engine.staged)
        refused = self.node_port.refused if self.node_port else 0
        refused = min(MOST, refused + self.slot_ports.refused)
        ready, dropped = self._take_messages(sends, came.messages, arrivals, asks, arrive)
        events = [*events, *[RouterWord.OVERFLOW] * dropped]
        if slots:
            events += [RouterWord.UNEXPECTED] * slots.events
            slots.events = 0
        events += [RouterWord.OVERFLOW] * self.dropped
        self.dropped = 0
        if set_up:
            found = set_up.step(*moves, answer, freed, self.config.request(Target.MANAGER))
            events += [RouterWord.OVERFLOW] * found.overflows
            events += [RouterWord.UNEXPECTED] * found.unexpected
        self.words.step(request, further, to_chain or managed, refused, events)
        for p, end in enumerate(self._guarded):
            end.fenced = bool(self.words.fence >> p & 1)
        self.quiet = self.words.is_idle and (set_up is None or set_up.is_idle)
        return ready

    @property
    def is_idle(self) -> bool:
        """Whether nothing but watchdogs' time moves without inputs, and nothing is on the wires."""
        return (
            self.still
            and self.quiet
            and (self.router is None or self.router.is_idle)
            and not (self.slots and self.slots.calls)
            and (not self._guarded or all(end.is_idle for end in self._guarded))
        )

    def _take_messages(
        self,
        sends: Messages,
        messages: Messages,
        arrivals: Mapping[int, Arrival],
        request: Request | None,
        arrive: Message | None,
    ) -> tuple[bool, int]:
        """Take messages over a clock edge; return ``arrive_ready``, and how many are dropped."""
        engine, port, transport = self.engine, self.node_port, self.transport
        to_engine: Mapping[int, Message] = NO_WORDS
        hold, dropped = False, 0
        if transport is None:
            if messages:
                to_engine = {p: sent.message for p, sent in messages.items()}
        elif sends or messages or not transport.is_idle:
            hold = transport.hold(sends)
            to_engine, dropped = transport.step(sends, messages)
        if engine.now != self.now:
            engine.skip(self.now - engine.now)
        release = engine.release
        offer = port.offer if port else arrive
        ready = engine.advance(to_engine, offer, request, hold=hold)
        if port and (arrivals or release or not port.is_idle):
            port.advance(arrivals, release, granted=ready)
        # Without a node port ``arrive_ready`` is to be seen in every cycle.
        rests = port.is_idle if port else not self.shape.own
        self.still = rests and engine.is_idle and (transport is None or transport.is_idle)
        return ready, dropped
