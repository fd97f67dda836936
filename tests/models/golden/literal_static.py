"""The contract of the static network read word for word: every register, every cycle, nothing else.

Slow and plain: the reference that the event-driven model is held against.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.spec import StaticSpec

EAST, NORTH, WEST, SOUTH, CORE = range(5)
NONE, RING, RING_ROOT, TREE, TREE_ROOT, ALONE = range(6)
STRAY, REFUSED_ARRIVE, REFUSED_WRITE = 1, 2, 3
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


@dataclass
class Seen:
    """What is compared in a cycle: flits on links by number, and links whose credit is high."""

    flits: dict[int, int]
    credit: set[int]


@dataclass
class LiteralNode:
    """Registers of a node."""

    role: int = NONE
    flits: int = 0
    left: int = 0
    owed: int = 0
    back: int = 0
    go: int = 0
    begun: int = 0
    done: int = 0
    counters: list[int] = field(default_factory=lambda: [0] * 4)

    def count(self, counter: int) -> None:
        self.counters[counter] = min(255, self.counters[counter] + 1)

    @property
    def waiting(self) -> bool:
        if self.role == TREE_ROOT:
            return self.go == 1
        return self.role in (RING, RING_ROOT, TREE) and self.left > 0

    @property
    def ready(self) -> bool:
        if self.role in (RING_ROOT, TREE_ROOT):
            return self.begun == 1
        return self.role != NONE


class LiteralStatic:
    """All nodes, switches and the loader of a network."""

    def __init__(self, spec: StaticSpec) -> None:
        self.spec = spec
        self.width, self.height = spec.width, spec.height
        self.n = n = spec.width * spec.height
        self.nodes = [LiteralNode() for _ in range(n)]
        self.inputs: list[list[list[int]]] = [[[] for _ in range(5)] for _ in range(n)]
        self.cores: list[list[int]] = [[] for _ in range(n)]
        self.counters = [[spec.switch_buffer] * 4 + [spec.core_buffer] for _ in range(n)]
        self.injection = [spec.injection_buffer] * n
        self.selects = [[[0] * 5 for _ in range(5)] for _ in range(n)]
        self.shadow = [0] * (25 * n)
        self.flush: set[tuple[int, int]] = set()
        self.hold = [False] * n
        self.released: set[int] = set()
        self.shifting: list[int] = []
        self.shift_answers = self.strobe = False
        self.answer = (False, False, 0)

    def neighbour(self, switch: int, port: int) -> int | None:
        """Return the switch that an output leads to."""
        x, y = switch % self.width + STEPS[port][0], switch // self.width + STEPS[port][1]
        inside = 0 <= x < self.width and 0 <= y < self.height
        return y * self.width + x if inside else None

    def step(
        self,
        arrive: Collection[int],
        send: Mapping[int, int],
        take: Collection[int],
        config: ConfigRequest | None,
    ) -> Seen:
        """Go through a cycle; ``hold`` is a register of the caller's."""
        n, spec = self.n, self.spec
        flits: dict[int, int] = {}
        credit: set[int] = set()
        leaves: set[tuple[int, int]] = set()
        # R2
        for s in range(n):
            for i in range(5):
                chosen = [o for o in range(5) if self.selects[s][o][i]]
                if self.inputs[s][i] and chosen and all(self.counters[s][o] for o in chosen):
                    leaves.add((s, i))
                    flits |= {5 * s + o: self.inputs[s][i][0] for o in chosen}
        # R4
        flushed = {s for s, o in self.flush if o == CORE}
        come = {
            i
            for i, node in enumerate(self.nodes)
            if i in arrive and node.ready and not node.waiting and i not in flushed
        }
        after = [LiteralNode(**vars(node)) for node in self.nodes]
        for node in after:
            node.counters = list(node.counters)
        released: set[int] = set()
        pops: set[int] = set()
        for i, (now, then) in enumerate(zip(self.nodes, after, strict=True)):
            accepted = i in come
            if i in arrive and not accepted:
                then.count(REFUSED_ARRIVE)
            if accepted:
                then.done = 0
            there, free = bool(self.cores[i]), self.injection[i] > 0
            if now.role == NONE:
                if i in take:
                    pops |= {i} if there else set()
                    if not there:
                        then.count(STRAY)
                if i in send:
                    if free:
                        flits[5 * n + i] = send[i] % (1 << spec.flit_bits)
                    else:
                        then.count(STRAY)
                continue
            release = sends = False
            if now.role in (RING, TREE):
                held = self.hold[i] and now.left <= (2 if now.role == RING else 1)
                if now.left and there and not held:
                    pops.add(i)
                    then.left -= 1
                    release = then.left == 0
                if accepted:
                    then.left = spec.core_buffer + 2 if now.role == RING else now.flits
            elif now.role == RING_ROOT:
                notify = False
                if there and not self.hold[i] and (now.back or now.left):
                    pops.add(i)
                    if now.back:
                        then.back = 0
                    else:
                        then.left -= 1
                        notify = then.left == 0
                if notify:
                    then.owed += spec.core_buffer + 1
                    then.back = 1
                    release = True
                sends = free and (now.owed > 0 or notify)
                if accepted:
                    then.owed += 1
                    then.left = spec.core_buffer + 1
                then.owed -= sends
            elif now.role == TREE_ROOT:
                if free and now.left:
                    sends, then.left = True, now.left - 1
                elif free and now.go and not self.hold[i]:
                    sends = release = True
                    then.go, then.left = 0, (now.flits - 1) % 65536
                if accepted:
                    then.go = 1
            else:
                release = accepted
            if sends:
                flits[5 * n + i] = 0
            if release:
                released.add(i)
                then.done = 1
        # R5
        writes, answers = self._configure(config, after, flushed, come)
        # R1
        sent = set(flits)
        for s in range(n):
            for o in range(5):
                link, to = 5 * s + o, None if o == CORE else self.neighbour(s, o)
                if o == CORE:
                    queue, gone, room = self.cores[s], s in pops, spec.core_buffer
                elif to is not None:
                    i = (o + 2) % 4
                    queue, gone = self.inputs[to][i], (to, i) in leaves
                    room = spec.switch_buffer
                else:
                    self.counters[s][o] -= link in sent
                    flits.pop(link, None)
                    continue
                self._pass(queue, link, gone, room, flits, credit)
                self.counters[s][o] += gone - (link in sent)
            link, gone = 5 * n + s, (s, CORE) in leaves
            self._pass(self.inputs[s][CORE], link, gone, spec.injection_buffer, flits, credit)
            self.injection[s] += gone - (link in sent)
        # R3
        for target, role in writes.items():
            then = after[target]
            if role is not None:
                then.role, then.flits = role % 8, role >> 3 & 0xFFFF
                continue
            then.begun = 1
            if then.role == RING_ROOT:
                then.owed = spec.core_buffer
            else:
                then.left = (then.flits - 1) % 65536
        for s, o in self.flush:
            self.counters[s][o] = spec.core_buffer if o == CORE else spec.switch_buffer
            if o == CORE:
                self.cores[s].clear()
                self.inputs[s][CORE].clear()
                self.injection[s] = spec.injection_buffer
                released.discard(s)
                old = after[s]
                after[s] = LiteralNode(old.role, old.flits, counters=old.counters)
            elif (to := self.neighbour(s, o)) is not None:
                self.inputs[to][(o + 2) % 4].clear()
        self._chain()
        self.nodes, self.released, self.answer = after, released, answers
        return Seen(flits, credit)

    def _pass(
        self,
        queue: list[int],
        link: int,
        gone: bool,
        room: int,
        flits: Mapping[int, int],
        credit: set[int],
    ) -> None:
        assert link not in flits or len(queue) < room, "a buffer overflows"
        if gone:
            queue.pop(0)
            credit.add(link)
        if link in flits:
            queue.append(flits[link])

    def _configure(
        self,
        config: ConfigRequest | None,
        after: list[LiteralNode],
        flushed: Collection[int],
        come: Collection[int],
    ) -> tuple[dict[int, int | None], tuple[bool, bool, int]]:
        """Judge a request; return writes to nodes (None: INIT), and the next cycle's answer."""
        writes: dict[int, int | None] = {}
        ready = error = False
        data = 0
        self.asked: tuple[str, int] | None = None
        if config is not None and config.node == self.n:
            ready = True
            busy = bool(self.shifting)
            if busy:
                error = True
            elif config.write and config.address == 0:
                ready, self.asked = False, ("shift", config.data)
            elif config.write and config.address == 1:
                self.asked = ("strobe", 0)
            elif not config.write and config.address == 2:
                data = 25 * self.n
            else:
                error = True
        elif config is not None and config.node < self.n:
            ready, now = True, self.nodes[config.node]
            address = config.address
            if config.write:
                idle = not (now.left or now.owed or now.back or now.go or now.begun)
                begins = now.role in (RING_ROOT, TREE_ROOT) and not now.begun
                if address == 0 and idle and config.node not in come:
                    writes[config.node] = config.data
                elif address == 1 and config.data == 1 and begins and config.node not in flushed:
                    writes[config.node] = None
                else:
                    error = True
                    after[config.node].count(REFUSED_WRITE)
            elif address == 0:
                data = now.role | now.flits << 3
            elif address == 2:
                data = now.left | now.owed << 16 | now.back << 22 | now.go << 23
                data |= now.begun << 24 | now.done << 25
            elif 1024 <= address < 1028:
                data = now.counters[address - 1024]
            else:
                error = True
        if len(self.shifting) == 1:
            ready = True
        return writes, (ready, error, data)

    def _chain(self) -> None:
        """Clock the shadow chain and the selects."""
        strobe, self.flush = self.strobe, set()
        if strobe:
            for s in range(self.n):
                for o in range(5):
                    part = self.shadow[25 * s + 5 * o : 25 * s + 5 * o + 5]
                    others = [i for i in range(5) if i != o]
                    self.selects[s][o] = [0] * 5
                    for i, bit in zip(others, part, strict=False):
                        self.selects[s][o][i] = bit
                    if part[4]:
                        self.flush.add((s, o))
        if self.shifting:
            self.shadow = [self.shifting.pop(0), *self.shadow[:-1]]
        self.strobe = False
        if self.asked is not None:
            if self.asked[0] == "strobe":
                self.strobe = True
            else:
                self.shifting = [self.asked[1] >> bit & 1 for bit in range(32)]

    def observe(self, node: int) -> int:
        """Return the ``observe`` wires of R6."""
        spec, state = self.spec, self.nodes[node]
        word = at = 0
        fields = [(len(q), spec.switch_buffer.bit_length()) for q in self.inputs[node][:4]]
        fields.append((len(self.inputs[node][CORE]), spec.injection_buffer.bit_length()))
        fields.append((len(self.cores[node]), spec.core_buffer.bit_length()))
        fields += [(state.left, 16), (state.owed, 6), (state.back, 1), (state.go, 1)]
        fields += [(state.begun, 1), *((counter, 8) for counter in state.counters)]
        for value, width in fields:
            word |= value << at
            at += width
        return word
