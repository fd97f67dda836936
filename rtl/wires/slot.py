"""One slot: a level that goes up when all below have arrived, a pulse that goes down."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import WIRE_STATUS
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.combine import gather
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.wires.ports import RoleSignature
from syncfabric.rtl.wires.process import ProcessSide

__all__ = ["NODE_PORT", "Slot"]

NODE_PORT = ("released", "ready", "done", "broken")
"""What a slot with a process tells it, a bit each."""


class Slot(wiring.Component):
    """Merges the levels of its children, and passes its parent's pulse on.

    All that it drives comes straight from flip-flops. Cycles as in
    docs/microarchitecture-wires.md, W2.

    Parameters
    ----------
    plane : WirePlane
        Data bits, link registers, parity, watchdog.
    links : int
        Links of the unit.
    process : bool
        It has a process.

    Members
    -------
    role : In(RoleSignature)
        The image.
    up_in, down_in : In(links)
        The slot's wires as received, by link.
    up_words, down_words : In(links * data_bits)
        Their data.
    wrong : In(links)
        Only with parity: links that are received with wrong parity.
    up, down : Out(1), gathered, result : Out(data_bits)
        What it drives; ``result`` is the process's too.
    status : Out(6)
        Its status word.
    turns : Out(1)
        It turns bad, or trips, in this cycle.
    arrive : In(1), data : In(data_bits), released, ready, done, broken, refused : Out(1)
        Only with a process: the node port, and an arrive that is ignored.
    tick : In(1)
        Only with a process and a watchdog: its time is over once more.
    """

    def __init__(self, plane: WirePlane, links: int, *, process: bool) -> None:
        self._plane, self._links, self._process = plane, links, process
        self._watchdog = process and plane.watchdog > 0
        bits = plane.data_bits
        members: dict[str, Any] = {
            "role": In(RoleSignature(plane, links, process=process)),
            "up_in": In(links),
            "down_in": In(links),
            "up_words": In(links * bits),
            "down_words": In(links * bits),
            "up": Out(1),
            "down": Out(1),
            "gathered": Out(bits),
            "result": Out(bits),
            "status": Out(WIRE_STATUS.width),
            "turns": Out(1),
        }
        if plane.parity:
            members["wrong"] = In(links)
        if process:
            members |= {"arrive": In(1), "data": In(bits), "refused": Out(1)}
            members |= {name: Out(1) for name in NODE_PORT}
        if self._watchdog:
            members["tick"] = In(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        role, up, down, fault = self.role, self.up, self.down, Signal()
        ends, trips, wrong = Signal(), Signal(), Signal()  # the first: the pulse, a cycle before
        here, own = role.passes, None
        if self._process:
            m.submodules.side = side = ProcessSide(watchdog=self._watchdog)
            here, own = here | side.arrived, self._join(m, side, fault, ends, trips)
        if self._plane.parity:
            m.d.comb += wrong.eq((self.wrong & (role.kids | role.parent)).any())

        # The pulse is the first of the 2P + 2 stale cycles, the lowest bit the last.
        stale = Signal(2 * self._plane.link_registers + 1)
        m.d.sync += stale.eq(Cat(stale[1:], down & role.has_kids))

        missing, risen, called = Signal(), Signal(), Signal()
        complete, bad, fire = Signal(), Signal(), Signal()
        m.d.comb += [
            missing.eq((role.kids & ~self.up_in).any()),
            risen.eq((role.kids & self.up_in).any()),
            called.eq((role.parent & self.down_in).any() & ~wrong),
            # A leaf has not arrived in the cycle of its pulse, so all may wait for that to be over.
            complete.eq(~missing & here & ~down & ~stale.any() & ~fault & ~wrong),
            ends.eq(Mux(role.root, complete, called & up)),
            bad.eq((stale[0] & risen) | (called & ~up) | wrong),
            fire.eq(complete & ~(called & ~up) & (ends | ~trips)),
            self.turns.eq((bad | (trips & ~ends)) & ~fault),
        ]
        m.d.sync += [
            up.eq(complete & ~role.root & ~called & ~trips),
            down.eq(ends),
            fault.eq(fault | bad | (trips & ~ends)),
        ]
        with m.If(role.clear):
            m.d.sync += [up.eq(0), down.eq(0), stale.eq(0), fault.eq(0)]
        self._carry(m, fire, ends, own)
        la, flags = Const(0, 1), Const(0, 2)
        if self._process:
            la, flags = side.la, Cat(side.done, side.broken)
        m.d.comb += self.status.eq(Cat(la, up, down, fault, flags))
        return m

    def _join(
        self, m: Module, side: ProcessSide, fault: Value, ends: Value, trips: Signal
    ) -> tuple[Value, Value]:
        """Join the process's side; return whether the process is a member, and its data."""
        role, mine = self.role, Signal(self._plane.data_bits)
        m.d.comb += [
            side.member.eq(role.member),
            side.fault.eq(fault),
            side.clear.eq(role.clear),
            side.renew.eq(role.renew),
            side.down.eq(self.down),
            side.ends.eq(ends),
            side.arrive.eq(self.arrive),
            *(getattr(self, name).eq(getattr(side, name)) for name in (*NODE_PORT, "refused")),
        ]
        if self._watchdog:
            m.d.comb += [side.tick.eq(self.tick), trips.eq(side.trips)]
        with m.If(side.accepts):
            m.d.sync += mine.eq(self.data)
        return role.member, mine

    def _carry(self, m: Module, fire: Value, ends: Value, own: tuple[Value, Value] | None) -> None:
        """Combine the data on the way up, and take the result on the way down."""
        role, bits = self.role, self._plane.data_bits
        if not bits:
            return
        ups, downs = (
            [words[bits * p : bits * (p + 1)] for p in range(self._links)]
            for words in (self.up_words, self.down_words)
        )
        words = [*zip(role.kids, ups, strict=True), *([own] if own else [])]
        combined = Signal(bits)
        m.d.comb += combined.eq(gather(role.invert, role.odd, words))
        given = [Mux(parent, word, 0) for parent, word in zip(role.parent, downs, strict=True)]
        with m.If(fire):
            m.d.sync += self.gathered.eq(combined)
        with m.If(ends):
            # A root has no parent, and so is given nothing.
            m.d.sync += self.result.eq(either(given) | Mux(role.root, combined, 0))
