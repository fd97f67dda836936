"""A guarded link alone: a router that sends, the wires, and a router that receives."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from syncfabric.models.golden.link_form import LinkForm, Wires
from syncfabric.models.golden.receiver_guard import ReceiverGuard, Seen
from syncfabric.models.golden.sender_guard import SenderGuard
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["Link", "Piece", "form_of", "whole_packets"]


def form_of(check_bits: int = 8, **options: object) -> LinkForm:
    """Return the wires of a small mesh's links."""
    keys = {"flit_bits": 16, "data_bits": 0, "buffer_flits": 3, "channels": 2, **options}
    return LinkForm(
        MeshSpec.model_validate(
            {"kind": "mesh", "width": 2, "height": 2, "check_bits": check_bits, **keys}
        )
    )


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
    """Two routers as far as a link sees them, with queues of packets to send, by channel.

    ``spoil`` gets the cycle, the forward wires as one word, the credits and ``empty``, and returns
    what is left of them.
    """

    form: LinkForm
    rng: random.Random
    spoil: Callable[[int, int, int, int], tuple[int, int, int]] = lambda _, w, c, e: (w, c, e)
    drain: float = 0.6
    now: int = 0
    got: list[tuple[int, Piece]] = field(default_factory=list)
    messages: int = 0
    events: int = 0
    lost: int = 0

    def __post_init__(self) -> None:
        form = self.form
        self.sender = SenderGuard(form.places)
        self.receiver = ReceiverGuard(form.places, form.ordinary, own=form.own)
        self.credits = list(form.places)
        self.queues: list[deque[Piece]] = [deque() for _ in range(form.ordinary)]
        self.tokens = [0] * form.classes
        self.buffers: list[deque[Piece | None]] = [deque() for _ in form.places]
        self.freed = 0
        self.known: dict[int, Piece] = {}

    def put(self, channel: int, number: int, flits: int) -> None:
        """Queue a packet."""
        for place in range(flits):
            self.queues[channel].append(Piece(number, place, place == 0, place == flits - 1))

    def drive(self) -> tuple[Wires, int]:
        """Return what the sending router sends, and a bit a channel of it."""
        form, wires, sent = self.form, Wires(probe=self.sender.probe), 0
        ready = [c for c, queue in enumerate(self.queues) if queue and self.credits[c]]
        slots = [form.ordinary + t for t, count in enumerate(self.tokens) if count]
        slots = [c for c in slots if self.credits[c]]
        chosen = [self.rng.choice(slots)] if slots else []
        if ready and (form.own or not chosen):
            chosen.append(self.rng.choice(ready))
        for c in chosen:
            sent |= 1 << c
            self.credits[c] -= 1
            if c >= form.ordinary:
                self.tokens[c - form.ordinary] -= 1
                sync = 1 + self.rng.getrandbits(form.sync_bits - 1)
                wires = wires._replace(sync=sync, sync_valid=1 << c - form.ordinary)
                if not form.own:
                    wires = wires._replace(flit=sync)
            else:
                piece = self.queues[c].popleft()
                raw = self.now % (1 << 12) + 1
                self.known[raw] = piece
                raw |= piece.head << form.flit_bits - 3 | piece.tail << form.flit_bits - 2
                wires = wires._replace(flit=raw, valid=1 << c)
        return form.checked(wires), sent

    def step(self) -> None:
        """Go through a cycle."""
        form = self.form
        wires, sent = self.drive()
        credit, empty = self.receiver.credit(self.freed), self.receiver.empty
        word, heard, empty = self.spoil(self.now, form.pack(wires), credit, empty)
        there = form.unpack(word)
        head, tail = (bool(there.flit >> form.flit_bits - back & 1) for back in (3, 2))
        seen = Seen(there.valid, there.sync_valid, head, tail, there.probe, *form.is_right(there))
        given = self.receiver.advance(seen, self.freed)
        back, lost = self.sender.advance(sent, heard, empty)
        self.events += given.events
        self.lost += lost
        self.freed = 0
        for c, buffer in enumerate(self.buffers):
            if buffer and self.rng.random() < self.drain:
                piece = buffer.popleft()
                self.freed |= 1 << c
                if piece is not None:
                    self.got.append((c, piece))
        if given.flit >= 0:
            self.buffers[given.flit].append(self.known[there.flit & (1 << 12) - 1])
        if given.cut >= 0:
            self.buffers[given.cut].append(Piece(-1, -1, False, True, True))
        if given.sync >= 0:
            self.messages += 1
            self.buffers[form.ordinary + given.sync].append(None)
        for c, most in enumerate(form.places):
            self.credits[c] += back >> c & 1
            assert 0 <= self.credits[c] <= most
            assert len(self.buffers[c]) <= most
        self.now += 1

    def run(self, cycles: int) -> None:
        """Go through so many."""
        for _ in range(cycles):
            self.step()

    def is_whole(self) -> bool:
        """Return whether all credits are back."""
        return tuple(self.credits) == self.form.places and not any(self.buffers)


def whole_packets(got: Sequence[tuple[int, Piece]], channel: int) -> list[tuple[int, bool]]:
    """Return the packets that came by a channel: their numbers, and whether they were cut.

    Every one begins with a head and ends with a tail, and holds flits of one packet alone, in
    their order.
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
            assert piece.place > last
            last = piece.place
        if piece.tail:
            found.append((open_packet, piece.cut))
            open_packet = None
    assert open_packet is None, "a packet has no end"
    return found
