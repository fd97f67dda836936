"""A node: config node, router, engine, transport and node port."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from syncfabric.models.golden.counters import Counters
from syncfabric.models.golden.engine import Answer, Engine, Message, Outputs, Request
from syncfabric.models.golden.engine.node_port import Arrival, NodePort, NodePortOutputs
from syncfabric.models.golden.router import Channel, Flit, Router, Routing, Table
from syncfabric.models.golden.transport.config_chain import ChainRequest, ConfigNode
from syncfabric.models.golden.transport.link import LinkEnd
from syncfabric.models.golden.transport.message_links import message_links
from syncfabric.models.golden.transport.wires import Back, Forward, LinkForm, Sent
from syncfabric.models.layout.engine import EngineLayout

__all__ = ["Node", "NodeInputs", "NodeOutputs", "NodeParameters", "RouterCounter", "Target"]


class Target(IntEnum):
    """Targets of a config node."""

    ENGINE, ROUTER, NODE_PORT = range(3)


class RouterCounter(IntEnum):
    """Counters of a router, in reading order from ``COUNTER_ADDRESS``."""

    OVERFLOW, CORRUPT, LOST = range(3)


COUNTER_ADDRESS = 16
STILL, QUIET = Forward(), Back()


@dataclass(frozen=True)
class NodeParameters:
    """What a node is built for.

    Attributes
    ----------
    number : int
        On the config chain.
    place : (int, int)
        Column and row, for routed messages.
    routing : callable or None
        Makes the router's routing; None: no router.
    registers : int
        R of the node port; 0: the engine's own port is shown.
    link_registers : int
        On each link.
    """

    layout: EngineLayout
    stages: int
    number: int = 0
    place: tuple[int, int] = (0, 0)
    transport: str = "own"
    routing: Callable[[], Routing] | None = None
    channels: int = 0
    buffer_flits: int = 4
    flit_bits: int = 16
    output_register: bool = False
    registers: int = 0
    watchdog: int = 0
    counters: bool = True
    read_back: bool = True
    check_bits: int = 0
    link_registers: int = 0


@dataclass(frozen=True)
class NodeInputs:
    """Inputs of a node in a cycle: by port, from the chain's two sides, and of the process."""

    forward: Mapping[int, Forward] = field(default_factory=dict)
    back: Mapping[int, Back] = field(default_factory=dict)
    request: ChainRequest | None = None
    further: Answer | None = None
    arrivals: Mapping[int, Arrival] = field(default_factory=dict)
    arrive: Message | None = None
    reset: bool = False


@dataclass(frozen=True)
class NodeOutputs:
    """What a node drives in a cycle.

    ``engine`` has the process's signals with R = 0, and ``freed``; ``process`` those with R > 0.
    """

    forward: dict[int, Forward]
    back: dict[int, Back]
    passing: ChainRequest | None
    answer: Answer | None
    engine: Outputs
    process: NodePortOutputs | None


