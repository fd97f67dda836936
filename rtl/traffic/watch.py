"""A referee for one group: nobody is released early, and everybody exactly once an episode."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BarrierWatch"]


class BarrierWatch(wiring.Component):
    """Watches the arrivals and releases of all members of a group. Looks on, drives nothing.

    An episode begins with the arrivals of a round and ends when each member has been released
    once. A member that has been released may arrive for the next episode, in the same cycle or
    later, while others are still to be released.

    Parameters
    ----------
    members : int, >= 1
        Members of the group.

    Members
    -------
    arrive, released : In(members)
        As at the members' node ports: only arrivals that the network accepts.
    cycle : In(32)
        Cycles since reset.
    episodes : Out(32)
        Episodes completed.
    errors : Out(32)
        Cycles with a release before the last arrival, a second release, or a second arrival.
    latency_min, latency_max : Out(32)
        From last arrival to last release; ``latency_min`` is all ones before the first episode.
    latency_sum : Out(64)
        Over all episodes.
    """

    def __init__(self, members: int) -> None:
        if members < 1:
            raise ValueError(f"BarrierWatch needs at least 1 member, not {members!r}")
        self._members = members
        super().__init__(
            {
                "arrive": In(members),
                "released": In(members),
                "cycle": In(32),
                "episodes": Out(32),
                "errors": Out(32),
                "latency_min": Out(32, init=-1 & 0xFFFF_FFFF),
                "latency_max": Out(32),
                "latency_sum": Out(64),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        here, out, ahead = (Signal(self._members, name=n) for n in ("here", "out", "ahead"))
        last, last_ahead = Signal(32), Signal(32)  # latest arrival of this episode and the next
        out_now, for_this, for_next = (
            Signal(self._members, name=n) for n in ("out_now", "for_this", "for_next")
        )
        over, wrong = Signal(), Signal()
        latency = Signal(32)
        m.d.comb += [
            out_now.eq(out | self.released),
            for_this.eq(self.arrive & ~out_now),
            for_next.eq(self.arrive & out_now),
            over.eq(out_now.all()),
            latency.eq(self.cycle - last),
            wrong.eq(
                (self.released.any() & ~here.all())
                | (self.released & out).any()
                | (for_this & here).any()
                | (for_next & ahead).any()
            ),
        ]
        m.d.sync += self.errors.eq(self.errors + wrong)
        with m.If(over):
            m.d.sync += [
                here.eq(ahead | for_next),
                ahead.eq(0),
                out.eq(0),
                last.eq(Mux(for_next.any(), self.cycle, last_ahead)),
                self.episodes.eq(self.episodes + 1),
                self.latency_sum.eq(self.latency_sum + latency),
            ]
            with m.If(latency < self.latency_min):
                m.d.sync += self.latency_min.eq(latency)
            with m.If(latency > self.latency_max):
                m.d.sync += self.latency_max.eq(latency)
        with m.Else():
            m.d.sync += [
                here.eq(here | for_this),
                ahead.eq(ahead | for_next),
                out.eq(out_now),
            ]
            with m.If(for_this.any()):
                m.d.sync += last.eq(self.cycle)
            with m.If(for_next.any()):
                m.d.sync += last_ahead.eq(self.cycle)
        return m
