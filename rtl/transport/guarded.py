"""Guards at the links of a router and its engine: check bits, credits that are lost, fences."""

from typing import Any

from amaranth import Module, Mux
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.guard.ends import ReceiverGuard, SenderGuard
from syncfabric.rtl.guard.shape import GuardShape
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.transport.link import show

__all__ = ["GuardedLinks"]


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
