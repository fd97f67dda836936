"""A link between routers (R1, L1 to L3): its wires, what they say, and its ends."""

from itertools import accumulate
from typing import NamedTuple, TypeAlias

from syncfabric.models.golden.engine.memory import Message, Route
from syncfabric.models.golden.guards import ReceiverGuard, Seen, SenderGuard
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.layout.streams import StreamLayout
from syncfabric.models.messages.layout import Layout

GENERATORS = (
    *(0, 0x1, 0x3, 0x3, 0x3, 0x5, 0x3, 0x45, 0x7),
    *(0x45, 0x8F, 0x163, 0x20F, 0x40F, 0x805, 0x100F, 0x8005),
)
"""By the number of check bits, the generator less its highest power."""

Carried: TypeAlias = tuple[int, int]
"""A channel of streams and its word, packed as on a link."""


class Check:
    """The check bits of words: the remainder of word(x)·x^C by the generator G(x).

    Parameters
    ----------
    bits : int
        Check bits C, 1 to 16.
    width : int
        Bits of a word.
    """

    def __init__(self, bits: int, width: int) -> None:
        generator = GENERATORS[bits] | 1 << bits
        power, powers = 1, []
        for place in range(bits + width):
            if place >= bits:
                powers.append(power)
            power <<= 1
            if power >> bits:
                power ^= generator
        self.bytes = (width + 7) // 8
        self._tables = [_sums(powers[at : at + 8]) for at in range(0, width, 8)]

    def of(self, word: int) -> int:
        """Return the check bits of a word."""
        check = 0
        for table, byte in zip(self._tables, word.to_bytes(self.bytes, "little"), strict=True):
            check ^= table[byte]
        return check


def _sums(powers: list[int]) -> list[int]:
    """Return, for each set of these powers, what they add up to."""
    sums = [0]
    for power in powers:
        sums += [known ^ power for known in sums]
    return sums


class Forward(NamedTuple):
    """Wires away from the sender.

    Own links have ``message`` and ``message_check``; ``message_valid`` is theirs, too. Words of
    streams that share the flits' wires have ``stream_valid`` and ``stream_rest``.
    """

    valid: int = 0
    flit: int = 0
    message_valid: int = 0
    message_rest: int = 0
    message: int = 0
    probe: int = 0
    check: int = 0
    message_check: int = 0
    stream_valid: int = 0
    stream_rest: int = 0
    sequence: int = 0


class Back(NamedTuple):
    """Wires to the sender; a bit a channel, or class."""

    credit: int = 0
    message_credit: int = 0
    empty: int = 0


class Sent(NamedTuple):
    """A message on a link; with a route if it is routed."""

    message: Message
    route: Route | None = None


