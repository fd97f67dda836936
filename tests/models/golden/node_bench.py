"""Networks of nodes with groups and packets on them."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any

from syncfabric.models.golden.engine import Message, Request
from syncfabric.models.golden.planes.node import Node
from syncfabric.models.golden.planes.pins import NodeOutputs, NodeParameters
from syncfabric.models.golden.router import XY, Flit
from syncfabric.models.golden.transport.config_chain import ChainRequest
from syncfabric.models.golden.transport.wires import Back, Forward
from syncfabric.models.layout.engine import COMMIT, WORD_BITS, Code, EngineLayout, Kind
from tests.models.golden.engine_nets import distances, mesh
from tests.models.golden.engine_network import Place
from tests.models.golden.planes.node_network import NodeNetwork

OPPOSITE = {0: 2, 1: 3, 2: 0, 3: 1}
Tree = dict[int, tuple[int, int, int, int]]
"""By node: its parent, its port to it, the parent's port to it, and the class down."""


class Mesh:
    """A mesh of nodes; ``options`` are those of ``NodeParameters``."""

    def __init__(self, side: int, layout: EngineLayout, stages: int, **options: Any) -> None:
        self.side, self.layout = side, layout
        bits = (side - 1).bit_length()

        def routing(x: int, y: int) -> Callable[[], XY]:
            return lambda: XY(bits, bits, x, y)

        nodes = []
        for n in range(side * side):
            place = n % side, n // side
            way = routing(*place) if options.get("channels") else None
            nodes.append(Node(NodeParameters(layout, stages, n, place, routing=way, **options)))
        self.nodes, self.graph = nodes, mesh(side, side)
        self.network = NodeNetwork(nodes, self.graph)
        self.arrive: dict[int, Message] = {}
        self.on_step: Callable[[list[NodeOutputs]], None] = lambda outputs: None
        self.released: dict[int, list[tuple[int, Message]]] = {n: [] for n in range(len(nodes))}
        self.local: dict[int, tuple[Forward, Back]] = {}
        self.request: ChainRequest | None = None

    def step(self, flips: dict[Place, int] | None = None) -> list[NodeOutputs]:
        now, net = self.network.now, self.network
        outputs = net.step(self.request, None, self.arrive, self.local, flips)
        self.request = None
        for n, out in enumerate(outputs):
            if out.engine.arrive_ready:
                self.arrive.pop(n, None)
            if out.engine.release:
                self.released[n].append((now, out.engine.release))
        self.on_step(outputs)
        return outputs

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.step()

    def set_up(self, members: Sequence[int], root: int, tree: Tree, entry: int = 0) -> None:
        """Set a group up in engines that are alone, before the first cycle of the network."""
        for n in {root, *tree}:
            fields = {"children": (n in members) << self.layout.links}
            for b, (a, up, down, c) in tree.items():
                if a == n:
                    fields["children"] |= 1 << down
                    fields |= self.name(down, b, entry, c)
                if b == n:
                    fields["parent"] = 1 << up
                    fields |= self.name("u" if self.layout.routed else up, a, entry, 1 - c)
            image = self.layout.image.pack(fields)
            words = [
                Request(True, 1 + k, image >> WORD_BITS * k & (1 << WORD_BITS) - 1)
                for k in range(self.layout.image_words)
            ]
            for request in (*words, Request(True, 0, COMMIT.pack({"code": 1, "entry": entry}))):
                while not self.nodes[n].engine.step(request=request).answer:
                    pass

    def name(self, port: int | str, node: int, entry: int, route_class: int) -> dict[str, int]:
        fields = {f"entry_{port}": entry, f"epoch_{port}": 1}
        if self.layout.routed:
            x, y = node % self.side, node // self.side
            fields |= {f"x_{port}": x, f"y_{port}": y, f"route_class_{port}": route_class}
        return fields

    def go(self, root: int, entry: int = 0) -> None:
        word = COMMIT.pack({"code": Code.GO, "epoch": 1, "entry": entry})
        self.request = ChainRequest(root, True, 0, word)

    def shortest(self, root: int, members: Sequence[int]) -> Tree:
        _, parent = distances(self.graph, root)
        tree: Tree = {}
        for n in members:
            while n != root:
                tree[n] = (*parent[n], 0)
                n = parent[n][0]
        return tree

    def routed_tree(self, members: Sequence[int], rng: random.Random) -> Tree:
        """Hang members below each other; ports of children are distinct."""
        used = {members[0]: set[int]()}
        tree: Tree = {}
        for b in members[1:]:
            ways = []
            for a in used:
                dx, dy = b % self.side - a % self.side, b // self.side - a // self.side
                along = [0 if dx > 0 else 2] * (dx != 0), [1 if dy > 0 else 3] * (dy != 0)
                for c in range(2):
                    steps = along[c] + along[1 - c]
                    if steps[0] not in used[a]:
                        ways.append((a, OPPOSITE[steps[-1]], steps[0], c))
            if ways:
                tree[b] = rng.choice(ways)
                used[tree[b][0]].add(tree[b][2])
                used[b] = set()
        return tree