class Node:
    """Cycle-exact model of a node; its wires to other nodes depend on its registers alone.

    Parameters
    ----------
    parameters : NodeParameters
    """

    def __init__(self, parameters: NodeParameters) -> None:
        self.parameters = parameters
        self._reset = False
        self._build()

    def _build(self) -> None:
        """Put all state to what it is after reset."""
        has = self.parameters
        layout = has.layout
        self.engine = Engine(
            layout,
            stages=has.stages,
            watchdog=has.watchdog,
            counters=has.counters,
            read_back=has.read_back,
            shared=has.transport != "own",
        )
        self.router: Router[Sent] | None = None
        if has.routing:
            ports, register = layout.links + layout.own, has.output_register
            counts = ports, has.channels, has.buffer_flits
            self.router = Router(*counts, has.routing(), output_register=register)
        checks = has.check_bits
        sizes = has.channels, has.flit_bits, layout
        self.ends = {}
        for p in range(layout.links):
            form = LinkForm(*sizes, has.transport, checks, cut=checks > 0)
            self.ends[p] = LinkEnd(form, has.buffer_flits, has.link_registers, guarded=checks > 0)
        if self.router and layout.own:
            form = LinkForm(*sizes, "", cut=checks > 0)
            self.ends[layout.links] = LinkEnd(form, has.buffer_flits, 0, guarded=False)
        self.messages = message_links(has.transport, *has.place)
        self.node_port = None
        targets = {Target.ENGINE}
        if self.router or checks:
            targets.add(Target.ROUTER)
        if has.registers and layout.own:
            self.node_port = NodePort(has.registers, counters=has.counters)
            targets.add(Target.NODE_PORT)
        self.config = ConfigNode(has.number, targets)
        self._counters = Counters(len(RouterCounter), built=has.counters)
        self._answer: Answer | None = None
        self._fence = 0

    def _sends(self) -> dict[int, Sent]:
        ways = self.engine.ways
        return {q: Sent(m, ways[q] if ways else None) for q, m in self.engine.links.items()}

    def _on_links(self) -> dict[int, tuple[Flit | None, Sent | None]]:
        """Return the flit and the message on each link."""
        messages = self.messages.leaving(self._sends())
        own = self.parameters.transport == "own"
        links = self.router.links({} if own else messages) if self.router else {}
        found: dict[int, tuple[Flit | None, Sent | None]] = {}
        for p in self.ends:
            thing = links.get(p)
            sent = messages.get(p) if own else thing if isinstance(thing, Sent) else None
            found[p] = (thing if isinstance(thing, Flit) else None, sent)
        return found

    def _freed(self) -> dict[int, int]:
        """Return the router's credits, by port: a bit a channel, messages' above."""
        freed = dict.fromkeys(self.ends, 0)
        for p, c in self.router.credits if self.router else ():
            freed[p] |= 1 << c
        for p, c in self.messages.credits:
            freed[p] |= 1 << self.parameters.channels + c
        return freed

    def wires(self) -> tuple[dict[int, Forward], dict[int, Back]]:
        """Return what is on the links in this cycle, by port."""
        things, freed = self._on_links(), self._freed()
        forward = {p: end.forward(*things[p]) for p, end in self.ends.items()}
        return forward, {p: end.back(freed[p]) for p, end in self.ends.items()}

    def step(self, inputs: NodeInputs) -> NodeOutputs:
        """Go through a cycle."""
        things, freed = self._on_links(), self._freed()
        wires = self.wires()
        passing, answer = self.config.passing, self.config.answer
        flits: dict[int, Flit] = {}
        messages: dict[int, Sent] = {}
        credits: set[Channel] = set()
        message_credits: set[Channel] = set()
        events: list[int] = []
        channels = self.parameters.channels
        for p, end in self.ends.items():
            from_there = inputs.forward.get(p, STILL), inputs.back.get(p, QUIET)
            got = end.step(*things[p], freed[p], *from_there)
            if got.flit:
                flits[p] = got.flit
            if got.sent:
                messages[p] = got.sent
            credits |= {(p, c) for c in range(channels) if got.credit >> c & 1}
            message_credits |= {(p, c) for c in range(2) if got.credit >> channels + c & 1}
            events += [RouterCounter.CORRUPT] * got.corrupt + [RouterCounter.LOST] * got.lost
        sends = self._sends()
        hold, leaving = self.messages.hold(sends), self.messages.leaving(sends)
        to_engine, dropped = self.messages.step(sends, messages, message_credits)
        if self.router:
            blocking = leaving if self.parameters.transport != "own" else {}
            dropped += self.router.step(flits, credits, blocking).dropped
        events += [RouterCounter.OVERFLOW] * dropped

        offer = self.node_port.offer if self.node_port else inputs.arrive
        request = self.config.request(Target.ENGINE)
        outputs = self.engine.step(to_engine, offer, request, hold=hold)
        process, refused = None, 0
        if self.node_port:
            refused = self.node_port.refused
            taken = outputs.arrive_ready
            process = self.node_port.step(inputs.arrivals, outputs.release, taken=taken)
        answered = self._answer
        self._answer = None if answered else self._serve(refused)
        self._counters.step(events)
        self.config.step(inputs.request, inputs.further, outputs.answer or answered)
        for p in range(self.parameters.layout.links):
            self.ends[p].fenced = bool(self._fence >> p & 1)
        if self._reset:
            self._build()
        self._reset = inputs.reset
        return NodeOutputs(*wires, passing, answer, outputs, process)

    def _serve(self, refused: int) -> Answer | None:
        """Return the next cycle's answer of the router or the node port, and do a write."""
        request = self.config.request(Target.ROUTER)
        if request:
            return self._serve_router(request)
        request = self.config.request(Target.NODE_PORT)
        if not request or not self.node_port:
            return None
        if request[:2] == (False, COUNTER_ADDRESS):
            return Answer(False, refused)
        return Answer(True)

    def _serve_router(self, request: Request) -> Answer | None:
        checks = self.parameters.check_bits > 0
        if not checks and not self.router:
            return None
        routing = self.router.routing if self.router else None
        match request.write, request.address:
            case True, 0 if isinstance(routing, Table):
                routing.write(request.data & 0xFFFF, request.data >> 16 & 15)
                return Answer(False)
            case write, 1 if checks:
                if write:
                    self._fence = request.data % (1 << self.parameters.layout.links)
                    return Answer(False)
                return Answer(False, self._fence)
            case False, address if 0 <= address - COUNTER_ADDRESS < (3 if checks else 1):
                return Answer(False, self._counters[address - COUNTER_ADDRESS])
        return Answer(True)
