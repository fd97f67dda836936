"""Both guards of a link of streams beside their golden models, with faults between them."""

import random
from collections import Counter, deque
from typing import Any

from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.streams.guard import GuardedStreams
from syncfabric.rtl.streams.guard import StreamReceiver as ReceiverPart
from syncfabric.rtl.streams.guard import StreamSender as SenderPart
from syncfabric.rtl.streams.link import StreamSignature
from tests.rtl.engine.lockstep import Word, differences
from tests.rtl.streams.guard_model import StreamChecks, StreamReceiver, StreamSeen, StreamSender

FAULTS = ("drop", "flip", "repeat", "back", "lose", "dead")
"""What happens on the link: a word lost whole, wires flipped, a word twice; the same of what comes
back, flipped or lost; and nothing at all in both directions for some time."""
REST = 40
"""Cycles in which all places are there again: a silence, the link's registers, and B credits."""


class GuardedPair(wiring.Component):
    """A guard at each end, and the link between them left open.

    Members
    -------
    near : In(StreamSignature), out : Out(GuardedStreams)
        Of the sender.
    comes : In(GuardedStreams), far : Out(StreamSignature), opens : In(channels)
        Of the receiver.
    corrupt : Out(2), lost : Out(1)
    """

    def __init__(self, layout: StreamLayout) -> None:
        self.sender, self.receiver = SenderPart(layout), ReceiverPart(layout)
        inside, link = StreamSignature(layout), GuardedStreams(layout)
        super().__init__(
            {"near": In(inside), "out": Out(link), "comes": In(link), "far": Out(inside)}
            | {"opens": In(layout.channels), "corrupt": Out(2), "lost": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sender, m.submodules.receiver = sender, receiver = self.sender, self.receiver
        here: Any = self
        wiring.connect(m, wiring.flipped(here.near), sender.inside)
        wiring.connect(m, sender.link, wiring.flipped(here.out))
        wiring.connect(m, wiring.flipped(here.comes), receiver.link)
        wiring.connect(m, receiver.inside, wiring.flipped(here.far))
        m.d.comb += [
            receiver.opens.eq(here.opens),
            here.corrupt.eq(Cat(receiver.corrupt, sender.corrupt)),
            here.lost.eq(receiver.lost),
        ]
        return m


class _Channel:
    """A channel's words in flight, in instances of groups one after the other.

    Attributes
    ----------
    credits : int
        Of the sender's router.
    sent, came : list of int
        Words of this instance.
    open : bool
        At the receiver.
    """

    def __init__(self, places: int) -> None:
        self.places = self.credits = places
        self.sent, self.came = list[int](), list[int]()
        self.buffer, self.freed, self.open, self.left = 0, False, False, 0


class GuardLockstep:
    """Routers at both ends of a link, and groups that come and go.

    Parameters
    ----------
    layout : StreamLayout
        With check bits, and the link's registers.
    rng : random.Random
    kinds : tuple of str
        Faults that there are; see ``FAULTS``.
    """

    def __init__(
        self, layout: StreamLayout, rng: random.Random, kinds: tuple[str, ...] = FAULTS
    ) -> None:
        self.shape = self.layout = layout
        self.rng, self.kinds, self.seen = rng, kinds, Counter[str]()
        self._checks = StreamChecks(layout)
        self._most = 3 if layout.check_bits == 8 else 1
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        layout, count = self.layout, range(self.layout.channels)
        self.sender, self.receiver = StreamSender(layout), StreamReceiver(layout)
        self._ends = [_Channel(layout.places) for _ in count]
        idle = StreamSeen(sent=[0 for _ in count])
        self._forward = deque([self._wires(idle)] * layout.registers)
        self._back = deque([self._checks.back(idle.sent)] * layout.registers)
        self._last = self._wires(idle)
        # The last: cycles since something was sent or harmed.
        self._odds, self._dead, self._quiet = 0.0, 0, 0

    def _wires(self, seen: StreamSeen) -> tuple[int, int, int, int]:
        return seen.valid, seen.word, seen.faults, self._checks.forward(seen)

    def step(self) -> tuple[dict[str, int], dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        rng, layout, ends = self.rng, self.layout, self._ends
        self._live()
        faults = rng.getrandbits(layout.channels) if rng.random() < 0.02 else 0
        opens = [c for c, end in enumerate(ends) if end.open]
        near = self._send(faults)
        self._forward.append(self._wires(near))
        comes, back = self._forward.popleft(), self._back
        freed = [c for c, end in enumerate(ends) if end.freed]
        self.receiver.gives(freed)
        returns = self._checks.back(self.receiver.freed)
        back.append(returns)
        driven, returned = self._inject(comes, back.popleft())
        got = self._seen(driven)
        given = self.receiver.step(got, opens)
        counts = self._counts(returned)
        credits, wrong = self.sender.step(counts, right=self._checks.back(counts) == returned)
        for c in credits:
            ends[c].credits += 1
            assert ends[c].credits <= layout.places, "a credit too many"
        self._take(given.word)
        self.seen["corrupt"] += given.corrupt + wrong
        self.seen["lost"] += given.lost
        self.seen["came"] += given.word is not None
        pins = dict(zip(("near__valid", "near__word", "near__fault"), near[:3], strict=True))
        pins |= dict(zip((f"comes__{n}" for n in _NAMES), driven, strict=True))
        pins |= {"opens": sum(1 << c for c in opens), "out__freed": returned}
        pins["far__credit"] = sum(1 << c for c in freed)
        expected = dict(zip((f"out__{n}" for n in _NAMES), self._wires(near), strict=True))
        expected |= {"near__credit": sum(1 << c for c in credits), "comes__freed": returns}
        expected |= {"corrupt": given.corrupt | wrong << 1, "lost": given.lost}
        expected["far__fault"] = sum(1 << c for c in given.faults)
        c, word = given.word or (-1, 0)
        expected |= {"far__valid": 1 << c, "far__word": word} if given.word else {"far__valid": 0}
        return pins, {name: Word(bits) for name, bits in expected.items()}

    def _live(self) -> None:
        """Let groups begin and end, each when nothing of the last is in flight."""
        rng = self.rng
        if rng.random() < 0.01:
            self._odds = rng.choice((0.0, 0.03, 0.2))
        self._quiet += 1
        for c, end in enumerate(self._ends):
            end.left -= 1
            if end.left > 0:
                continue
            if end.open:
                end.open, end.left = False, rng.randint(1, 20)
            elif self._quiet > REST:
                assert end.credits == end.places, f"channel {c}: {end.credits} credits"
                end.open, end.left = True, rng.choice((30, 100, 400))
                end.sent, end.came = [], []
                self.seen["instances"] += 1

    def _send(self, faults: int) -> StreamSeen:
        """Let the sender's router send a word, in an open channel or just after."""
        rng, layout = self.rng, self.layout
        able = [c for c, end in enumerate(self._ends) if end.credits and end.left > 0]
        word, chosen = rng.getrandbits(layout.word.width), None
        if able and rng.random() < 0.8:
            chosen = rng.choice(able)
            self._ends[chosen].credits -= 1
            self._ends[chosen].sent.append(word)
            self._quiet = 0
        self.sender.sends(chosen)
        valid = 0 if chosen is None else 1 << chosen
        return StreamSeen(valid, word, faults, tuple(self.sender.sent))

    def _inject(
        self, forward: tuple[int, int, int, int], back: int
    ) -> tuple[tuple[int, int, int, int], int]:
        """Return what becomes of the wires."""
        rng = self.rng
        last, self._last = self._last, forward
        if self._dead:
            self._dead -= 1
            self._quiet = 0
            return (0, 0, 0, 0), 0
        if not self.kinds or rng.random() >= self._odds:
            return forward, back
        kind = rng.choice(self.kinds)
        self._quiet = 0
        self.seen[kind] += 1
        if kind == "dead":
            self._dead = rng.choice((3, 20))
        elif kind == "drop":
            forward = (0, 0, 0, 0)
        elif kind == "repeat":
            forward = last
        elif kind == "lose":
            back = 0
        elif kind == "back":
            back ^= self._mask(self._widths[-1])
        else:
            at, mask = 0, self._mask(sum(self._widths[:-1]))
            wires = []
            for wire, width in zip(forward, self._widths, strict=False):
                wires.append(wire ^ mask >> at & (1 << width) - 1)
                at += width
            if self.layout.shared and wires[:2] != [*forward[:2]]:
                wires[0] = 0  # the guard of packets hands on nothing wrong
            forward = wires[0], wires[1], wires[2], wires[3]
        return forward, back

    def _mask(self, width: int) -> int:
        most = self.rng.randint(1, self._most)
        return sum(1 << bit for bit in self.rng.sample(range(width), most))

    @property
    def _widths(self) -> tuple[int, ...]:
        layout = self.layout
        counts, count = layout.channels * layout.place_bits, layout.channels
        checks = layout.check_bits * layout.check_parts
        return count, layout.word.width, count, counts + checks, counts + layout.check_bits

    def _counts(self, wire: int) -> list[int]:
        bits = self.layout.place_bits
        return [wire >> c * bits & (1 << bits) - 1 for c in range(self.layout.channels)]

    def _seen(self, wires: tuple[int, int, int, int]) -> StreamSeen:
        valid, word, faults, sent = wires
        seen = StreamSeen(valid, word, faults, self._counts(sent))
        return seen._replace(right=self._checks.forward(seen) == sent)

    def _take(self, word: tuple[int, int] | None) -> None:
        """Let the receiver's router take a word, and free places."""
        for end in self._ends:
            end.freed = bool(end.buffer) and (not end.open or self.rng.random() < 0.6)
            end.buffer -= end.freed
        if word:
            c, bits = word
            end = self._ends[c]
            end.buffer += 1
            assert end.buffer <= end.places, "overflow"
            if end.open:
                end.came.append(bits)
                assert end.came == end.sent[: len(end.came)], "a word behind a loss"
        for c, end in enumerate(self._ends):
            under_way = end.open and c not in self.receiver.failed and self._quiet > REST // 2
            assert not under_way or end.came == end.sent, "a loss that is not found"

    def differences(self, expected: dict[str, Word], seen: dict[str, int]) -> list[str]:
        """Return the output pins that show something else."""
        return differences(expected, {name: seen[name] for name in expected})


_NAMES = ("valid", "word", "fault", "sent")
