"""The router as docs/microarchitecture-engine.md says, R1 to R4, rule by rule, from its history.

No state is kept but what has come and left, and when. Nothing here is shared with the golden
model.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Words: TypeAlias = tuple[int, int, bool, bool]
"""Channel, payload, head, tail of a flit."""
Rule: TypeAlias = Callable[[int, int, int], tuple[int, int]]
"""Of an input, a channel and a payload: the output, and the payload in the buffer."""

NEVER = -1


def port_pairs(sides: Sequence[int], pairs: bool) -> list[tuple[int, int]]:
    """R3.2: the ports up and down each dimension."""
    found, following = [], len(sides)
    for up, side in enumerate(sides):
        apart = pairs or side > 2
        found.append((up, following if apart else up))
        following += apart
    return found


def around(t: int, h: int, s: int) -> bool:
    """R3.4 in rings: up."""
    if t - h in (s / 2, -s / 2):
        return h % 2 == 0
    return 0 < t - h < s / 2 or t - h < -s / 2


def dimension(
    sides: Sequence[int], wraps: bool, pairs: bool, here: Sequence[int], k: int, own: bool, V: int
) -> Rule:
    """R3.1 to R3.6; V is the channel of set-up, where there are datelines."""

    def rule(i: int, c: int, payload: int) -> tuple[int, int]:
        rest = payload
        coordinates = []
        for side in sides:
            bits = max(1, (side - 1).bit_length())
            coordinates.append(rest % 2**bits)
            rest //= 2**bits
        port = rest % 2 ** (k - 1).bit_length()
        enters = 0
        for d, (up, down) in enumerate(port_pairs(sides, pairs)):
            if i in (up, down):
                if coordinates[d] != here[d] and up != down:
                    return (down if i == up else up), payload
                enters = d + 1
        for d, (up, down) in enumerate(port_pairs(sides, pairs)):
            ahead = coordinates[d] - here[d]
            if d < enters or ahead == 0:
                continue
            if wraps and sides[d] > 2 and c != V:
                return (up if around(coordinates[d], here[d], sides[d]) else down), payload
            return (up if ahead > 0 else down), payload
        if any(port in ports for ports in port_pairs(sides, pairs)):
            port = k  # no node port
        return (k - 1 if own else port), payload

    return rule


@dataclass(frozen=True)
class Minimal:
    """R4.1 and R4.2; ``first`` is R4.6's output."""

    sides: Sequence[int]
    wraps: bool
    pairs: bool
    here: Sequence[int]
    k: int
    own: bool
    V: int
    X: int

    def ports(self, i: int, c: int, payload: int) -> list[int]:
        """The minimal ports but for R4.2."""
        found = []
        for d, (up, down) in enumerate(port_pairs(self.sides, self.pairs)):
            bits = max(1, (self.sides[d] - 1).bit_length())
            t, h, s = payload % 2**bits, self.here[d], self.sides[d]
            payload //= 2**bits
            if t == h:
                continue
            if i in (up, down):
                found += [port for port in (up, down) if port != i]
            elif self.wraps and s > 2 and c != self.V:
                found.append(up if around(t, h, s) else down)
            else:
                found.append(up if t > h else down)
        return found

    def node_port(self, payload: int) -> int:
        """R3.5."""
        for side in self.sides:
            payload //= 2 ** max(1, (side - 1).bit_length())
        links = {port for both in port_pairs(self.sides, self.pairs) for port in both}
        port = payload % 2 ** (self.k - 1).bit_length()
        return self.k - 1 if self.own else self.k if port in links else port

    def first(self, i: int, c: int, payload: int) -> tuple[int, int]:
        """The output of a packet that may not choose."""
        found = self.ports(i, c, payload)
        return (found[0] if found else self.node_port(payload)), payload


def source(k: int) -> Rule:
    """R3.8."""
    bits = next(bits for bits in range(5) if 2**bits >= k)
    return lambda i, c, payload: (payload & 2**bits - 1, payload >> bits)


def table(k: int, number: int, routes: Sequence[int]) -> Rule:
    """R3.7."""
    bits = next(bits for bits in range(1, 11) if 2**bits >= len(routes))
    port_bits = next(bits for bits in range(1, 5) if 2**bits >= k)

    def rule(i: int, c: int, payload: int) -> tuple[int, int]:
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
    lane: tuple[int, int] = (NEVER, NEVER)
    left: int | None = None


class ReferenceRouter:
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
        ordinary: int = 0,
        dimensions: Mapping[int, int] | None = None,
        minimal: Minimal | None = None,
    ) -> None:
        self.datelines, self.ordinary = datelines, ordinary or channels
        self.dimensions = dimensions or {}  # of ports
        self.minimal = minimal
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

    def goes_on(self, i: int, o: int, c: int) -> int:
        """N1.9: the channel in which a packet of channel c leaves by an output."""
        if not self.datelines or c >= self.ordinary:
            return c
        begins = o in self.dimensions and self.dimensions.get(i) != self.dimensions[o]
        c -= c % 2 if begins else 0
        return c | 1 if o in self.datelines else c

    def lane_of(self, front: Piece) -> tuple[int, int]:
        """The output channel that the first flit of a buffer is for, in t."""
        i, c, o = front.i, front.c, self.output_of(front)
        if self.minimal is None or c >= self.ordinary:
            return o, self.goes_on(i, o, c)
        if not self.is_head(front):  # R4.8
            return self.heads[i, c].lane
        X = self.minimal.X
        if o not in self.dimensions:  # R4.7
            return o, c
        if c < X and i in self.dimensions:  # R4.6
            if self.dimensions[i] != self.dimensions[o]:
                c = 0
            return o, 1 if o in self.datelines else c
        free = [
            (o, c)
            for o in self.minimal.ports(i, c, front.payload) or [o]
            for c in range(X, self.ordinary)
            if self.owner(o, c) is None and self.has_credit(o, c)
        ]
        if not free:  # R4.5
            return o, int(o in self.datelines)
        order = [
            (self.sent.get(at, 0) - self.credited.get(at, 0), self.dimensions[at[0]], at[1])
            for at in free
        ]
        return free[order.index(min(order))]

    def request(self, i: int, c: int) -> int | None:
        """R2.1."""
        waiting = self.buffer(i, c)
        if not waiting:
            return None
        front = waiting[0]
        o, c = self.lane_of(front)
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
            o: (self.lane_of(piece)[1], piece.payload, self.is_head(piece), piece.tail)
            for o, piece in taken.items()
        }
        for piece in taken.values():
            piece.lane = self.lane_of(piece)
        leaving.update(messages)
        drops = 0
        comes: list[Piece] = []
        for i, (c, payload, head, tail) in inputs.items():
            if len(self.buffer(i, c)) >= self.B:  # R1.5
                drops += 1
                continue
            piece = Piece(i, c, payload, head, tail, t)
            piece.output, shifted = self.rule(i, c, payload)
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
            self.through[piece.lane] = piece
            self.sent[piece.lane] = self.sent.get(piece.lane, 0) + 1
            self.by_input[piece.i, piece.c] = t
            self.by_output[o, piece.i] = t
        for at in credits:
            self.credited[at] = self.credited.get(at, 0) + 1
        self.pieces = [piece for piece in self.pieces if piece.left is None] + comes
        self.left_before, self.links_before = list(taken.values()), leaving
        self.t += 1
        return ports