class LinkForm:
    """How the wires of a link are made up.

    Parameters
    ----------
    channels, flit_bits : int
    layout : EngineLayout
    transport : {"own", "shared", "routed", ""}
        How messages go; "": there are none, as at a process's port.
    check_bits : int
    cut : bool
        Flits have the flag ``cut``: there are check bits somewhere in the network.
    streams : StreamLayout, optional
        Of words that share the flits' wires.
    buffer_flits : int
        Places of a channel; only with check bits.

    Attributes
    ----------
    order : list of (str, int)
        Forward wires from the low bits of a mask up, with their widths; see ``flip``.
    width : int
        All of them.
    """

    def __init__(
        self,
        channels: int,
        flit_bits: int,
        layout: EngineLayout,
        transport: str,
        check_bits: int = 0,
        *,
        cut: bool = False,
        streams: StreamLayout | None = None,
        buffer_flits: int = 0,
    ) -> None:
        flit = flit_layout(flit_bits)
        self.channels, self.transport, self.layout = channels, transport, layout
        self._payload_bits, self._cut = flit_bits, cut
        self._message: Layout = layout.link_message
        self._at = self._message.offsets
        sealed = layout.message.width - layout.key_bits  # fields of a tag's check bits
        self._seal = Check(layout.key_bits, sealed) if layout.key_bits else None
        self._flit_bits = flit.width + cut if channels else 0
        slots = layout.lanes if transport == "routed" else 0
        self.classes = slots or int(transport != "")
        rest = max(0, self._message.width - self._flit_bits)
        first = {"flit": self._flit_bits, "valid": channels}
        if transport in ("shared", "routed"):
            first |= {"message_valid": self.classes, "message_rest": rest}
        if streams:
            beyond = max(0, streams.word.width - self._flit_bits)
            first |= {"stream_valid": streams.channels, "stream_rest": beyond}
        second = {"message": self._message.width, "message_valid": 1} if transport == "own" else {}
        if check_bits and channels:
            first["sequence"] = buffer_flits.bit_length()
        if check_bits:
            first["probe"] = channels + slots
        self._checks = {}
        for check, word in (("check", first), ("message_check", second)):
            if check_bits and (channels or word is second) and word:
                ends = [*accumulate(word.values(), initial=0)]
                fields = [Forward._fields.index(name) for name in word]
                places = tuple(zip(fields, ends, strict=False))
                self._checks[check] = places, Check(check_bits, ends[-1])
                word[check] = check_bits
        self.order = [*first.items(), *second.items()]
        self.width = sum(width for _, width in self.order)

    def pack(
        self,
        flit: Flit | None,
        sent: Sent | None,
        probe: int = 0,
        carried: Carried | None = None,
        sequence: int = 0,
    ) -> Forward:
        """Return the wires with that on them, and their check bits.

        Parameters
        ----------
        flit, sent : Flit or None, Sent or None
        probe : int
        carried : Carried, optional
            In place of a flit, a word of a stream.
        sequence : int
            The flit's.
        """
        valid = bits = message_valid = rest = message = 0
        if flit:
            marks = flit.head | flit.tail << 1 | flit.cut << 2
            valid, bits = 1 << flit.channel, flit.payload | marks << self._payload_bits
        if sent:
            word = self.word(sent)
            message_valid = 1 << (sent.route.lane if sent.route else 0)
            if self.transport == "own":
                message = word
            else:
                bits, rest = word & (1 << self._flit_bits) - 1, word >> self._flit_bits
        wires = Forward(valid, bits, message_valid, rest, message, probe, sequence=sequence)
        if carried:
            c, word = carried
            low, high = word & (1 << self._flit_bits) - 1, word >> self._flit_bits
            wires = wires._replace(flit=low, stream_valid=1 << c, stream_rest=high)
        return self._checked(wires) if self._checks else wires

    def word(self, sent: Sent) -> int:
        """Return a message's bits."""
        (entry, epoch, kind, data, key), route = sent
        at = self._at
        word = entry | epoch << at["epoch"] | kind << at["kind"] | data << at["data"]
        if self._seal:
            word |= (key ^ self._sealed(word)) << at["tag"]
        for name, here in zip(self.layout.place, route.place, strict=True) if route else ():
            word |= here << at[name]
        return word

    def _sealed(self, word: int) -> int:
        """Return the check bits of a message's fields but its tag (E2)."""
        assert self._seal
        low, bits = self._at["tag"], self.layout.message.width
        above = low + self.layout.key_bits
        fields = word % (1 << low) | word % (1 << bits) >> above << low
        return self._seal.of(fields)

    def _checked(self, wires: Forward) -> Forward:
        return wires._replace(**{name: self._sum(name, wires) for name in self._checks})

    def _sum(self, name: str, wires: Forward) -> int:
        places, check = self._checks[name]
        word = 0
        for field, at in places:
            word |= wires[field] << at
        return check.of(word)

    def right(self, wires: Forward) -> tuple[bool, bool]:
        """Return whether the check bits are right: those of flits, and those of messages."""
        good = {name: self._sum(name, wires) == getattr(wires, name) for name in self._checks}
        first = good.get("check", True)
        return first, good.get("message_check", True) if self.transport == "own" else first

    def flit(self, wires: Forward, channel: int) -> Flit:
        """Return the flit on the wires, received for one of a channel."""
        marks = wires.flit >> self._payload_bits
        payload = wires.flit % (1 << self._payload_bits)
        return Flit(channel, payload, bool(marks & 1), bool(marks & 2), bool(marks & 4))

    def sent(self, wires: Forward, lane: int) -> Sent:
        """Return the message on the wires, received for one of a lane."""
        word = wires.message
        if self.transport != "own":
            word = wires.flit | wires.message_rest << self._flit_bits
        fields = self._message.unpack(word)
        fields.setdefault("tag", 0)
        message = Message(*(fields[name] for name in Message._fields))
        if self._seal:
            message = message._replace(tag=message.tag ^ self._sealed(word))
        if self.transport != "routed":
            return Sent(message)
        return Sent(message, Route(tuple(fields[name] for name in self.layout.place), lane))

    def unpack(self, wires: Forward) -> tuple[Flit | None, Sent | None]:
        """Return the flit and the message on the wires; at most one bit of each kind is high."""
        flit = self.flit(wires, wires.valid.bit_length() - 1) if wires.valid else None
        valid = wires.message_valid
        return flit, self.sent(wires, valid.bit_length() - 1) if valid else None

    def flip(self, wires: Forward, mask: int) -> Forward:
        """Invert the wires in a mask.

        From bit 0: flit, valid, message_valid and message_rest (not of own links), stream_valid and
        stream_rest (if words share the link), sequence, probe, check;
        then, of own links, message, message_valid, message_check.
        """
        for name, width in self.order:
            flipped = getattr(wires, name) ^ mask % (1 << width)
            wires, mask = wires._replace(**{name: flipped}), mask >> width
        return wires


