"""A mesh of engines in Amaranth's simulator, with processes and a host that sets groups up.

Messages go over links, or through routers, if the layout is routed.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.sim import Simulator

from syncfabric.models.layout.engine import COMMIT, IMAGE_ADDRESS, Code, EngineLayout, Kind
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import XyRouting
from syncfabric.rtl.transport.routed import CLASSES, RoutedLinks

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""East, north, west, south: links 0 to 3."""

Node = tuple[int, int]


@dataclass
class Group:
    """A tree: who is whose parent, and its entry and epoch at each router.

    Where messages are routed, ``classes`` has the class of messages from each parent.
    """

    parents: dict[Node, Node | None]
    members: list[Node]
    op: int
    entries: dict[Node, int]
    epochs: dict[Node, int] = field(default_factory=dict)
    classes: dict[Node, int] = field(default_factory=dict)

    @property
    def root(self) -> Node:
        """The router without a parent."""
        return next(node for node, parent in self.parents.items() if parent is None)

    def depth(self, node: Node) -> int:
        """Return how many links lie between a router and the root."""
        parent = self.parents[node]
        return 0 if parent is None else 1 + self.depth(parent)

    @property
    def height(self) -> int:
        """Links from the root to the farthest member."""
        return max(self.depth(node) for node in self.members)

    def link(self, node: Node, other: Node) -> int:
        """Return the link of ``node`` by which messages to a neighbour in the tree leave."""
        if other not in self.classes and node not in self.classes:
            return link_to(node, other)
        return first_link(node, other, self._class_to(node, other))

    def name(self, node: Node, other: Node) -> dict[str, int]:
        """Return the fields that name the entry of a neighbour in the tree."""
        name = {"entry": self.entries[other], "epoch": self.epochs[other]}
        if self.classes:
            name |= {"x": other[0], "y": other[1], "route_class": self._class_to(node, other)}
        return name

    def _class_to(self, node: Node, other: Node) -> int:
        """Return the class of messages to a neighbour; those to the parent take the same way."""
        return self.classes[other] if self.parents[other] == node else 1 - self.classes[node]


def link_to(node: Node, other: Node) -> int:
    """Return the link of ``node`` that leads to a neighbour."""
    return STEPS.index((other[0] - node[0], other[1] - node[1]))


def random_group(rng: random.Random, nodes: list[Node], entries: dict[Node, int], op: int) -> Group:
    """Return a random tree over links, with random members at its leaves and some inner nodes."""
    root = rng.choice(nodes)
    parents: dict[Node, Node | None] = {root: None}
    for _ in range(rng.randrange(len(nodes))):
        node = rng.choice(list(parents))
        dx, dy = rng.choice(STEPS)
        other = (node[0] + dx, node[1] + dy)
        if other in nodes and other not in parents:
            parents[other] = node
    inner = {parent for parent in parents.values() if parent is not None}
    members = [n for n in parents if n not in inner or rng.random() < 0.6]
    return Group(parents, members, op, {node: entries[node] for node in parents})


def first_link(node: Node, other: Node, route_class: int) -> int:
    """Return the link by which a message of a class to another router leaves."""
    away = (other[0] - node[0], other[1] - node[1])
    axis = route_class if away[route_class] else 1 - route_class
    step = [0, 0]
    step[axis] = 1 if away[axis] > 0 else -1
    return STEPS.index((step[0], step[1]))


def random_routed_group(
    rng: random.Random, nodes: list[Node], entries: dict[Node, int], op: int
) -> Group:
    """Return a random tree of members alone, in which no two children share a link."""
    members = rng.sample(nodes, rng.randrange(2, len(nodes) + 1))
    group = Group({members[0]: None}, members[:1], op, entries, classes={})
    used: dict[Node, set[int]] = {members[0]: set()}
    for node in members[1:]:
        ways = [(parent, c) for parent in used for c in range(CLASSES)]
        for parent, c in rng.sample(ways, len(ways)):
            out = first_link(parent, node, c)
            if out not in used[parent]:
                group.parents[node], group.classes[node] = parent, c
                used[parent].add(out)
                used[node] = set()
                break
    group.members = list(group.parents)
    group.entries = {node: entries[node] for node in group.parents}
    return group


