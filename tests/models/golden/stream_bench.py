"""Routers of streams in a tree, and a process at each: a small loop that knows links alone."""

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.slots import SlotState
from syncfabric.models.golden.streams import ProcessStreams, RouterStreams
from syncfabric.models.layout.streams import HEAD, Function, StreamLayout, Type

End = tuple[int, int]
Group = Mapping[int, tuple[set[int], set[int]]]
"""Children and parent by router."""

DEAD = SlotState(False, False, frozenset(), frozenset())


def layout_of(**keys: Any) -> StreamLayout:
    """Return the streams of a router of a mesh; ``keys`` are other ones."""
    usual: dict[str, Any] = {"channels": 1, "bits": 32, "operations": ("add",), "join": "tree"}
    return StreamLayout(**(usual | {"ports": 5, "own": True} | keys))


def alive(children: set[int], parent: set[int], *, goes: bool = False) -> SlotState:
    return SlotState(True, goes, frozenset(children), frozenset(parent))


def opened(layout: StreamLayout, children: set[int], parent: set[int]) -> RouterStreams:
    """Return a router of which channel 0 is open from the next cycle on."""
    router = RouterStreams(layout)
    router.step([alive(children, parent, goes=True)])
    return router


def head(layout: StreamLayout, *, tail: bool = False, takes: bool = True, **what: int) -> int:
    """Return a head; of additions of 32 bits if nothing else is said."""
    usual = {"function": Function.ADD, "type": Type.INT32, "takes": takes}
    data = HEAD.pack(usual | what)
    return layout.word.pack({"data": data, "tail": tail, "head": 1})


def word(layout: StreamLayout, data: int, size: int = 0, *, tail: bool = False) -> int:
    return layout.word.pack({"data": data, "size": size, "tail": tail})


def user(*, takes: bool = True, function: int = Function.ADD, kind: int = Type.INT32) -> int:
    return HEAD.pack({"function": function, "type": kind, "takes": takes})


def packet(data: Sequence[int], tid: int = 0, keep: int = 15, **what: Any) -> list[Beat]:
    """Return the beats of an operand of 32 bits a word; of none, that of who gives nothing."""
    says = user(**what)
    if not data:
        return [Beat(0, 0, True, tid, says)]
    last = len(data) - 1
    return [Beat(one, keep, i == last, tid, says) for i, one in enumerate(data)]


class Tree:
    """Routers, whose last port is the process's, on links.

    Attributes
    ----------
    slots : list of (list of SlotState)
        By router and channel; in the first cycle GO is on the wires.
    queue, got : list of deque of Beat, list of (list of (int, Beat))
        By process: beats to be offered, and those that have come, with their cycles.
    accepts, offers : callable
        Say whether a process takes beats, and offers them, from its number and the cycle.
    """

    def __init__(
        self, layout: StreamLayout, links: Sequence[tuple[End, End]], groups: Sequence[Group]
    ) -> None:
        self.layout, self.now = layout, 0
        self.links = {a: b for pair in links for a, b in (pair, pair[::-1])}
        count = 1 + max([0, *(n for n, _ in self.links)])
        self.routers = [RouterStreams(layout) for _ in range(count)]
        self.ports = [ProcessStreams(layout) for _ in range(count)]
        self.slots = [
            [alive(*group[n], goes=True) if n in group else DEAD for group in groups]
            for n in range(count)
        ]
        self.ready = [{c for c, group in enumerate(groups) if n in group} for n in range(count)]
        self.queue = [deque[Beat]() for _ in range(count)]
        self.got: list[list[tuple[int, Beat]]] = [[] for _ in range(count)]
        self.accepts: Callable[[int, int], bool] = lambda i, now: True
        self.offers: Callable[[int, int], bool] = lambda i, now: True
        self.failed = set[int]()
        self._words: dict[int, dict[int, dict[int, End]]] = defaultdict(lambda: defaultdict(dict))
        self._credits: dict[int, dict[int, list[End]]] = defaultdict(lambda: defaultdict(list))
        self._faults: dict[int, dict[int, list[End]]] = defaultdict(lambda: defaultdict(list))

    def step(self) -> None:
        """Go through a cycle."""
        now, own = self.now, self.layout.ports - 1
        far = now + self.layout.registers
        down: list[tuple[End | None, list[int]]] = []
        for n, (router, port) in enumerate(zip(self.routers, self.ports, strict=True)):
            for p, carried in router.sends.items():
                if p != own:
                    m, q = self.links[n, p]
                    self._words[far][m][q] = carried
            for p, c in router.freed:
                if p != own:
                    m, q = self.links[n, p]
                    self._credits[far][m].append((q, c))
            for c in router.failed(self.slots[n]):
                self.failed.add(n)
                for p in self.slots[n][c].parent:
                    m, q = self.links[n, p]
                    self._faults[far][m].append((q, c))
            back = [c for p, c in router.freed if p == own]
            down.append((router.sends.get(own), back))
            if port.sends:
                self._words[now][n][own] = port.sends
            self._credits[now][n] += [(own, c) for c in port.freed]
        for n, router in enumerate(self.routers):
            comes = self._words[now][n], self._credits[now][n], self._faults[now][n]
            router.step(self.slots[n], *comes)
            assert not router.events
        for i, port in enumerate(self.ports):
            accepts, queue = self.accepts(i, now), self.queue[i]
            if port.beat and accepts:
                self.got[i].append((now, port.beat))
            offered = queue[0] if queue and self.offers(i, now) else None
            port.step(self.ready[i], offered, *down[i], accepts=accepts)
            if port.accepted:
                queue.popleft()
        for table in (self._words, self._credits, self._faults):
            table.pop(now, None)
        self.slots = [[slot._replace(goes=False) for slot in slots] for slots in self.slots]
        self.now += 1

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.step()

    def close(self) -> None:
        """End all groups."""
        self.slots = [[slot._replace(alive=False) for slot in slots] for slots in self.slots]
        self.ready = [set[int]() for _ in self.ready]

    def data(self, i: int, c: int = 0) -> list[int]:
        """Return the data that a process has had of a channel."""
        return [beat.data for _, beat in self.got[i] if beat.tid == c and beat.keep]


def chain(routers: int, **keys: Any) -> Tree:
    """Return routers in a row whose first one is the root, with all in one group a channel."""
    layout = layout_of(**keys)
    links = [((n, 1), (n + 1, 0)) for n in range(routers - 1)]
    own, last = layout.ports - 1, routers - 1
    group = {n: ({own, 1} if n < last else {own}, {0} if n else set[int]()) for n in range(routers)}
    return Tree(layout, links, [group] * layout.channels)
