"""The router as docs/microarchitecture-engine.md says, R1 to R3, rule by rule, from its history.

No state is kept but what has come and left, and when. Nothing here is shared with the golden
model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Words: TypeAlias = tuple[int, int, bool, bool]
"""Channel, payload, head, tail of a flit."""
Rule: TypeAlias = Callable[[int, int, int], tuple[int, int]]
"""Of a cycle, an input and a payload: the output, and the payload in the buffer."""

EAST, NORTH, WEST, SOUTH, LOCAL = range(5)
ACROSS = {EAST: WEST, WEST: EAST, NORTH: SOUTH, SOUTH: NORTH}
NEVER = -1


def xy(x_bits: int, y_bits: int, here: tuple[int, int]) -> Rule:
    """R3.1 to R3.4."""

    def rule(t: int, i: int, payload: int) -> tuple[int, int]:
        x, y = payload & 2**x_bits - 1, payload >> x_bits & 2**y_bits - 1
        along_y = NORTH if y > here[1] else SOUTH if y < here[1] else LOCAL
        if i == LOCAL and x != here[0]:
            return (EAST if x > here[0] else WEST), payload
        if i in (EAST, WEST) and x != here[0]:
            return ACROSS[i], payload
        if i in (NORTH, SOUTH):
            return (ACROSS[i] if y != here[1] else LOCAL), payload
        return along_y, payload

    return rule


def source(k: int) -> Rule:
    """R3.7 and R3.8."""
    bits = next(bits for bits in range(5) if 2**bits >= k)
    return lambda t, i, payload: (payload & 2**bits - 1, payload >> bits)


def table(k: int, number: int, routes: Sequence[int]) -> Rule:
    """R3.5 and R3.6."""
    bits = next(bits for bits in range(1, 11) if 2**bits >= len(routes))
    port_bits = next(bits for bits in range(1, 5) if 2**bits >= k)

    def rule(t: int, i: int, payload: int) -> tuple[int, int]:
        router, port = payload & 2**bits - 1, payload >> bits & 2**port_bits - 1
        if router == number:
            return port, payload
        if router >= len(routes):
            return k, payload  # no output
        return routes[router], payload

    return rule


@dataclass
class Piece:
    """A flit that has come into a buffer."""

    i: int
    c: int
    payload: int
    head: bool
    tail: bool
    came: int
    output: int = NEVER
    left: int | None = None


class LiteralRouter:
    """``cycle`` goes through a cycle, and returns what is on links, credits, and drops."""

    def __init__(
        self,
        ports: int,
        channels: int,
        buffer_flits: int,
        rule: Rule,
        pairs: Mapping[int, Sequence[int]],
        output_register: bool,
        datelines: Collection[int] = (),
    ) -> None:
        self.datelines = datelines
        self.k, self.V, self.B = ports, channels, buffer_flits
        self.rule, self.pairs, self.registered = rule, pairs, output_register
        self.t = 0
        self.pieces: list[Piece] = []  # in buffers
        self.last: dict[tuple[int, int], Piece] = {}  # the last that left, by (i, c)
        self.heads: dict[tuple[int, int], Piece] = {}  # likewise, of those that were heads
        self.through: dict[tuple[int, int], Piece] = {}  # the last that left, by (o, c)
        self.sent: dict[tuple[int, int], int] = {}  # how many, by (o, c)
        self.credited: dict[tuple[int, int], int] = {}  # how many before t, by (o, c)
        self.by_input: dict[tuple[int, int], int] = {}  # cycle of the last one, by (i, c)
        self.by_output: dict[tuple[int, int], int] = {}  # by (o, i)
        self.left_before: list[Piece] = []  # in t - 1
        self.links_before: dict[int, Any] = {}

    def buffer(self, i: int, c: int) -> list[Piece]:
        """What buffer (i, c) holds at the start of t, first in first out."""
        return [piece for piece in self.pieces if (piece.i, piece.c) == (i, c)]

    def has_credit(self, o: int, c: int) -> bool:
        """R1.3 and R1.4."""
        return self.B + self.credited.get((o, c), 0) > self.sent.get((o, c), 0)

    def owner(self, o: int, c: int) -> int | None:
        """R2.4."""
        last = self.through.get((o, c))
        return None if last is None or last.tail else last.i

    def is_head(self, front: Piece) -> bool:
        """R2.6, of the first flit of a buffer."""
        before = self.last.get((front.i, front.c))
        return before is None or before.tail

    def output_of(self, front: Piece) -> int:
        """R3: the output of its packet, that of the head."""
        return front.output if self.is_head(front) else self.heads[front.i, front.c].output

    def goes_on(self, o: int, c: int) -> int:
        """N1.9: the channel in which a packet of channel c leaves by an output."""
        return c | 1 if o in self.datelines else c

    def request(self, i: int, c: int) -> int | None:
        """R2.1."""
        waiting = self.buffer(i, c)
        if not waiting:
            return None
        front = waiting[0]
        o = self.output_of(front)
        c = self.goes_on(o, c)
        if self.owner(o, c) != (None if self.is_head(front) else i):
            return None
        if self.V > 1 and not self.has_credit(o, c):
            return None
        return o

    def leave(self, messages: Collection[int]) -> dict[int, Piece]:
        """R2.2, R2.3 and R2.5; and V13.4 of docs/microarchitecture-streams.md, in ``late``."""
        self.late = False
        offers: dict[int, list[Piece]] = {}
        for i in range(self.k):
            requests = [c for c in range(self.V) if self.request(i, c) is not None]
            if requests:
                c = min(requests, key=lambda c: (self.by_input.get((i, c), NEVER), c))
                o = self.request(i, c)
                assert o is not None
                offers.setdefault(o, []).append(self.buffer(i, c)[0])
        taken = {}
        for o, pieces in offers.items():
            first = min(
                pieces, key=lambda piece: (self.by_output.get((o, piece.i), NEVER), piece.i)
            )
            if self.V == 1 and not self.has_credit(o, 0):
                continue
            if o in messages:
                self.late = True
                continue
            taken[o] = first
        return taken

    def cycle(
        self,
        inputs: Mapping[int, Words],
        credits: Collection[tuple[int, int]],
        messages: Mapping[int, Any],
    ) -> dict[str, Any]:
        t = self.t
        taken = self.leave(messages.keys())
        leaving: dict[int, Any] = {
            o: (self.goes_on(o, piece.c), piece.payload, self.is_head(piece), piece.tail)
            for o, piece in taken.items()
        }
        leaving.update(messages)
        drops = 0
        comes: list[Piece] = []
        for i, (c, payload, head, tail) in inputs.items():
            if len(self.buffer(i, c)) >= self.B:  # R1.5
                drops += 1
                continue
            piece = Piece(i, c, payload, head, tail, t)
            piece.output, shifted = self.rule(t, i, payload)
            if head:
                piece.payload = shifted
            if piece.output not in self.pairs[i]:  # R3.9
                piece.output = max(self.pairs[i])
            comes.append(piece)
        ports = {
            "links": self.links_before if self.registered else leaving,  # R1.6
            "credits": {(piece.i, piece.c) for piece in self.left_before},  # R1.3
            "dropped": drops,
            "late": self.late,
        }
        for o, piece in taken.items():
            piece.left = t
            if self.is_head(piece):
                self.heads[piece.i, piece.c] = piece
            self.last[piece.i, piece.c] = piece
            lane = o, self.goes_on(o, piece.c)
            self.through[lane] = piece
            self.sent[lane] = self.sent.get(lane, 0) + 1
            self.by_input[piece.i, piece.c] = t
            self.by_output[o, piece.i] = t
        for at in credits:
            self.credited[at] = self.credited.get(at, 0) + 1
        self.pieces = [piece for piece in self.pieces if piece.left is None] + comes
        self.left_before, self.links_before = list(taken.values()), leaving
        self.t += 1
        return ports
