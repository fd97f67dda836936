"""What ordinary packets do, noted down; and packets of nodes' software, flit by flit."""

import random
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.record import Observer
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["Log", "SoftwarePackets", "flow", "image", "on", "route"]


class Log(Observer):
    """Everything an observer can hear of packets."""

    def __init__(self) -> None:
        self.packets: list[tuple[int, int, int, int, int]] = []
        self.loads: Counter[int] = Counter()

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        self.packets.append((source, destination, created, injected, ejected))

    def flit(self, link: int, cycle: int) -> None:
        self.loads[link] += 1


class Piece(NamedTuple):
    """A flit to be put; ``whole`` is its packet, if that is put without pauses."""

    payload: int
    channel: int
    head: bool
    tail: bool
    whole: Sequence[int]


class SoftwarePackets:
    """Packets that nodes' software puts into a model and a reference, after each step.

    The reference gets a flit a node and cycle, with pauses in some packets; the model gets the
    same, or a whole packet at its first flit, which must be as good where there are no pauses.
    """

    def __init__(
        self, rng: random.Random, model: Callable[..., None], reference: Callable[..., None]
    ) -> None:
        self.rng, self.model, self.reference = rng, model, reference
        self.waiting: dict[int, deque[Piece]] = {}

    def send(self, node: int, payloads: Sequence[int], channel: int) -> None:
        """Let a node send a packet, when those before it have been put."""
        last, whole = len(payloads) - 1, payloads if self.rng.random() < 0.5 else ()
        self.waiting.setdefault(node, deque()).extend(
            Piece(payload, channel, place == 0, place == last, whole)
            for place, payload in enumerate(payloads)
        )

    def step(self) -> None:
        """Put the next flit of every node, or pause."""
        for node, pieces in self.waiting.items():
            if not pieces or (not pieces[0].whole and self.rng.random() < 0.4):
                continue
            payload, channel, head, tail, whole = pieces.popleft()
            if not whole:
                self.model(node, [payload], channel, head=head, tail=tail)
            elif head:
                self.model(node, whole, channel)
            self.reference(node, payload, channel, head=head, tail=tail)


def flow(model: IrregularModel) -> list[tuple[int, int, int, int]]:
    """Step until nothing moves; return (cycle, link, channel, flit) of all ordinary flits."""
    lanes, seen = model.wiring.lanes, []
    while model.idle_until() is not None:
        now, record = model.cycle, model.step()
        if record is None:
            continue
        valid = [lane for lane in range(record.valid.bit_length()) if record.valid >> lane & 1]
        for lane, flit in zip(valid, record.payloads, strict=True):
            if lane % lanes < lanes - 1:
                seen.append((now, *divmod(lane, lanes), flit))
    return seen


def on(link: int, seen: list[tuple[int, int, int, int]]) -> list[int]:
    return [flit for _, where, _, flit in seen if where == link]


def image(network: IrregularSpec, payload: int, head: int = 0, tail: int = 0) -> int:
    return network.layout.flit.pack({"payload": payload, "head": head, "tail": tail})


def route(network: IrregularSpec, *ports: int, count: int | None = None) -> int:
    fields = {f"port_{i}": port for i, port in enumerate(ports)}
    count = len(ports) if count is None else count
    return network.layout.route.pack({"by_route": 1, "count": count, **fields})
