"""A golden node among neighbours, with what is on its pins in every cycle."""

import random
from collections import Counter, deque
from typing import NamedTuple

from syncfabric.models.golden.engine.memory import Answer, Message, Route
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.lifecycle.port import SetUpParameters
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.node import Node
from syncfabric.models.golden.place import PlaceInputs, PlaceOutputs, Site
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, Code, Kind
from syncfabric.models.layout.flit import table_header
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import ADDRESS_BITS, COUNTER_ADDRESS, EngineWord, Target
from tests.rtl.engine.lockstep import word_of
from tests.rtl.planes.neighbour import (
    Neighbour,
    Pins,
    compare_chain,
    compare_process,
    link_pins,
    packed,
    wire_differences,
)
from tests.rtl.planes.set_up_draws import SetUpDraws, image_of

INDEX = 5
ENTRIES = 6
"""Of these groups messages come: of more there would be too few of each."""


class Constants(NamedTuple):
    """What is constant of one node of a network.

    Attributes
    ----------
    place : tuple of int
        Coordinates.
    number : int
        The router's.
    routes : tuple of int
        With routing by tables: the port for each router.
    datelines : frozenset of int
        Outputs at which packets change channels.
    delays : dict of int to int
        Registers on links, where they are not ``link_registers``.
    manager : int
        Number of the manager that is here; negative: none.
    here : int
        Header of a packet for this router's process, or its sink.
    headers : tuple of int
        Of replies, by manager.
    """

    place: tuple[int, ...]
    number: int
    routes: tuple[int, ...]
    datelines: frozenset[int]
    delays: dict[int, int]
    manager: int
    here: int
    headers: tuple[int, ...]


def constants_of(shape: NodeShape, rng: random.Random) -> Constants:
    """Draw what is constant of a node."""
    grid = shape.grid
    place = tuple(rng.randrange(side) for side in grid.sides) if grid else ()
    routes = tuple(rng.randrange(shape.ports) for _ in range(shape.routers))
    lines = frozenset(p for p in range(shape.ports) if shape.datelines and rng.random() < 0.5)
    most, ports = shape.most_registers, range(shape.links)
    some = (p for p in ports if rng.random() < 0.5) if not shape.own or shape.longest_link else ()
    delays = {p: rng.choice((0, rng.randint(0, most))) for p in some}
    number = rng.randrange(shape.routers or 1)
    sink = shape.links if shape.managers else 0
    brought = shape.routing == "source"  # a header that leads to no router
    layout = table_header(1, shape.ports) if brought else shape.header
    here = {"router": number}
    if grid:
        number, here = grid.router(place) or 0, dict(zip(grid.names, place, strict=True))
    if "port" in layout.offsets:
        here["port"] = sink
    managers = range(-1, shape.managers) if shape.own else (-1,)
    manager, reply = rng.choice((managers[-1], *managers)), 1 << layout.offsets["reply"]
    own = layout.pack({**here, "reply": 0})
    headers = tuple(
        reply | (own if i == manager else rng.randrange(reply)) for i in range(shape.managers)
    )
    return Constants(place, number, routes, lines, delays, manager, own, headers)


