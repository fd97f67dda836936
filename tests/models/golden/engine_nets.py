"""Networks of engines with groups on them: who sets up, arrives and ends, and what must hold."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from syncfabric.models.golden.engine import (
    Answer,
    Engine,
    Freed,
    Message,
    Request,
)
from syncfabric.models.layout.engine import (
    COMMIT,
    COUNTER_ADDRESS,
    WORD_BITS,
    Code,
    EngineCounter,
    EngineLayout,
    Kind,
)
from tests.models.golden.engine_network import EngineNetwork, Place

Graph = list[tuple[Place, Place]]


def mesh(width: int, height: int) -> Graph:
    """Return the links of a mesh: ports +X, +Y, -X, -Y."""
    links: Graph = []
    for y in range(height):
        for x in range(width):
            here = y * width + x
            if x + 1 < width:
                links.append(((here, 0), (here + 1, 2)))
            if y + 1 < height:
                links.append(((here, 1), (here + width, 3)))
    return links


def random_graph(rng: random.Random, nodes: int, ports: int) -> Graph:
    """Return a connected graph with at most so many links at a node, ports drawn by lot."""
    free = [rng.sample(range(ports), ports) for _ in range(nodes)]
    links: Graph = []

    def join(a: int, b: int) -> None:
        if a != b and free[a] and free[b]:
            links.append(((a, free[a].pop()), (b, free[b].pop())))

    for b in range(1, nodes):
        join(rng.choice([a for a in range(b) if free[a]]), b)
    for _ in range(rng.randrange(nodes)):
        join(rng.randrange(nodes), rng.randrange(nodes))
    return links


def distances(graph: Graph, root: int) -> tuple[dict[int, int], dict[int, tuple[int, int, int]]]:
    """Return distances from a root, and of each other node: parent, port to it, port from it."""
    away: dict[int, list[tuple[int, int, int]]] = {}
    for (a, p), (b, q) in graph:
        away.setdefault(a, []).append((p, b, q))
        away.setdefault(b, []).append((q, a, p))
    far, parent, ahead = {root: 0}, {}, deque([root])
    while ahead:
        a = ahead.popleft()
        for p, b, q in sorted(away.get(a, [])):
            if b not in far:
                far[b], parent[b] = far[a] + 1, (a, q, p)
                ahead.append(b)
    return far, parent


@dataclass
class Group:
    """A group on a tree of links.

    Attributes
    ----------
    entry, epoch : dict of int to int
        By router of the tree.
    """

    members: frozenset[int]
    root: int
    parent: dict[int, tuple[int, int, int]]
    op: int
    entry: dict[int, int]
    epoch: dict[int, int] = field(default_factory=dict)
    killed: bool = False

    @property
    def routers(self) -> list[int]:
        return sorted(self.entry)


class Net:
    """A network of engines, watched in every cycle.

    Parameters
    ----------
    graph : list of links
    nodes : int
    layout : EngineLayout
    stages, registers, watchdog : int
    """

    def __init__(
        self,
        graph: Graph,
        nodes: int,
        layout: EngineLayout,
        stages: int,
        registers: int = 0,
        watchdog: int = 0,
    ) -> None:
        self.graph, self.layout = graph, layout
        self.engines = [Engine(layout, stages=stages, watchdog=watchdog) for _ in range(nodes)]
        self.network = EngineNetwork(self.engines, graph, registers)
        self.ends = {here: there for a, b in graph for here, there in ((a, b), (b, a))}
        self.jobs: list[deque[tuple[Request, Callable[[Answer], None]]]] = [
            deque() for _ in range(nodes)
        ]
        self.arrivals: list[deque[Message]] = [deque() for _ in range(nodes)]
        self.epochs = [[0] * layout.entries for _ in range(nodes)]
        self.used: list[set[int]] = [set() for _ in range(nodes)]
        self.on_release: Callable[[int, Message], None] = lambda node, message: None
        self.on_accept: Callable[[int, Message], None] = lambda node, message: None
        self.on_freed: Callable[[int, Freed], None] = lambda node, freed: None
        self.broken_sent = 0

    @property
    def now(self) -> int:
        return self.network.now

    def step(self) -> None:
        """Go through a cycle, and serve processes and config ports."""
        arrive = {node: waiting[0] for node, waiting in enumerate(self.arrivals) if waiting}
        requests = {node: jobs[0][0] for node, jobs in enumerate(self.jobs) if jobs}
        self.check_links()
        for node, out in enumerate(self.network.step(arrive, requests)):
            self.broken_sent += sum(m.kind == Kind.BROKEN for m in out.links.values())
            if out.answer:
                self.jobs[node].popleft()[1](out.answer)
            if out.arrive_ready and node in arrive:
                self.on_accept(node, self.arrivals[node].popleft())
            if out.release:
                self.on_release(node, out.release)
            if out.freed is not None:
                self.on_freed(node, out.freed)

    def read(self, node: int, counter: EngineCounter) -> int:
        """Read a counter."""
        values: list[int] = []
        request = Request(False, COUNTER_ADDRESS + counter)
        self.jobs[node].append((request, lambda answer: values.append(answer.rdata)))
        self.settle()
        return values[0]

    def check_links(self) -> None:
        """E12: a message that is not BROKEN for each entry; BROKEN only in service or as head."""
        for node, link in self.ends.values():
            whole = [m.entry for m in self.on_link(node, link) if m.kind != Kind.BROKEN]
            assert len(set(whole)) == len(whole), f"cycle {self.now}: {node}, {link}"
            behind = self.engines[node].waiting(link)[2:]
            assert all(m.kind != Kind.BROKEN for m in behind)

    def on_link(self, node: int, link: int) -> list[Message]:
        """Return the messages to a router on a link, in registers and at its engine."""
        return self.engines[node].waiting(link) + self.network.under_way((node, link))

    def is_free_of(self, group: Group) -> bool:
        """Whether no message of entries' former groups waits on a link (E12.3)."""
        return not any(
            message.entry == group.entry[a]
            for a in group.routers
            for link in range(self.layout.links)
            for message in self.on_link(a, link)
        )

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.step()

    def settle(self, most: int = 4000) -> None:
        """Step until all commands are answered."""
        for _ in range(most):
            if not any(self.jobs):
                return
            self.step()
        raise AssertionError("no answer")

    def group(self, members: Iterable[int], root: int, op: int = 0) -> Group | None:
        """Draw up a group over the shortest paths from a root; None if entries are short."""
        _, parent = distances(self.graph, root)
        routers = {root}
        for node in set(members):
            while node not in routers:
                routers.add(node)
                node = parent[node][0]
        free = {
            a: [x for x in range(self.layout.entries) if x not in self.used[a]] for a in routers
        }
        if not all(free.values()):
            return None
        entry = {a: free[a][-1] for a in routers}
        for a in routers:
            self.used[a].add(entry[a])
        tree = {a: parent[a] for a in routers - {root}}
        return Group(frozenset(members), root, tree, op, entry)

    def command(
        self, node: int, code: Code, entry: int, epoch: int, then: Callable[[Answer], None]
    ) -> None:
        word = COMMIT.pack({"code": code, "epoch": epoch, "entry": entry})
        self.jobs[node].append((Request(True, 0, word), then))

    def set_up(self, group: Group) -> None:
        """Write the images of a group, and then start it."""

        def ok(answer: Answer) -> None:
            assert not answer.error

        while not self.is_free_of(group):
            self.step()
        for a in group.routers:
            group.epoch[a] = (self.epochs[a][group.entry[a]] + 1) % 4
        for a in group.routers:
            image = self.image(group, a)
            for k in range(self.layout.image_words):
                word = image >> WORD_BITS * k & (1 << WORD_BITS) - 1
                self.jobs[a].append((Request(True, 1 + k, word), ok))
            self.command(a, Code.SETUP, group.entry[a], self.epochs[a][group.entry[a]], ok)
            self.epochs[a][group.entry[a]] = group.epoch[a]
        self.settle()
        root = group.root
        self.command(root, Code.GO, group.entry[root], group.epoch[root], ok)

    def image(self, group: Group, a: int) -> int:
        fields = {"op": group.op if self.layout.data_bits else 0}
        children = 1 << self.layout.links if a in group.members else 0
        neighbours = []
        for b, (up, b_port, up_port) in group.parent.items():
            if up == a:
                children |= 1 << up_port
                neighbours.append((up_port, b))
            if b == a:
                fields["parent"] = 1 << b_port
                neighbours.append((b_port, up))
        for p, b in neighbours:
            fields |= {f"entry_{p}": group.entry[b], f"epoch_{p}": group.epoch[b]}
        return self.layout.image.pack(fields | {"children": children})

    def kill(self, group: Group, then: Callable[[Answer], None] = lambda answer: None) -> None:
        """Order KILL for all routers of a group."""
        group.killed = True
        for a in group.routers:
            self.command(a, Code.KILL, group.entry[a], group.epoch[a], then)

    def arrive(self, group: Group, node: int, *, data: int = 0, last: bool = False) -> None:
        kind = Kind.LAST if last else Kind.PLAIN
        self.arrivals[node].append(Message(group.entry[node], group.epoch[node], kind, data))


def centre(graph: Graph, members: Sequence[int]) -> tuple[int, int]:
    """Return the root of least radius, and the radius."""
    nodes = {a for link in graph for end in link for a in end[:1]} or set(members)

    def radius(root: int) -> int:
        far, _ = distances(graph, root)
        return max(far[member] for member in members)

    root = min(sorted(nodes), key=radius)
    return root, radius(root)
