"""A golden node among neighbours, with what is on its pins in every cycle."""

from __future__ import annotations

import random
from collections import Counter, deque
from typing import Any, NamedTuple

from syncfabric.models.golden.engine import Answer, Message
from syncfabric.models.golden.engine.memory import Way
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.lifecycle.port import SetUpParameters
from syncfabric.models.golden.planes import Node, NodeInputs, NodeOutputs, NodeParameters
from syncfabric.models.golden.router import XY, Flit, Routing, Source, Table
from syncfabric.models.golden.transport.config_chain import ChainRequest
from syncfabric.models.golden.transport.link import Link, LinkEnd
from syncfabric.models.golden.transport.wires import Back, Forward, Sent
from syncfabric.models.layout.engine import (
    ADDRESS_BITS,
    COMMIT,
    COUNTER_ADDRESS,
    IMAGE_ADDRESS,
    Code,
    Kind,
)
from syncfabric.models.layout.node import Target
from syncfabric.models.layout.shape import MeshNodeShape, NodeShape
from tests.rtl.planes.set_up_draws import SetUpDraws, header_layout, image_of

__all__ = ["INDEX", "NodeLockstep", "model_of"]

INDEX = 5
ENTRIES = 6
"""Of these groups messages come: of more there would be too few of each."""

Pins = dict[str, int]


class Constants(NamedTuple):
    """What is constant of one node of a network.

    Attributes
    ----------
    place : (int, int)
        Column and row in a mesh.
    number : int
        The router's.
    routes : tuple of int
        With routing by tables: the port for each router.
    datelines : frozenset of int
        Outputs at which packets change channels.
    near : frozenset of int
        Links without registers, to node interfaces.
    manager : int
        Number of the manager that is here; negative: none.
    here : int
        Header of a packet for this router's process, or its sink.
    headers : tuple of int
        Of replies, by manager.
    """

    place: tuple[int, int]
    number: int
    routes: tuple[int, ...]
    datelines: frozenset[int]
    near: frozenset[int]
    manager: int
    here: int
    headers: tuple[int, ...]


def constants_of(shape: NodeShape, rng: random.Random) -> Constants:
    """Draw what is constant of a node."""
    place = (0, 0)
    if isinstance(shape, MeshNodeShape):
        place = rng.randrange(shape.width), rng.randrange(shape.height)
    routes = tuple(rng.randrange(shape.ports) for _ in range(shape.routers))
    lines = frozenset(p for p in range(shape.ports) if shape.datelines and rng.random() < 0.5)
    near = frozenset(p for p in range(shape.links) if not shape.own and rng.random() < 0.5)
    number = rng.randrange(shape.routers or 1)
    layout, mesh = header_layout(shape), isinstance(shape, MeshNodeShape)
    here = {"router": number, "port": shape.links}
    if mesh and shape.routing == "xy":
        number, here = place[1] * shape.width + place[0], dict(zip("xy", place, strict=True))
    managers = range(-1, shape.managers) if shape.own else (-1,)
    manager, reply = rng.choice((managers[-1], *managers)), 1 << layout.offsets["reply"]
    own = layout.pack({**here, "reply": 0})
    headers = tuple(
        reply | (own if i == manager else rng.randrange(reply)) for i in range(shape.managers)
    )
    return Constants(place, number, routes, lines, near, manager, own, headers)


def model_of(shape: NodeShape, constants: Constants) -> Node:
    """Return the golden node of a shape."""
    transport = "shared" if shape.shared else "own"

    def routing() -> Routing:
        pairs = {port: list(outputs) for port, outputs in enumerate(shape.outputs)}
        if shape.routing == "table":
            return Table(shape.ports, pairs, constants.number, constants.routes)
        if isinstance(shape, MeshNodeShape) and shape.routing == "xy":
            return XY(*shape.coordinate_bits, *constants.place)
        return Source(shape.ports, pairs)

    set_up = None
    if shape.managers:
        routers = shape.routers
        if isinstance(shape, MeshNodeShape) and shape.routing == "xy":
            routers = shape.width * shape.height
        reply = header_layout(shape).offsets["reply"]
        number, manager = constants.number, constants.manager
        set_up = SetUpParameters(constants.headers, reply, number, routers, manager)
    return Node(
        NodeParameters(
            shape.layout,
            shape.stages,
            INDEX,
            constants.place,
            "routed" if shape.layout.routed else transport,
            routing if shape.channels else None,
            shape.channels,
            shape.buffer_flits,
            shape.flit_bits,
            output_register=shape.output_register,
            registers=shape.registers,
            watchdog=shape.watchdog,
            counters=shape.counters,
            read_back=shape.read_back,
            check_bits=shape.check_bits,
            link_registers=shape.link_registers,
            near=constants.near,
            datelines=constants.datelines,
            set_up=set_up,
        )
    )