def model_of(shape: NodeShape, constants: Constants) -> Node:
    """Return the golden node of a shape."""
    set_up = None
    if shape.managers:
        routers = shape.grid.routers if shape.grid else shape.routers
        reply = shape.header.offsets["reply"]
        number, manager = constants.number, constants.manager
        set_up = SetUpParameters(constants.headers, reply, number, routers, manager)
    site = Site(
        INDEX,
        shape.registers,
        constants.number,
        constants.place,
        constants.routes,
        constants.delays,
        constants.datelines,
        set_up,
    )
    return Node(shape, site)


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
        self.around = {p: self.neighbour(p) for p in self.node.ends}
        self.requests: deque[ConfigRequest] = deque()
        self.waits = self.elsewhere = False
        self.offer: Message | None = None
        self.quiet = 3 * self.shape.layout.entries

    def neighbour(self, port: int) -> Neighbour:
        """Return the other end of a link, or of the process's port."""
        shape, is_link = self.shape, port < self.shape.links
        return Neighbour(
            self.node.ends[port].form,
            shape,
            self.rng,
            lambda: self.message(port),
            registers=self.constants.delays.get(port, shape.link_registers) if is_link else 0,
            guarded=shape.check_bits > 0 and is_link,
            draws=self.draws if is_link else None,
        )

    def message(self, port: int) -> Sent:
        """Return a message for some entry, often one that awaits it."""
        rng, engine, layout = self.rng, self.node.engine, self.shape.layout
        entries = range(min(ENTRIES, layout.entries))
        awaited = [e for e in entries if port in engine.entry(e).missing]
        entry = rng.choice(awaited if awaited and rng.random() < 0.8 else entries)
        epoch = engine.entry(entry).epoch ^ (rng.random() < 0.05)
        kind = rng.choices(list(Kind), (12, 2, 3, 1))[0]
        key = engine.entry(entry).image.key
        if layout.key_bits and rng.random() < 0.05:
            key = rng.getrandbits(layout.key_bits)
        message = Message(entry, epoch, kind, rng.getrandbits(layout.data_bits), key)
        if not layout.routed:
            return Sent(message)
        place = tuple(self.constants.place)
        if rng.random() < 0.5:
            place = tuple(map(rng.getrandbits, layout.place_bits))
        return Sent(message, Route(place, rng.randrange(layout.lanes)))

    def step(self) -> tuple[Pins, PlaceOutputs]:
        """Go through a cycle; return the input pins, and what is expected on the outputs."""
        rng, shape, node = self.rng, self.shape, self.node
        if not self.resets and rng.random() < 0.001:
            self.resets = shape.most_registers + 2
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
        inputs = PlaceInputs(forward, back, request, further, arrivals, self.offer, reset=reset)
        pins = self.pins(inputs)
        outputs = node.step(inputs)
        self.observe(inputs, outputs)
        self.quiet -= self.quiet > 0
        if reset:
            self.resets -= 1
            if not self.resets:
                self.begin()
        return pins, outputs

    def observe(self, inputs: PlaceInputs, outputs: PlaceOutputs) -> None:
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

    def request(self) -> ConfigRequest | None:
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
                self.ask(Target.ENGINE, 1, EngineWord.IMAGE + k, image >> 32 * k & 0xFFFFFFFF)
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
        self.requests.append(ConfigRequest(node, at, bool(write), data))

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
            there = engine.entry(entry)
            self.offer = Message(entry, there.epoch, kind, data, there.image.key)
        return {}

    def pins(self, inputs: PlaceInputs) -> Pins:
        """Return all input pins."""
        layout, request, further = self.shape.layout, inputs.request, inputs.further
        names = self.shape.grid.names if self.shape.grid else ()
        pins = {
            "reset": int(inputs.reset),
            "index": INDEX,
            **dict(zip(names, self.constants.place, strict=True)),
            "number": self.constants.number,
            "routes": sum(
                port << (self.shape.ports - 1).bit_length() * r
                for r, port in enumerate(self.constants.routes)
            ),
            "manager": int(self.constants.manager >= 0),
            "manager_index": max(0, self.constants.manager),
            "delays": sum(
                self.constants.delays.get(port, self.shape.most_registers)
                << self.shape.most_registers.bit_length() * port
                for port in range(self.shape.links)
            ),
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
            pins["arrive__message"] = word_of(layout, offer) if offer else 0
        return pins

    def link_pins(self, end: str, p: int, wires: dict[str, int]) -> Pins:
        """Return pins of a link by the names that the node has for them."""
        if p == self.shape.links:
            name = {"in": "inject", "out": "eject"}[end]
            return {f"{name}__{wire}": value for wire, value in wires.items()}
        return link_pins(self.node.ends[p].form, f"{end}_{p}", wires)

    def differences(self, outputs: PlaceOutputs, pins: Pins) -> list[str]:
        """Return the output pins that show something else than is expected."""
        wrong: list[str] = []

        def compare(name: str, expected: int, meaning: int = -1) -> None:
            if name in pins and (pins[name] ^ expected) & meaning:
                wrong.append(f"{name} = {pins[name]:#x}, expected {expected:#x}")

        for p, wires in outputs.forward.items():
            names = list(self.link_pins("out", p, wires._asdict()))
            wrong += wire_differences(self.node.ends[p].form, names, wires, pins)
        for p, back in outputs.back.items():
            for name, value in self.link_pins("in", p, back._asdict()).items():
                compare(name, value)
        compare_chain(outputs.answer, outputs.passing, compare)
        engine, layout = outputs.engine, self.shape.layout
        compare("freed_valid", engine.freed is not None)
        if engine.freed is not None:
            compare("freed_entry", engine.freed.entry)
            compare("freed_epoch", engine.freed.epoch)
        if self.shape.registers:
            compare_process(outputs.process, layout.data_bits, compare)
        elif layout.own:
            compare("arrive_ready", engine.arrive_ready)
            compare("release__valid", engine.release is not None)
            if engine.release:
                bits = layout.message.width
                if engine.release.kind in (Kind.GO, Kind.BROKEN):
                    bits = layout.message.offsets["data"]
                word = word_of(layout, engine.release)
                compare("release__message", word, (1 << bits) - 1)
        return wrong
