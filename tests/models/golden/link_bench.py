"""A guarded link alone: a router that sends, the wires, and a router that receives."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from syncfabric.models.golden.engine.memory import Message, Route
from syncfabric.models.golden.link import Back, Forward, LinkEnd, LinkForm, Sent
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import EngineLayout, Kind

BUFFER = 3

Inject = Callable[[int, Forward, Back], tuple[Forward, Back]]
"""Gets the cycle and the wires in both directions, and returns what is left of them."""


def form_of(transport: str = "routed", check_bits: int = 8, channels: int = 2) -> LinkForm:
    """Return the wires of a small mesh's links."""
    bits = (1, 1) if transport == "routed" else ()
    layout = EngineLayout(
        links=4, own=True, groups=2, data_bits=0, operations="none", place_bits=bits
    )
    sizes = channels, 16, layout, transport, check_bits
    return LinkForm(*sizes, cut=True, buffer_flits=BUFFER)


def end_of(form: LinkForm) -> LinkEnd:
    """Return an end of such a link."""
    return LinkEnd(form, BUFFER, 0, guarded=True)


@dataclass(frozen=True)
class Piece:
    """A flit: its packet's number, its own in the packet, and its marks."""

    packet: int
    place: int
    head: bool
    tail: bool
    cut: bool = False


@dataclass
class Link:
    """Two routers as far as a link sees them, with queues of packets to send, by channel."""

    form: LinkForm
    rng: random.Random
    inject: Inject = lambda _, forward, back: (forward, back)
    drain: float = 0.6
    now: int = 0
    got: list[tuple[int, Piece]] = field(default_factory=list)
    messages: int = 0
    events: int = 0
    lost: int = 0

    def __post_init__(self) -> None:
        form = self.form
        self.sender, self.receiver = end_of(form), end_of(form)
        slots = form.classes if form.transport == "routed" else 0
        self.places = [BUFFER] * form.channels + [1] * slots
        self.credits = list(self.places)
        self.queues: list[deque[Piece]] = [deque() for _ in range(form.channels)]
        self.tokens = [0] * form.classes
        self.buffers: list[deque[Piece | None]] = [deque() for _ in self.places]
        self.freed = 0
        self.known: dict[int, Piece] = {}

    def put(self, channel: int, number: int, flits: int) -> None:
        """Queue a packet."""
        for place in range(flits):
            self.queues[channel].append(Piece(number, place, place == 0, place == flits - 1))

    def drive(self) -> tuple[Flit | None, Sent | None]:
        """Return what the sending router sends."""
        channels = self.form.channels
        flit, sent = None, None
        classes = [c for c, count in enumerate(self.tokens) if count]
        if self.form.transport == "routed":
            classes = [c for c in classes if self.credits[channels + c]]
        if classes:
            sent = self._message(self.rng.choice(classes))
        ready = [c for c, queue in enumerate(self.queues) if queue and self.credits[c]]
        if ready and (self.form.transport == "own" or not sent):
            channel = self.rng.choice(ready)
            self.credits[channel] -= 1
            piece, payload = self.queues[channel].popleft(), self.now % (1 << 12) + 1
            self.known[payload] = piece
            flit = Flit(channel, payload, piece.head, piece.tail, False)
        return flit, sent

    def _message(self, route_class: int) -> Sent:
        self.tokens[route_class] -= 1
        message = Message(self.rng.randrange(2), self.rng.randrange(4), Kind.PLAIN, 0)
        if self.form.transport != "routed":
            return Sent(message)
        self.credits[self.form.channels + route_class] -= 1
        return Sent(message, Route((self.rng.randrange(2), self.rng.randrange(2)), route_class))

    def step(self) -> None:
        """Go through a cycle."""
        flit, sent = self.drive()
        wires = self.sender.forward(flit, sent), self.receiver.back(self.freed)
        forward, back = self.inject(self.now, *wires)
        given = self.receiver.step(None, None, self.freed, forward, Back())
        returned = self.sender.step(flit, sent, 0, Forward(), back)
        self.events += given.corrupt
        self.lost += returned.lost
        self.freed = 0
        for c, buffer in enumerate(self.buffers):
            if buffer and self.rng.random() < self.drain:
                piece = buffer.popleft()
                self.freed |= 1 << c
                if piece is not None:
                    self.got.append((c, piece))
        if given.flit:
            cut = Piece(-1, -1, False, True, True)
            known = cut if given.flit.cut else self.known[given.flit.payload]
            self.buffers[given.flit.channel].append(known)
        if given.sent:
            self.messages += 1
            if given.sent.route:
                self.buffers[self.form.channels + given.sent.route.lane].append(None)
        for c, most in enumerate(self.places):
            self.credits[c] += returned.credit >> c & 1
            assert 0 <= self.credits[c] <= most
            assert len(self.buffers[c]) <= most
        self.now += 1

    def run(self, cycles: int) -> None:
        """Go through so many."""
        for _ in range(cycles):
            self.step()

    def is_whole(self) -> bool:
        """Return whether all credits are back."""
        return self.credits == self.places and not any(self.buffers)


def whole_packets(got: Sequence[tuple[int, Piece]], channel: int) -> list[tuple[int, bool]]:
    """Return the packets that came by a channel: their numbers, and whether they were cut.

    Every one begins with a head and ends with a tail, and holds flits of one packet alone, in
    their order and without a gap.
    """
    found: list[tuple[int, bool]] = []
    open_packet, last = None, -1
    for c, piece in got:
        if c != channel:
            continue
        if open_packet is None:
            assert piece.head
            assert not piece.cut
            open_packet, last = piece.packet, -1
        if not piece.cut:
            assert piece.packet == open_packet
            assert piece.place == last + 1
            last = piece.place
        if piece.tail:
            found.append((open_packet, piece.cut))
            open_packet = None
    assert open_packet is None, "a packet has no end"
    return found