class Arrived(NamedTuple):
    """What a router gets from a link's end; credits are a bit a channel, messages' above."""

    flit: Flit | None
    sent: Sent | None
    credit: int
    corrupt: int
    lost: bool


STILL, SILENCE = Forward(), Seen()
NOTHING = Arrived(None, None, 0, 0, False)


class LinkEnd:
    """A router's end of both directions of a link.

    Parameters
    ----------
    form : LinkForm
    buffer_flits : int
    registers : int
        On the link.
    guarded : bool
        There are check bits.
    """

    def __init__(self, form: LinkForm, buffer_flits: int, registers: int, *, guarded: bool) -> None:
        self.form, self.fenced = form, False
        slots = form.classes if form.transport == "routed" else 0
        places = (buffer_flits,) * form.channels + (1,) * slots
        self._sender = SenderGuard(places, registers) if guarded else None
        own = form.transport == "own"
        receiver = ReceiverGuard(places, form.channels, own=own, registers=registers)
        self._receiver = receiver if guarded else None

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves, and nothing is on the wires, without a flit, message or credit."""
        sender, receiver = self._sender, self._receiver
        if sender is None or receiver is None:
            return True
        if self.fenced and receiver.open:
            return False
        return not (sender.is_active() or receiver.is_active() or receiver.remembers)

    def forward(
        self, flit: Flit | None, sent: Sent | None, carried: Carried | None = None
    ) -> Forward:
        """Return the wires away, in a cycle in which the router sends that."""
        if self.fenced:
            return Forward()
        probe = self._sender.probe if self._sender else 0
        if not (flit or sent or probe or carried):
            return Forward()
        sequence = self._sender.number[flit.channel] if self._sender and flit else 0
        return self.form.pack(flit, sent, probe, carried, sequence)

    def back(self, credit: int) -> Back:
        """Return the wires back, in a cycle in which the router frees that."""
        if self.fenced:
            return Back()
        empty = 0
        if self._receiver:
            credit, empty = self._receiver.credit(credit), self._receiver.empty
        channels = self.form.channels
        return Back(credit % (1 << channels), credit >> channels, empty)

    def step(
        self, flit: Flit | None, sent: Sent | None, freed: int, forward: Forward, back: Back
    ) -> Arrived:
        """Go over a clock edge.

        Parameters
        ----------
        flit, sent : Flit or None, Sent or None
            What the router sends.
        freed : int
            The router's credits.
        forward : Forward
            From the other end.
        back : Back
            To this sender.
        """
        form = self.form
        credit = back.credit | back.message_credit << form.channels
        if self._sender is None or self._receiver is None:
            return Arrived(*form.unpack(forward), credit, 0, False)
        used = 1 << flit.channel if flit else 0
        if sent and sent.route:
            used |= 1 << form.channels + sent.route.lane
        still = forward == STILL
        if still and not (used or freed or credit) and self.is_idle:
            return NOTHING
        if self.fenced:
            given, lost = self._sender.shut(used), False
            received = self._receiver.shut(freed)
        else:
            given, lost = self._sender.advance(used, credit, back.empty)
            seen = SILENCE
            if not still:
                there = form.flit(forward, 0)
                marks = there.head, there.tail
                wires = forward.valid, forward.message_valid, *marks, forward.probe
                words = forward.stream_valid, forward.sequence
                seen = Seen(*wires, *form.right(forward), *words)
            received = self._receiver.advance(seen, freed)
        got: Flit | None = None
        if received.flit >= 0:
            got = form.flit(forward, received.flit)
        elif received.cut >= 0:
            got = Flit(received.cut, 0, False, True, True)
        message = form.sent(forward, received.sync) if received.sync >= 0 else None
        return Arrived(got, message, given, received.events, lost)