class Fabric:
    """Engines at every node of a mesh; each cycle's inputs and outputs, by node.

    Parameters
    ----------
    width, height : int
    layout : EngineLayout
        Four links and the process.
    options
        Of :class:`Engine`; ``shared`` where the layout is routed.
    """

    def __init__(self, width: int, height: int, layout: EngineLayout, **options: Any) -> None:
        self.layout = layout
        self.nodes = [(x, y) for y in range(height) for x in range(width)]
        self.epochs = {(node, e): 0 for node in self.nodes for e in range(layout.entries)}
        self.module = m = Module()
        parts: dict[Node, Any] = {node: Engine(layout, **options) for node in self.nodes}
        self.engines: dict[Node, Any] = parts
        if layout.routed:
            parts = {node: _routed(m, node, engine, layout) for node, engine in parts.items()}
            self.engines = {node: _engine_of(part) for node, part in parts.items()}
        for (x, y), part in parts.items():
            m.submodules[f"node_{x}_{y}"] = part
            for p, (dx, dy) in enumerate(STEPS):
                other = parts.get((x + dx, y + dy))
                if other is not None:
                    wiring.connect(
                        m,
                        getattr(part, f"out_{p}"),
                        getattr(other, f"in_{(p + 2) % 4}"),
                    )
        engines = self.engines.values()
        self.release = self._gather(
            m, [Cat(e.release.valid, e.release.message.as_value()) for e in engines]
        )
        self.accepts = self._gather(m, [e.arrive_ready for e in engines])
        self.answers = self._gather(
            m, [Cat(e.config.ready, e.config.error, e.config.rdata) for e in engines]
        )
        self.freed = self._gather(m, [Cat(e.freed_valid, e.freed_entry) for e in engines])
        self.arrivals = {node: deque[dict[str, int]]() for node in self.nodes}
        self.requests = {node: deque[tuple[int, int, int]]() for node in self.nodes}
        self.cycle = 0

    def _gather(self, m: Module, values: list[Any]) -> tuple[Signal, int]:
        """Join what all engines show into one signal, which is quicker to read."""
        width = len(values[0])
        joined = Signal(width * len(values))
        m.d.comb += joined.eq(Cat(values))
        return joined, width

    def run(self, program: Callable[["Run"], Iterator[None]], most: int = 20000) -> "Run":
        """Run a generator that yields once a cycle."""
        simulator = Simulator(self.module)
        simulator.add_clock(1e-6)
        run = Run(self)

        async def bench(ctx: Any) -> None:
            steps = program(run)
            for self.cycle in range(most):
                run.before(ctx)
                await ctx.tick()
                run.after(ctx)
                if next(steps, "end") == "end":
                    return
            raise AssertionError(f"not at an end after {most} cycles")

        simulator.add_testbench(bench)
        simulator.run()
        return run


def _routed(m: Module, node: Node, engine: Engine, layout: EngineLayout) -> RoutedLinks:
    """Return an engine behind a router of packets."""
    router = Router(
        XyRouting(layout.x_bits, layout.y_bits),
        channels=1,
        buffer_flits=4,
        flit_bits=32,
        messages=tuple(range(len(STEPS))),
        message_bits=layout.link_message.width,
        classes=CLASSES,
    )
    part = RoutedLinks(router, engine, layout)
    m.d.comb += [part.x.eq(node[0]), part.y.eq(node[1])]
    return part


def _engine_of(part: RoutedLinks) -> SimpleNamespace:
    """Return the ports of the engine inside, under the names that it has itself."""
    names = [name for name in part.signature.members if name.startswith("sync_")]
    return SimpleNamespace(**{name.removeprefix("sync_"): getattr(part, name) for name in names})