class Neighbour:
    """The other end of a link: it keeps to credits, and its wires may be flipped on the way.

    Parameters
    ----------
    node : Node
    port : int
    rng : random.Random
    draws : SetUpDraws or None
        With set-up by managers: the packets of the last channel.
    """

    def __init__(
        self, node: Node, port: int, rng: random.Random, draws: SetUpDraws | None = None
    ) -> None:
        has, self.node, self.port, self.rng = node.parameters, node, port, rng
        self.form = node.ends[port].form
        self.guarded = has.check_bits > 0 and port < has.layout.links
        far = port < has.layout.links and port not in has.near
        registers = has.link_registers if far else 0
        self.end = LinkEnd(self.form, has.buffer_flits, registers, guarded=self.guarded)
        self.there, self.back = Link(registers), Link(registers)
        self.room = [has.buffer_flits] * self.form.channels
        self.room += [1] * (2 if self.form.transport == "routed" else 0)
        self.held = [0] * len(self.room)
        # Payloads that are left of the packet that is open, by channel.
        self.left: list[list[int]] = [[] for _ in range(self.form.channels)]
        self.draws = draws
        self.change()

    def change(self) -> None:
        """Send and free more or less; where a lane rests for long, guards ask what is there."""
        self.busy = self.rng.choice((0.01, 0.1, 0.5, 0.9))
        self.frees = self.rng.choice((0.01, 0.6))

    def flit(self) -> Flit | None:
        """Return the next flit of some packet, if there is room for it."""
        rng = self.rng
        channels = [c for c in range(self.form.channels) if self.room[c]]
        if not channels or rng.random() > self.busy:
            return None
        c = rng.choice(channels)
        head = not self.left[c]
        if head:
            self.left[c] = self.packet(c)
        payload = self.left[c].pop(0)
        self.room[c] -= 1
        return Flit(c, payload, head, not self.left[c])

    def packet(self, channel: int) -> list[int]:
        """Draw a packet's payloads."""
        rng, has = self.rng, self.node.parameters
        if self.draws and channel == has.channels:
            return self.draws.packet()
        return [rng.getrandbits(has.flit_bits) for _ in range(rng.choice((1, 1, 2, 5)))]

    def message(self) -> Sent | None:
        """Return a message for some entry, often one that awaits it."""
        rng, has = self.rng, self.node.parameters
        if not self.form.classes or rng.random() > 0.3:
            return None
        engine, layout = self.node.engine, has.layout
        entries = range(min(ENTRIES, layout.entries))
        awaited = [e for e in entries if self.port in engine.entry(e).missing]
        entry = rng.choice(awaited if awaited and rng.random() < 0.8 else entries)
        epoch = engine.entry(entry).epoch ^ (rng.random() < 0.05)
        kind = rng.choices(list(Kind), (12, 2, 3, 1))[0]
        message = Message(entry, epoch, kind, rng.getrandbits(layout.data_bits))
        if not layout.routed:
            return Sent(message)
        route_class = rng.randrange(2)
        if not self.room[self.form.channels + route_class]:
            return None
        self.room[self.form.channels + route_class] -= 1
        x, y = has.place
        if rng.random() < 0.5:
            x, y = rng.getrandbits(layout.x_bits), rng.getrandbits(layout.y_bits)
        return Sent(message, Way(x, y, route_class))

    def step(self, forward: Forward, back: Back, *, still: bool) -> tuple[Forward, Back]:
        """Go through a cycle; return what is at the node's end of the link."""
        rng = self.rng
        if rng.random() < 0.003:
            self.change()
        sent = None if still else self.message()
        flit = None if still or (sent and self.form.transport != "own") else self.flit()
        freed = 0
        for lane, count in enumerate(self.held):
            if count and rng.random() < self.frees:
                freed |= 1 << lane
                self.held[lane] -= 1
        wires, credits = self.end.forward(flit, sent), self.end.back(freed)
        if self.guarded and rng.random() < 0.02:
            wires = self.form.flip(wires, 1 << rng.randrange(self.form.width))
        at_node, returned = self.there.step(wires, back)
        at_end, to_node = self.back.step(forward, credits)
        got = self.end.step(flit, sent, freed, at_end, returned)
        for lane in range(len(self.room)):
            self.room[lane] += got.credit >> lane & 1
        if got.flit:
            self.held[got.flit.channel] += 1
        if got.sent and got.sent.way:
            self.held[self.form.channels + got.sent.way.route_class] += 1
        return at_node, to_node


