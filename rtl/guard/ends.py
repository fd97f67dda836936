"""Guards at the links of a router and its engine: check bits, credits that are lost, fences."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.guard.shape import GuardPart, GuardShape, check_of
from syncfabric.rtl.parts.gates import either, total
from syncfabric.rtl.transport.link import show


class ReceiverGuard(wiring.Component):
    """Hands the router what comes right and in its place, and reports to the sender what it holds.

    Cycles as in docs/microarchitecture-faults.md, F3.

    Parameters
    ----------
    shape : GuardShape
        Channels and wires.
    inside, outside : Signature
        The link as the router has it, and as it is.

    Members
    -------
    link : In(outside)
        The link.
    inside : Out(inside)
        To the router.
    fence : In(1)
        The link is closed: nothing comes, and open packets end.
    delay : In
        Only with registers on links: how many this one has; constant.
    corrupt : Out(2)
        Of packets, and of messages on wires of their own: something is wrong, or out of its place.
    """

    def __init__(
        self, shape: GuardShape, inside: wiring.Signature, outside: wiring.Signature
    ) -> None:
        self._shape = shape
        members: dict[str, Any] = {"link": In(outside), "inside": Out(inside)}
        members |= {"fence": In(1), "corrupt": Out(2)}
        if shape.registers:
            members["delay"] = In(range(shape.registers + 1), init=shape.registers)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape, link, inside = self._shape, self.link, self.inside
        credits = list(shape.credits(inside))
        sound = Signal(shape.channels)  # a channel's probe has come unharmed
        vacant, swallowed, opened = (Signal(shape.channels) for _ in range(3))
        for number, part in enumerate(shape.parts):
            lanes = Signal(len(part.lanes(link)), name=f"lanes_{number}")
            right, good, bad = (
                Signal(name=f"{name}_{number}") for name in ("right", "good", "bad")
            )
            check = check_of(part.word(link), shape.check_bits)
            m.d.comb += [
                lanes.eq(Mux(self.fence, 0, part.lanes(link))),
                right.eq(check == getattr(link, part.check)),
                good.eq(right & lanes.any() & ~(lanes & (lanes - 1)).any()),
                bad.eq(~good & (lanes.any() | ~right) & ~self.fence),
                sound[part.probes].eq(Mux(right & ~self.fence, link.probe[part.probes], 0)),
            ]
            event: Value = bad
            if part.packets:
                event = event | self._packets(
                    m, part, lanes, right, good, bad, (vacant, swallowed, opened)
                )
            messages, words = part.messages
            for name in messages:
                m.d.comb += getattr(inside, name).eq(Mux(good, getattr(link, name), 0))
            for name in words:
                m.d.comb += getattr(inside, name).eq(getattr(link, name))
            m.d.comb += self.corrupt[number].eq(event)

        sent, back = list(shape.sent(inside)), list(shape.credits(link))
        for c, came in enumerate(shape.sent(link)):
            places = shape.places_of(c)
            held = bounded_count(m, places, sent[c], credits[c], f"inside_{c}")
            empty = ~held.any()
            if self._shape.registers:
                # The sender may not have had these credits as it sent the probe.
                crossed = Signal(2 * self._shape.registers, name=f"crossed_{c}")
                m.d.sync += crossed.eq(Cat(credits[c] & ~self.fence, crossed[:-1]))
                late = Array(crossed[: 2 * n].any() for n in range(shape.registers + 1))
                empty = empty & (self.fence | ~late[self.delay])
            gives: Value = Const(0, 1)
            if c < shape.ordinary:
                paid, gives = Signal(name=f"paid_{c}"), Signal(name=f"gives_{c}")
                debt = bounded_count(m, places, swallowed[c], paid, f"debt_{c}")
                with m.If(self.fence):
                    m.d.sync += debt.eq(0)
                m.d.comb += [gives.eq(debt.any()), paid.eq(gives & ~credits[c])]
                empty = empty & (~gives | self.fence)
            answers = Signal(name=f"answers_{c}")
            m.d.comb += [
                vacant[c].eq(empty),
                back[c].eq((credits[c] | gives) & ~self.fence),
                link.empty[c].eq(answers & ~self.fence),
            ]
            m.d.sync += answers.eq(sound[c] & empty & ~came & ~opened[c])
        return m

    def _packets(
        self,
        m: Module,
        part: GuardPart,
        lanes: Value,
        right: Value,
        good: Value,
        bad: Value,
        between: tuple[Signal, Signal, Signal],
    ) -> Value:
        """Lead flits on, or cut their packets; return whether that is an event."""
        link, inside, count = self.link, self.inside, self._shape.ordinary
        vacant, swallowed, opened = between
        valid, flit = link.valid, link.flit
        opens, poisoned, asks = Signal(count), Signal(count), Signal(count)
        is_open, is_poisoned, mine, passes, cuts, drops = (Signal() for _ in range(6))
        number, follows = link.sequence, Signal(self._shape.sequence_bits)
        late = Signal(count)  # flits before this one are lost
        m.d.comb += follows.eq(number + 1)
        for c in range(count):
            due = Signal(self._shape.sequence_bits, name=f"due_{c}")
            m.d.comb += late[c].eq(number != due)
            with m.If(mine & valid[c]):
                m.d.sync += due.eq(follows)
        ends = Signal(count)  # cut because of a probe
        m.d.comb += [
            opened.eq(opens),
            is_open.eq((opens & valid).any()),
            is_poisoned.eq(((poisoned | (opens & late)) & valid).any()),
            mine.eq(good & valid.any()),
            passes.eq(mine & ~is_poisoned & (flit.head ^ is_open)),
            cuts.eq(mine & is_open & (flit.head | is_poisoned)),
            drops.eq(mine & ~flit.head & ~is_open),
            swallowed.eq(Mux(drops, valid, 0)),
            asks.eq(
                Mux(
                    self.fence,
                    opens,
                    Mux(right & ~lanes.any(), link.probe[part.probes] & opens, 0),
                )
                & vacant
            ),
            ends.eq(asks & ~(asks - 1)),
            inside.valid.eq(Mux(passes | cuts, valid, 0) | ends),
            inside.flit.eq(link.flit),
        ]
        with m.If(cuts | ends.any()):
            m.d.comb += [inside.flit.eq(0), inside.flit.tail.eq(1), inside.flit.cut.eq(1)]
        for c in range(count):
            with m.If((cuts & valid[c]) | ends[c]):
                m.d.sync += [opens[c].eq(0), poisoned[c].eq(0)]
            with m.Elif(passes & valid[c]):
                m.d.sync += opens[c].eq(~flit.tail)
            with m.Elif(bad):  # it cannot be attributed: what names its packet may be wrong
                m.d.sync += poisoned[c].eq(opens[c])
        return cuts | drops | (ends.any() & ~self.fence)


def bounded_count(m: Module, most: int, more: Value, less: Value, name: str) -> Signal:
    """Return a count that goes up with ``more`` and down with ``less``, between 0 and ``most``."""
    count = Signal(range(most + 1), name=name)
    with m.If(more & ~less & (count != most)):
        m.d.sync += count.eq(count + 1)
    with m.Elif(less & ~more & (count != 0)):
        m.d.sync += count.eq(count - 1)
    return count


TIMEOUT = 64
"""Cycles after which, once or twice, a channel that has come to rest is asked for."""


class SenderGuard(wiring.Component):
    """Knows what its receiver holds; if that is more than the receiver says, it is given back.

    At rest, with nothing on its way, nothing in it changes.

    Cycles as in docs/microarchitecture-faults.md, F2.

    Parameters
    ----------
    shape : GuardShape
        Channels and wires.
    inside, outside : Signature
        The link as the router has it, and as it is.

    Members
    -------
    inside : In(inside)
        From the router.
    link : Out(outside)
        The link.
    fence : In(1)
        The link is closed: what the router sends goes nowhere, and its credit comes back.
    delay : In
        Only with registers on links: how many this one has; constant.
    lost : Out(1)
        Something that was sent, or its credit, has not come.
    """

    def __init__(
        self, shape: GuardShape, inside: wiring.Signature, outside: wiring.Signature
    ) -> None:
        self._shape = shape
        members: dict[str, Any] = {"inside": In(inside), "link": Out(outside), "fence": In(1)}
        if shape.registers:
            members["delay"] = In(range(shape.registers + 1), init=shape.registers)
        super().__init__({**members, "lost": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape, inside, link = self._shape, self.inside, self.link
        for name, member in inside.signature.members.items():
            if member.flow == In:  # as seen from here: forward
                m.d.comb += getattr(link, name).eq(Mux(self.fence, 0, getattr(inside, name)))
        for part in shape.parts:
            check = check_of(part.word(link), shape.check_bits)
            m.d.comb += getattr(link, part.check).eq(check)

        if shape.ordinary:
            numbers = [
                self._number(m, c, link.valid[c], sent) for c, sent in enumerate(inside.valid)
            ]
            m.d.comb += link.sequence.eq(either(numbers))
        quiet, full, any_out = Signal(range(TIMEOUT)), Signal(), Signal()
        lost: list[Value] = []
        out_any: list[Value] = []
        triples = zip(shape.sent(inside), shape.credits(link), shape.credits(inside), strict=True)
        for c, (sent, credit, back) in enumerate(triples):
            out_any.append(self._channel(m, c, sent, credit, back, full, lost))
        m.d.comb += [
            any_out.eq(Cat(out_any).any()),
            full.eq(any_out & (quiet == TIMEOUT - 1)),
            self.lost.eq(Cat(lost).any()),
        ]
        m.d.sync += quiet.eq(Mux(any_out & ~self.fence, quiet + 1, 0))
        return m

    def _number(self, m: Module, c: int, valid: Value, sent: Value) -> Value:
        """Number the flits of a channel; return the number of the one on the link, or 0."""
        number = Signal(self._shape.sequence_bits, name=f"number_{c}")
        with m.If(sent):
            m.d.sync += number.eq(number + 1)
        return Mux(valid, number, 0)

    def _channel(
        self,
        m: Module,
        c: int,
        sent: Value,
        credit: Value,
        back: Value,
        full: Value,
        lost: list[Value],
    ) -> Value:
        """Watch over a channel; return whether the receiver holds something of it."""
        places, link = self._shape.places_of(c), self.link
        out = Signal(range(places + 1), name=f"out_{c}")
        returns = Signal(range(places + 1), name=f"returns_{c}")
        still, received, counts, rests, pays, asks, asked = (
            Signal(name=f"{name}_{c}")
            for name in ("still", "received", "counts", "rests", "pays", "asks", "asked")
        )
        fence = self.fence
        # What is sent after a probe is not known to the receiver as it answers: it is not lost.
        probes: list[Value] = [asks]
        for number in range(2 * self._shape.registers):
            later = Signal(name=f"asked_{c}_{number}")
            m.d.sync += later.eq(probes[-1])
            probes.append(later & ~sent)
        answered = Array(probes[::2])[self.delay] if self._shape.registers else asks
        m.d.comb += [
            received.eq(link.empty[c] & asked & ~fence),
            counts.eq(credit & out.any() & ~received & ~fence),
            link.probe[c].eq(asks & ~fence),
            pays.eq(returns.any()),
            back.eq(counts | pays),
            rests.eq(out.any() & ~sent & ~counts & ~received & ~fence),
        ]
        # What the router has left, `out` and `returns` are the places: none can overflow.
        with m.If(received | fence):
            m.d.sync += out.eq(sent & ~fence)
        with m.Elif(sent ^ counts):
            m.d.sync += out.eq(Mux(sent, out + 1, out - 1))
        m.d.sync += [
            returns.eq(returns + Mux(received | fence, out, 0) + (sent & fence) - (pays & ~counts)),
            still.eq(rests & (full | still)),
            asks.eq(rests & full & still),
            asked.eq(answered),
        ]
        lost.append(received & out.any())
        return out.any()


class GuardedLinks(wiring.Component):
    """A guard at each end of each link that leads to a neighbour.

    Cycles and rules: docs/microarchitecture-engine.md, L3, and, as to guards,
    docs/microarchitecture-faults.md, F1 to F3 and F7.

    Parameters
    ----------
    inner : Component
        With links ``in_0``, ``out_0`` .. and ``sync_in_0``, ``sync_out_0`` .., of which either may
        be missing. Its flits have the flag ``cut``.
    links : int
        Links to neighbours.
    check_bits : int, 1 to 8
    places : int
        Flits that a channel of an input can hold.
    registers : int
        Registers on the longest link.

    Members
    -------
    Those of ``inner``, with more wires on links, and
    fence : In(links)
        Links that are closed.
    delays : In(ArrayLayout)
        Only with ``registers``: how many each link has, by default that; constant.
    corrupt, lost : Out
        Words that came wrong or out of their place in this cycle; links on which something never
        came.
    """

    def __init__(
        self, inner: wiring.Component, *, links: int, check_bits: int, places: int, registers: int
    ) -> None:
        self._inner = inner
        members: dict[str, Any] = dict(inner.signature.members.items())
        self._guards: list[tuple[int, str, str, GuardShape]] = []
        for end, shape_of in (("{}", _packets), ("sync_{}", _messages)):
            for p in range(links):
                came, left = end.format(f"in_{p}"), end.format(f"out_{p}")
                if came in members:
                    link = members[left].signature
                    shape = shape_of(link, check_bits, places, registers)
                    self._guards.append((p, came, left, shape))
                    outside = wiring.Signature({**link.members, **shape.members})
                    members |= {came: In(outside), left: Out(outside)}
        self._same = inner.signature.members.keys() - {
            name for _, *ends, _ in self._guards for name in ends
        }
        events = range(len(self._guards) + 1)
        members |= {"fence": In(links), "corrupt": Out(events), "lost": Out(events)}
        if registers:
            count = data.ArrayLayout(range(registers + 1), links)
            members["delays"] = In(count, init=[registers] * links)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.inner = inner = self._inner
        for name in sorted(self._same):
            show(m, self, name, inner, name)
        corrupt, lost = [], []
        for p, came, left, shape in self._guards:
            inside = inner.signature.members[left].signature
            outside = self.signature.members[left].signature
            m.submodules[f"guard_{came}"] = receiver = ReceiverGuard(shape, inside, outside)
            m.submodules[f"guard_{left}"] = sender = SenderGuard(shape, inside, outside)
            wiring.connect(m, wiring.flipped(getattr(self, came)), receiver.link)
            wiring.connect(m, receiver.inside, getattr(inner, came))
            wiring.connect(m, sender.link, wiring.flipped(getattr(self, left)))
            sends = getattr(inner, left)
            if shape.own:
                # Without a message there is none that has check bits.
                message = Mux(sends.valid, sends.message, 0)
                m.d.comb += [sender.inside.valid.eq(sends.valid), sender.inside.message.eq(message)]
            else:
                wiring.connect(m, sends, sender.inside)
            m.d.comb += [receiver.fence.eq(self.fence[p]), sender.fence.eq(self.fence[p])]
            if shape.registers:
                m.d.comb += [guard.delay.eq(self.delays[p]) for guard in (receiver, sender)]
            corrupt.append(receiver.corrupt[0])
            lost.append(sender.lost)
        m.d.comb += [self.corrupt.eq(total(corrupt)), self.lost.eq(total(lost))]
        return m


def _packets(link: Any, check_bits: int, places: int, registers: int) -> GuardShape:
    """Return the guards of a link of packets, which messages or words of streams may share."""
    members, prefix = link.members, f"{link.sharer}_"
    rest = f"{prefix}rest"
    return GuardShape(
        check_bits=check_bits,
        ordinary=link.channels,
        places=places,
        classes=members[f"{prefix}valid"].shape if f"{prefix}valid" in members else 0,
        credited=f"{prefix}credit" in members,
        own=False,
        prefix=prefix,
        rest=rest if rest in members else "",
        registers=registers,
    )


def _messages(link: Any, check_bits: int, places: int, registers: int) -> GuardShape:
    """Return the guards of a link of messages alone."""
    return GuardShape(
        check_bits=check_bits,
        ordinary=0,
        places=places,
        classes=1,
        credited=False,
        own=True,
        prefix="",
        message="message",
        registers=registers,
    )
