"""A whole irregular network, word by word from the contract: every place in every cycle."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from syncfabric.models.golden.packet import packet_words
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import IrregularSpec
from tests.models.golden.literal_switch import LiteralSwitch
from tests.models.golden.literal_tree import LiteralTree

__all__ = ["LiteralIrregular"]


class LiteralIrregular:
    """All of a network; ``release`` and ``answer`` are what is high in the next cycle.

    Places are targets (nodes, then switches); lanes are numbered as in a record.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self.network, self.layout = network, network.layout
        self.n, self.k, self.V = len(network.nodes), network.ports, network.channels
        q = network.switches
        self.trees = [LiteralTree(network, True) for _ in range(self.n)]
        self.trees += [LiteralTree(network, False) for _ in range(q)]
        assert network.tables is not None
        self.switches = [LiteralSwitch(network, network.tables, s) for s in range(q)]
        # Where links begin and end, as (target, port); a node interface's port 0 is its link.
        self.begin = {self.k * s + p: (self.n + s, p) for s in range(q) for p in range(self.k)}
        self.begin |= {self.k * q + i: (i, 0) for i in range(self.n)}
        self.link = {place: link for link, place in self.begin.items()}
        self.end: dict[int, tuple[int, int]] = {}
        for (a, p), (b, r) in network.links:
            self.end[self.k * a + p] = (self.n + b, r)
            self.end[self.k * b + r] = (self.n + a, p)
        for i, (s, p) in enumerate(network.nodes):
            self.end[self.k * s + p] = (i, 0)
            self.end[self.k * q + i] = (self.n + s, p)
        self.into = {place: link for link, place in self.end.items()}
        self.credit = {
            (link, v): network.buffer_flits for link in self.begin for v in range(self.V)
        }
        self.credit |= {(link, self.V): 1 for link in self.begin}
        self.freed: list[tuple[int, int]] = []
        self.waits: dict[tuple[int, int], int] = {}
        self.sent_before: set[int] = set()
        self.source: list[deque[Any]] = [deque() for _ in range(self.n)]
        self.software: list[deque[Any]] = [deque() for _ in range(self.n)]
        self.begun: list[Any] = [None] * self.n
        self.hold: list[deque[Any]] = [deque() for _ in range(self.n)]
        self.created = [0] * self.n
        self.started = False
        self.asked: ConfigRequest | None = None

    @property
    def release(self) -> list[tuple[int, int, int]]:
        return [(i, *release) for i in range(self.n) for release in self.trees[i].release]

    @property
    def answer(self) -> tuple[bool, bool, int]:
        answers = [tree.answer for tree in self.trees if tree.answer[0]]
        return answers[0] if answers else (False, False, 0)

    def create(self, source: int, destination: int, now: int) -> None:
        """Create a packet of the traffic generator."""
        switch, port = self.network.nodes[destination]
        header = self.layout.header.pack({"switch": switch, "port": port})
        number = self.created[source]
        self.created[source] += 1
        channel = 2 * (number % (self.V // 2)) if self.network.datelines else number % self.V
        words = packet_words(header, source, now, number)
        for place, word in enumerate(words):
            self.source[source].append(self.flit(word, channel, place == 0, place == 4))

    def put(self, source: int, payload: int, channel: int, *, head: bool, tail: bool) -> None:
        """Put a flit of a node's software into its queue, after the cycle's step."""
        self.software[source].append(self.flit(payload % 2**32, channel, head, tail))

    def flit(self, payload: int, channel: int, head: bool, tail: bool) -> tuple[int, int, bool]:
        fields = {"payload": payload % 2**self.layout.flit_bits, "head": head, "tail": tail}
        return channel, self.layout.flit.pack(fields), tail

    def step(
        self, arrive: Mapping[tuple[int, int], int], start: bool, config: ConfigRequest | None
    ) -> tuple[dict[int, int], set[int]]:
        """Advance one clock; return what is on the wires by lane, and the credits."""
        returned, self.freed = self.freed, []
        sync = self.send()
        spent = [(link, self.V) for link in sync]
        flits = self.packets(set(sync), spent)
        self.take(sync, arrive)
        self.asked = config
        for link, (v, raw) in flits.items():
            target, port = self.end.get(link, (None, 0))
            if target is None:
                continue
            if target >= self.n:
                self.switches[target - self.n].arrive(port, v, raw)
            else:
                self.freed.append((link, v))
        for lane in spent:
            self.credit[lane] -= 1
        for lane in returned:
            self.credit[lane] += 1
        for tree in self.trees:
            tree.edge()
        self.sent_before = set(sync)
        self.started |= start
        lanes = {(link, self.V): message for link, message in sync.items()}
        lanes |= {(link, v): raw for link, (v, raw) in flits.items()}
        wires = {self.lane(*lane): raw for lane, raw in lanes.items() if lane[0] in self.end}
        return wires, {self.lane(*lane) for lane in returned}

    def lane(self, link: int, channel: int) -> int:
        return link * (self.V + 1) + channel

    def send(self) -> dict[int, int]:
        """Return the synchronization messages on the links."""
        sync = {}
        for target, tree in enumerate(self.trees):
            tree.begin()
            is_open = [self.is_open(target, port) for port in range(tree.ports)]
            for port, message in tree.send(is_open).items():
                sync[self.link[target, port]] = message
        return sync

    def is_open(self, target: int, port: int) -> bool:
        link = self.link.get((target, port))
        if link is None:
            return False
        if self.network.buffered:
            return self.credit[link, self.V] >= 1
        return link not in self.sent_before

    def packets(self, syncs: set[int], spent: list[tuple[int, int]]) -> dict[int, tuple[int, int]]:
        """Return channel and flit on the links."""
        flits: dict[int, tuple[int, int]] = {}
        for s, switch in enumerate(self.switches):
            first = self.k * s
            credit = {
                (o, v): self.credit[first + o, v] for o in range(self.k) for v in range(self.V)
            }
            wires, freed, used, sunk = switch.cross(
                credit, {link - first for link in syncs if first <= link < first + self.k}
            )
            flits.update({first + o: flit for o, flit in wires.items()})
            self.freed += [(self.into[self.n + s, i], v) for i, v in freed]
            spent += [(first + o, v) for o, v in used]
            self.trees[self.n + s].events[Counter.STRAY] += sunk
        for i in range(self.n):
            link = self.link[i, 0]
            offered = None
            if self.begun[i] is None:
                queue = self.software[i] or self.source[i]
                channel = queue[0][0] if queue else 0
            else:
                queue, channel = self.begun[i]
            if queue and self.credit[link, channel]:
                _, raw, tail = queue.popleft()
                self.begun[i] = None if tail else (queue, channel)
                offered = channel, raw
                spent.append((link, channel))
            held = [*self.hold[i]]
            if offered is not None:
                held.append(offered)
            if held and link not in syncs:
                flits[link] = held.pop(0)
            self.hold[i] = deque(held)
        return flits

    def take(self, sync: dict[int, int], arrive: Mapping[tuple[int, int], int]) -> None:
        late = self.network.cycles_per_hop == 2
        new_waits: dict[tuple[int, int], int] = {}
        for target, tree in enumerate(self.trees):
            on_link = {
                port: sync[self.into[target, port]]
                for port in range(tree.ports)
                if (target, port) in self.into and self.into[target, port] in sync
            }
            presented = {port: m for (t, port), m in self.waits.items() if t == target}
            full = set(presented)
            if not late or target < self.n:
                presented = on_link | presented
            arrivals = {r: data for (node, r), data in arrive.items() if node == target}
            if self.asked is not None and self.asked.node == target:
                tree.config(self.asked, presented, arrivals)
            taken = tree.take(presented, arrivals, self.started)
            if self.network.buffered:
                self.freed += [(self.into[target, port], self.V) for port in taken]
            else:
                assert taken == set(presented)
            for port, message in presented.items():
                if port not in taken:
                    new_waits[target, port] = message
            for port, message in on_link.items():
                if port in full and self.network.buffered:
                    tree.events[Counter.OVERFLOW] += 1
                elif late and target >= self.n:
                    new_waits[target, port] = message
        self.waits = new_waits