class Run:
    """One simulation: stimulus that waits, and what has been seen in this cycle."""

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        self.cycle = 0
        self.released: dict[Node, dict[str, int]] = {}
        self.freed: dict[Node, int] = {}
        self.answers: dict[Node, deque[tuple[int, int]]] = {n: deque() for n in fabric.nodes}
        self.arrived: dict[tuple[Node, int], int] = {}
        self._offered: set[Node] = set()
        self._asked: set[Node] = set()

    def before(self, ctx: Any) -> None:
        """Drive what waits."""
        fabric = self.fabric
        for node, engine in fabric.engines.items():
            waiting = fabric.arrivals[node]
            if waiting and node not in self._offered:
                ctx.set(engine.arrive.valid, 1)
                ctx.set(engine.arrive.message.as_value(), fabric.layout.message.pack(waiting[0]))
                self._offered.add(node)
                self.arrived[node, waiting[0]["entry"]] = self.cycle
            requests = fabric.requests[node]
            if requests and node not in self._asked:
                write, address, data = requests[0]
                ctx.set(engine.config.valid, 1)
                ctx.set(engine.config.write, write)
                ctx.set(engine.config.address, address)
                ctx.set(engine.config.data, data)
                self._asked.add(node)
        accepts = ctx.get(fabric.accepts[0])
        self._taken = [
            node
            for i, node in enumerate(fabric.nodes)
            if node in self._offered and accepts >> i & 1
        ]
        self._see(ctx)
        self._answered = self._fields(ctx, fabric.answers, 1)

    def _fields(self, ctx: Any, gathered: tuple[Signal, int], flag: int) -> dict[Node, int]:
        """Return what the engines show whose lowest bit is set."""
        joined, width = gathered
        value = ctx.get(joined)
        shown = {n: value >> width * i & (1 << width) - 1 for i, n in enumerate(self.fabric.nodes)}
        return {node: word >> flag for node, word in shown.items() if word & 1}

    def _see(self, ctx: Any) -> None:
        unpack = self.fabric.layout.message.unpack
        words = self._fields(ctx, self.fabric.release, 1)
        self.released = {node: unpack(word) for node, word in words.items()}
        self.freed = self._fields(ctx, self.fabric.freed, 1)

    def after(self, ctx: Any) -> None:
        """Take away what was taken."""
        fabric = self.fabric
        for node in self._taken:
            fabric.arrivals[node].popleft()
            self._offered.discard(node)
            arrive = fabric.engines[node].arrive
            ctx.set(arrive.valid, 0)
            # What is on the wires then has no meaning.
            ctx.set(arrive.message.as_value(), -1)
        for node, answer in self._answered.items():
            fabric.requests[node].popleft()
            self._asked.discard(node)
            ctx.set(fabric.engines[node].config.valid, 0)
            self.answers[node].append((answer & 1, answer >> 1))
        self.cycle += 1

    def ask(self, node: Node, write: int, address: int, data: int) -> None:
        """Make a request of a node's config port, after those that wait."""
        self.fabric.requests[node].append((write, address, data))

    def commit(self, node: Node, code: Code, entry: int, epoch: int, word: int = 0) -> None:
        """Write COMMIT."""
        fields = {"code": code, "entry": entry, "epoch": epoch, "word": word}
        self.ask(node, 1, 0, COMMIT.pack(fields))

    def settle(self) -> Iterator[None]:
        """Wait until no request waits."""
        while any(self.fabric.requests.values()):
            yield

    def image_of(self, group: Group, node: Node) -> int:
        """Return the image of a group's entry at a router."""
        parents, layout = group.parents, self.fabric.layout
        fields = {"op": group.op} if layout.op_bits else {}
        children = 0
        parent = parents[node]
        around = [n for n, up in parents.items() if up == node]
        for other in around:
            children |= 1 << group.link(node, other)
        if node in group.members:
            children |= 1 << layout.links
        if parent is not None:
            fields["parent"] = 1 << group.link(node, parent)
            around.append(parent)
        for other in around:
            name = "u" if layout.routed and other == parent else group.link(node, other)
            fields |= {f"{field}_{name}": v for field, v in group.name(node, other).items()}
        return layout.image.pack({**fields, "children": children})

    def set_up(self, group: Group) -> Iterator[None]:
        """Write a group's entries, its root's last, and start it."""
        fabric, layout = self.fabric, self.fabric.layout
        before = {n: fabric.epochs[n, e] for n, e in group.entries.items()}
        group.epochs = {n: (epoch + 1) % 4 for n, epoch in before.items()}
        for node in sorted(group.parents, key=lambda n: group.parents[n] is None):
            image = self.image_of(group, node)
            for k in range(layout.image_words):
                self.ask(node, 1, IMAGE_ADDRESS + k, image >> 32 * k & 0xFFFFFFFF)
            self.commit(node, Code.SETUP, group.entries[node], before[node])
            yield from self.settle()
            assert self.answers[node][-1][0] == 0, "SETUP is refused"
            fabric.epochs[node, group.entries[node]] = group.epochs[node]
        root = group.root
        self.commit(root, Code.GO, group.entries[root], group.epochs[root])
        yield from self.settle()
        assert self.answers[root][-1][0] == 0, "GO is refused"

    def arrive(self, group: Group, node: Node, data: int, *, last: bool = False) -> None:
        """Let a process arrive, after its arrivals that wait."""
        fields = {"entry": group.entries[node], "epoch": group.epochs[node]}
        kind = Kind.LAST if last else Kind.PLAIN
        self.fabric.arrivals[node].append({**fields, "kind": kind, "data": data})