class NodeLockstep:
    """What a node is given, and what its golden model drives then.

    Left out: flips where there are no check bits, what breaks credits, and images with several
    parents.

    Parameters
    ----------
    shape : NodeShape
    rng : random.Random
    """

    def __init__(self, shape: NodeShape, rng: random.Random) -> None:
        self.shape, self.rng, self.seen = shape, rng, Counter[str]()
        self.constants = constants_of(shape, rng)
        self.node = model_of(shape, self.constants)
        self.resets = 0
        self.begin()

    def begin(self) -> None:
        """Begin after reset, among neighbours that have been reset, too."""
        self.draws = None
        if self.shape.managers:
            here, engine = self.constants.here, self.node.engine

            def state(entry: int) -> tuple[bool, int]:
                there = engine.entry(entry)
                return there.alive, there.epoch

            self.draws = SetUpDraws(self.shape, here, ENTRIES, state, self.rng)
        self.around = {p: Neighbour(self.node, p, self.rng, self.draws) for p in self.node.ends}
        self.requests: deque[ChainRequest] = deque()
        self.waits = self.elsewhere = False
        self.offer: Message | None = None
        self.quiet = 3 * self.shape.layout.entries

    def step(self) -> tuple[Pins, NodeOutputs]:
        """Go through a cycle; return the input pins, and what is expected on the outputs."""
        rng, shape, node = self.rng, self.shape, self.node
        if not self.resets and rng.random() < 0.001:
            self.resets = shape.link_registers + 2
        reset = self.resets > 0
        forward, back = {}, {}
        sends, credits = node.wires()
        for p, neighbour in self.around.items():
            still = self.quiet > 0 or reset
            forward[p], back[p] = neighbour.step(sends[p], credits[p], still=still)
        request = None if reset else self.request()
        further = None
        if self.elsewhere and rng.random() < 0.2:
            further, self.elsewhere = Answer(bool(rng.getrandbits(1)), rng.getrandbits(32)), False
        arrivals = self.arrivals()
        inputs = NodeInputs(forward, back, request, further, arrivals, self.offer, reset)
        pins = self.pins(inputs)
        outputs = node.step(inputs)
        self.note(inputs, outputs)
        self.quiet -= self.quiet > 0
        if reset:
            self.resets -= 1
            if not self.resets:
                self.begin()
        return pins, outputs

    def note(self, inputs: NodeInputs, outputs: NodeOutputs) -> None:
        """Follow what has been taken and answered, and count what has happened."""
        if outputs.answer:
            self.waits = False
            self.seen["refused" if outputs.answer.error else "answered"] += 1
        if outputs.passing:
            self.elsewhere = True
        if self.offer and outputs.engine.arrive_ready:
            self.offer = None
            self.seen["arrived"] += 1
        release = outputs.engine.release
        self.seen[f"release {Kind(release.kind).name}" if release else "no release"] += 1
        self.seen["reset"] += inputs.reset
        for wires in outputs.forward.values():
            self.seen["flit"] += wires.valid > 0
            self.seen["message"] += wires.message_valid > 0

    def request(self) -> ChainRequest | None:
        """Return a request, if the last one has been answered."""
        rng = self.rng
        if self.waits or rng.random() < 0.3:
            return None
        if not self.requests:
            self.plan()
        self.waits = True
        return self.requests.popleft()

    def plan(self) -> None:
        """Put some requests into the queue: a group that is set up, or one of anything."""
        rng, layout, engine = self.rng, self.shape.layout, self.node.engine
        entry = rng.randrange(min(ENTRIES, layout.entries))
        state = engine.entry(entry)
        commit = {"entry": entry, "epoch": state.epoch, "word": rng.randrange(16)}
        draw = rng.random()
        if self.draws and rng.random() < 0.5:
            for write, word, data in self.draws.commands():
                self.ask(Target.MANAGER, int(write), word, data)
        elif draw < 0.5 and not state.alive:
            image = image_of(self.shape, rng)
            for k in range(layout.image_words):
                self.ask(Target.ENGINE, 1, IMAGE_ADDRESS + k, image >> 32 * k & 0xFFFFFFFF)
            self.ask(Target.ENGINE, 1, 0, COMMIT.pack({**commit, "code": Code.SETUP}))
        elif draw < 0.75:
            # READ, SETUP, GO, KILL; a root that awaits its GO gets it.
            weights = (0, 0, 1, 0) if state.alive and not state.missing else (4, 1, 1, 2)
            code = rng.choices(list(Code), weights)[0]
            commit["epoch"] ^= rng.random() < 0.1
            self.ask(Target.ENGINE, 1, 0, COMMIT.pack({**commit, "code": code}))
        else:
            # Not COMMIT: staged words that have not been written have no meaning.
            address = rng.choice((1, COUNTER_ADDRESS, *range(COUNTER_ADDRESS, COUNTER_ADDRESS + 4)))
            target = rng.randrange(8)
            write = rng.random() < 0.3 and address > 1
            node = INDEX if rng.random() < 0.9 else INDEX + 1
            self.ask(target, write, address, rng.getrandbits(32), node)

    def ask(self, target: int, write: int, address: int, data: int, node: int = INDEX) -> None:
        """Put a request into the queue."""
        at = target << ADDRESS_BITS | address
        self.requests.append(ChainRequest(node, bool(write), at, data))

    def arrivals(self) -> dict[int, Arrival]:
        """Return arrivals at the node port; offer one at the engine's own if there is none."""
        rng, layout = self.rng, self.shape.layout
        if not layout.own:
            return {}
        if self.shape.registers:
            some = [r for r in range(self.shape.registers) if rng.random() < 0.1]
            bits = layout.data_bits
            return {r: Arrival(rng.getrandbits(bits), rng.random() < 0.2) for r in some}
        if self.offer is None and not self.quiet and rng.random() < 0.5:
            entries = range(min(ENTRIES, layout.entries))
            engine = self.node.engine
            awaited = [e for e in entries if layout.links in engine.entry(e).missing]
            entry = rng.choice(awaited or entries)
            kind = rng.choice((Kind.PLAIN, Kind.PLAIN, Kind.LAST))
            data = rng.getrandbits(layout.data_bits)
            self.offer = Message(entry, engine.entry(entry).epoch, kind, data)
        return {}

    def pins(self, inputs: NodeInputs) -> Pins:
        """Return all input pins."""
        layout, request, further = self.shape.layout, inputs.request, inputs.further
        pins = {
            "reset": int(inputs.reset),
            "index": INDEX,
            "x": self.constants.place[0],
            "y": self.constants.place[1],
            "number": self.constants.number,
            "routes": sum(
                port << (self.shape.ports - 1).bit_length() * r
                for r, port in enumerate(self.constants.routes)
            ),
            "manager": int(self.constants.manager >= 0),
            "manager_index": max(0, self.constants.manager),
            "near": sum(1 << port for port in self.constants.near),
            "dateline": sum(1 << port for port in self.constants.datelines),
            "host__request_valid": int(request is not None),
            "host__request": packed(request) if request else self.rng.getrandbits(57),
            "next__answer_valid": int(further is not None),
            "next__answer_error": int(bool(further and further.error)),
            "next__answer_rdata": further.rdata if further else 0,
        }
        for p in self.node.ends:
            pins |= self.link_pins("in", p, inputs.forward[p]._asdict())
            pins |= self.link_pins("out", p, inputs.back[p]._asdict())
        if self.shape.registers:
            count, bits, some = self.shape.registers, layout.data_bits, inputs.arrivals
            pins["arrive"] = sum(1 << r for r in some)
            pins["last"] = sum(1 << r for r, one in some.items() if one.last)
            pins["data"] = self.rng.getrandbits(count * bits) if bits else 0
            for r, one in some.items():
                pins["data"] &= ~((1 << bits) - 1 << r * bits)
                pins["data"] |= one.data << r * bits
        elif layout.own:
            offer = inputs.arrive
            pins["arrive__valid"] = int(offer is not None)
            pins["arrive__message"] = layout.message.pack(offer._asdict()) if offer else 0
        return pins

    def link_pins(self, end: str, p: int, wires: dict[str, int]) -> Pins:
        """Return pins of a link by the names that the node has for them."""
        if p == self.shape.links:
            name = {"in": "inject", "out": "eject"}[end]
            return {f"{name}__{wire}": value for wire, value in wires.items()}
        own = self.node.ends[p].form.transport == "own"
        pins = {}
        for wire, value in wires.items():
            plane, inside = "packets", wire
            if own and wire.startswith("message") and wire != "message_rest":
                plane = "messages"
                inside = wire.removeprefix("message_") if wire != "message" else wire
            pins[f"{end}_{p}__{plane}__{inside}"] = value
        return pins

    def differences(self, outputs: NodeOutputs, pins: Pins) -> list[str]:
        """Return the output pins that show something else than is expected."""
        wrong = []

        def compare(name: str, expected: int, meaning: int = -1) -> None:
            if name in pins and (pins[name] ^ expected) & meaning:
                wrong.append(f"{name} = {pins[name]:#x}, expected {expected:#x}")

        for p, wires in outputs.forward.items():
            form, names = self.node.ends[p].form, self.link_pins("out", p, wires._asdict())
            seen = {
                wire: pins.get(name, 0) for wire, name in zip(wires._fields, names, strict=True)
            }
            shown, known = form.known(Forward(**seen)), form.known(wires)
            wrong += [
                f"{name} = {a:#x}, expected {b:#x}"
                for name, a, b in zip(names, shown, known, strict=True)
                if a != b and name in pins
            ]
        for p, back in outputs.back.items():
            for name, value in self.link_pins("in", p, back._asdict()).items():
                compare(name, value)
        answer, passing = outputs.answer, outputs.passing
        compare("host__answer_valid", answer is not None)
        compare("host__answer_error", bool(answer and answer.error))
        compare(
            "host__answer_rdata", answer.rdata if answer else 0, answer.meaning if answer else -1
        )
        compare("next__request_valid", passing is not None)
        if passing:
            compare("next__request", packed(passing))
        engine, layout = outputs.engine, self.shape.layout
        compare("freed_valid", engine.freed is not None)
        if engine.freed is not None:
            compare("freed_entry", engine.freed.entry)
            compare("freed_epoch", engine.freed.epoch)
        if outputs.process:
            self.compare_process(outputs, compare)
        elif layout.own:
            compare("arrive_ready", engine.arrive_ready)
            compare("release__valid", engine.release is not None)
            if engine.release:
                bits = layout.message.width
                if engine.release.kind in (Kind.GO, Kind.BROKEN):
                    bits = layout.message.offsets["data"]
                word = layout.message.pack(engine.release._asdict())
                compare("release__message", word, (1 << bits) - 1)
        return wrong

    def compare_process(self, outputs: NodeOutputs, compare: Any) -> None:
        """Compare the pins of the node port."""
        process, bits = outputs.process, self.shape.layout.data_bits
        assert process
        for name in ("released", "ready", "done", "broken"):
            compare(name, sum(1 << r for r in getattr(process, name)))
        words = {r: word for r, word in enumerate(process.result) if word is not None}
        meaning = sum(((1 << bits) - 1) << r * bits for r in words)
        compare("result", sum(word << r * bits for r, word in words.items()), meaning)


def packed(request: ChainRequest) -> int:
    """Return a request's bits on the chain."""
    return request.node | request.write << 16 | request.address << 17 | request.data << 25