class Packets:
    """Random packets from all nodes to all, through their processes' ports."""

    def __init__(self, net: Mesh, rng: random.Random, busy: float) -> None:
        self.net, self.rng, self.busy = net, rng, busy
        has = net.nodes[0].parameters
        self.channels, self.port = has.channels, net.layout.links
        many = len(net.nodes)
        self.queues = [deque[Flit]() for _ in range(many)]
        self.tokens = [[has.buffer_flits] * self.channels for _ in range(many)]
        self.credit = [0] * many
        self.open: dict[tuple[int, int], list[int]] = {}
        self.sent: Counter[tuple[int, ...]] = Counter()
        self.orders: dict[tuple[int, int, int], deque[tuple[int, ...]]] = {}
        self.number = self.arrived = 0

    def drive(self) -> None:
        """Put the next flits and credits on the ports."""
        bits = (self.net.side - 1).bit_length()
        for n, queue in enumerate(self.queues):
            if not queue and self.rng.random() < self.busy:
                to, c = self.rng.randrange(len(self.queues)), self.rng.randrange(self.channels)
                header = to % self.net.side | to // self.net.side << bits
                self.number = (self.number + 1) % 256
                words = [header | n << 8] + [self.number] * self.rng.randint(1, 4)
                last = len(words) - 1
                queue.extend(Flit(c, w, i == 0, i == last) for i, w in enumerate(words))
                self.orders.setdefault((n, to, c), deque()).append(tuple(words))
            sent = Forward()
            if queue and self.tokens[n][queue[0].channel]:
                flit = queue.popleft()
                self.tokens[n][flit.channel] -= 1
                sent = self.net.nodes[n].ends[self.port].form.pack(flit, None)
            self.net.local[n] = sent, Back(self.credit[n])

    def take(self, outputs: list[NodeOutputs]) -> None:
        """Take what has come, and see that packets are whole and in order."""
        for n, out in enumerate(outputs):
            self.credit[n] = out.forward[self.port].valid
            for c in range(self.channels):
                self.tokens[n][c] += out.back[self.port].credit >> c & 1
            flit, _ = self.net.nodes[n].ends[self.port].form.unpack(out.forward[self.port])
            if flit:
                words = self.open.setdefault((n, flit.channel), [])
                assert flit.head == (not words)
                words.append(flit.payload)
                if flit.tail:
                    source = words[0] >> 8
                    assert self.orders[source, n, flit.channel].popleft() == tuple(words)
                    words.clear()
                    self.arrived += 1


def play_barriers(
    net: Mesh, members: Sequence[int], rounds: int, rng: random.Random, step: Callable[[], Any]
) -> None:
    """Let members arrive at random, and see that no release is early or missing."""
    done = dict.fromkeys(members, 0)  # arrivals
    base = {n: len(net.released[n]) for n in members}
    for _ in range(rounds * 1500):
        past = {n: len(net.released[n]) - base[n] for n in members}
        assert max(past.values()) <= min(done.values())
        if min(past.values()) == rounds:
            assert all(m.kind == Kind.PLAIN for n in members for _, m in net.released[n][base[n] :])
            return
        for n in members:
            if done[n] == past[n] < rounds and rng.random() < 0.1:
                net.arrive[n] = Message(0, 1, Kind.PLAIN)
                done[n] += 1
        step()
    raise AssertionError("a barrier hangs")
