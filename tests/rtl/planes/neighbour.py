"""What is around a node or a node interface: the other ends of its links, and its pins."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.golden.engine.node_port import NodePortOutputs
from syncfabric.models.golden.link import Back, Forward, LinkEnd, LinkForm, Sent
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.shape import NodeShape
from tests.models.golden.registers import Link
from tests.rtl.planes.set_up_draws import SetUpDraws

Pins = dict[str, int]
Compare = Callable[..., None]
"""Takes a pin's name, what is expected there, and which bits of that have a meaning."""


class Neighbour:
    """The other end of a link: it keeps to credits, and its wires may be flipped on the route.

    Parameters
    ----------
    form : LinkForm
    shape : NodeShape
        Of the routers.
    rng : random.Random
    message : callable
        Draws a message.
    registers : int
        On the link.
    guarded : bool
        It has check bits.
    draws : SetUpDraws or None
        With set-up by managers: the packets of the last channel.
    """

    def __init__(
        self,
        form: LinkForm,
        shape: NodeShape,
        rng: random.Random,
        message: Callable[[], Sent],
        *,
        registers: int,
        guarded: bool,
        draws: SetUpDraws | None,
    ) -> None:
        self.form, self.shape, self.rng, self.draw_message = form, shape, rng, message
        self.guarded, self.draws = guarded, draws
        self.end = LinkEnd(form, shape.buffer_flits, registers, guarded=guarded)
        self.there, self.back = Link(registers), Link(registers)
        self.room = [shape.buffer_flits] * form.channels
        self.room += [1] * (form.classes if form.transport == "routed" else 0)
        self.held = [0] * len(self.room)
        # Payloads that are left of the packet that is open, by channel.
        self.left: list[list[int]] = [[] for _ in range(form.channels)]
        self.change()

    def change(self) -> None:
        """Send and free more or less; where a lane rests for long, guards ask what is there."""
        self.busy = self.rng.choice((0.01, 0.1, 0.5, 0.9))
        self.frees = self.rng.choice((0.01, 0.6))

    def flit(self) -> Flit | None:
        """Return the next flit of some packet, if there is room for it."""
        rng = self.rng
        channels = [c for c in range(self.form.channels) if self.room[c]]
        if not channels or rng.random() > self.busy:
            return None
        c = rng.choice(channels)
        head = not self.left[c]
        if head:
            self.left[c] = self.packet(c)
        payload = self.left[c].pop(0)
        self.room[c] -= 1
        return Flit(c, payload, head, not self.left[c])

    def packet(self, channel: int) -> list[int]:
        """Draw a packet's payloads."""
        rng, shape = self.rng, self.shape
        if self.draws and channel == shape.channels:
            return self.draws.packet()
        return [rng.getrandbits(shape.flit_bits) for _ in range(rng.choice((1, 1, 2, 5)))]

    def message(self) -> Sent | None:
        """Return a message, if there is room for it."""
        if not self.form.classes or self.rng.random() > 0.3:
            return None
        sent = self.draw_message()
        if sent.route:
            lane = self.form.channels + sent.route.lane
            if not self.room[lane]:
                return None
            self.room[lane] -= 1
        return sent

    def send(self, *, still: bool) -> tuple[Forward, Back]:
        """Return what this end drives in a cycle."""
        rng = self.rng
        if rng.random() < 0.003:
            self.change()
        sent = None if still else self.message()
        flit = None if still or (sent and self.form.transport != "own") else self.flit()
        freed = 0
        for lane, count in enumerate(self.held):
            if count and rng.random() < self.frees:
                freed |= 1 << lane
                self.held[lane] -= 1
        wires, credits = self.end.forward(flit, sent), self.end.back(freed)
        if self.guarded and rng.random() < 0.02:
            wires = self.form.flip(wires, 1 << rng.randrange(self.form.width))
        self.driven = flit, sent, freed
        return wires, credits

    def take(self, forward: Forward, back: Back) -> None:
        """Go over the clock edge with what is at this end."""
        got = self.end.step(*self.driven, forward, back)
        for lane in range(len(self.room)):
            self.room[lane] += got.credit >> lane & 1
        if got.flit:
            self.held[got.flit.channel] += 1
        if got.sent and got.sent.route:
            self.held[self.form.channels + got.sent.route.lane] += 1

    def step(self, forward: Forward, back: Back, *, still: bool) -> tuple[Forward, Back]:
        """Go through a cycle with what the node drives; return what is at its end of the link."""
        wires, credits = self.send(still=still)
        at_node, returned = self.there.step(wires, back)
        at_end, to_node = self.back.step(forward, credits)
        self.take(at_end, returned)
        return at_node, to_node


def link_pins(form: LinkForm, name: str, wires: dict[str, int]) -> Pins:
    """Return pins of a link by the names that nodes have for them."""
    own, pins = form.transport == "own", {}
    for wire, value in wires.items():
        plane, inside = "packets", wire
        if own and wire.startswith("message") and wire != "message_rest":
            plane = "messages"
            inside = wire.removeprefix("message_") if wire != "message" else wire
        pins[f"{name}__{plane}__{inside}"] = value
    return pins


def _known(form: LinkForm, wires: Forward) -> Forward:
    """Return the wires with 0 for what has no meaning: data of GO and BROKEN, and its check."""
    if not wires.message_valid:
        return wires if "message_check" in dict(form.order) else wires._replace(message=0)
    sent = form.sent(wires, wires.message_valid.bit_length() - 1)
    if sent.message.kind in (Kind.PLAIN, Kind.LAST):
        return wires
    blank = form.pack(None, sent._replace(message=sent.message._replace(data=0)))
    if form.transport == "own":
        return wires._replace(message=blank.message, message_check=0)
    return wires._replace(flit=blank.flit, message_rest=blank.message_rest, check=0)


def wire_differences(form: LinkForm, names: Sequence[str], wires: Forward, pins: Pins) -> list[str]:
    """Return the wires of a link, by names, that show something else than is expected."""
    seen = {wire: pins.get(name, 0) for wire, name in zip(wires._fields, names, strict=True)}
    shown, known = _known(form, Forward(**seen)), _known(form, wires)
    return [
        f"{name} = {a:#x}, expected {b:#x}"
        for name, a, b in zip(names, shown, known, strict=True)
        if a != b and name in pins
    ]


def packed(request: ConfigRequest) -> int:
    """Return a request's bits on the chain."""
    return request.node | request.write << 16 | request.address << 17 | request.data << 25


def compare_chain(answer: Answer | None, passing: ConfigRequest | None, compare: Compare) -> None:
    """Compare the pins of the config chain."""
    compare("host__answer_valid", answer is not None)
    compare("host__answer_error", bool(answer and answer.error))
    compare("host__answer_rdata", answer.rdata if answer else 0, answer.meaning if answer else -1)
    compare("next__request_valid", passing is not None)
    if passing:
        compare("next__request", packed(passing))


def compare_process(process: NodePortOutputs, bits: int, compare: Compare) -> None:
    """Compare the pins of the node port."""
    for name in ("released", "ready", "done", "broken"):
        compare(name, sum(1 << r for r in getattr(process, name)))
    words: dict[int, Any] = {r: word for r, word in enumerate(process.result) if word is not None}
    meaning = sum(((1 << bits) - 1) << r * bits for r in words)
    compare("result", sum(word << r * bits for r, word in words.items()), meaning)
