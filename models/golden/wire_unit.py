"""A unit of barrier wires: all its slots side by side (docs/microarchitecture-wires.md, W2, W3).

A bit of each word of state is a slot. Data of all slots stand in one word, too, the low slot first.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.golden.wire_format import WireFormat
from syncfabric.models.messages import COUNTER_BITS, Counter, Op

__all__ = ["WireUnit"]

MOST = (1 << COUNTER_BITS) - 1


class WireUnit:
    """Slots of a router, switch or node interface.

    Parameters
    ----------
    links : int
        Its links; its process, if it has one, is the port after them.
    form : WireFormat
        The wires.
    stale : int
        What `stale` begins with at a down-in.
    counters : list of int, optional
        The router's, if messages count there, too.

    Attributes
    ----------
    valid, la, up, dn, fault, old, done, broken : int
        A bit a slot.
    gathered, result : int
        Data of all slots.
    roots, members, branched : int
        Slots whose image has `root`, the process among the children, and any children.
    kids, parents : list of int, by link
        Slots whose image has the link among the children, or as the link of their parent.
    operations : list of int, by op
        Slots with this operation.
    releases : int
        Slots whose `released` is high from the edge that ``step`` comes to.
    counters : list of int
        The four event counters.
    """

    def __init__(
        self, links: int, form: WireFormat, stale: int, counters: list[int] | None = None
    ) -> None:
        self._form = form
        self.valid = self.la = self.up = self.dn = self.fault = self.old = 0
        self.done = self.broken = self.releases = 0
        self._mine = self.gathered = self.result = 0
        self._stale = [0] * stale  # slots by what is left, 1 first
        self.roots = self.members = self.branched = 0
        self.kids, self.parents = [0] * links, [0] * links
        self.operations = [0] * len(Op)
        self.counters = [0] * len(Counter) if counters is None else counters

    def count(self, counter: Counter, events: int = 1) -> None:
        """Count events, up to the counter's last value."""
        self.counters[counter] = min(MOST, self.counters[counter] + events)

    def ready(self) -> int:
        """Return the slots whose `ready` is high."""
        return self.valid & ~self.fault & self.members

    def accept(self, arrive: int) -> int:
        """Return which of these arrives are accepted; the others are counted."""
        accepted = arrive & self.ready() & ~self.la
        self.count(Counter.REFUSED_ARRIVE, (arrive & ~accepted).bit_count())
        return accepted

    def step(
        self, inputs: Sequence[int], accepted: int, data: int, clear: int, *, tick: bool
    ) -> bool:
        """Go over a clock edge.

        Parameters
        ----------
        inputs : sequence of int
            The word received on each link.
        accepted : int
            Slots with an accepted arrive.
        data : int
            Their data.
        clear : int
            Slots that are cleared.
        tick : bool
            Whether this is a cycle of the watchdog.

        Returns
        -------
        bool
            Whether any state has changed, so that the next cycle may be another with the same
            inputs.
        """
        before = self._state()
        live = self.valid & ~self.fault
        bad, down, all_up = self._look(inputs, live)
        held = 0
        for slots in self._stale:
            held |= slots
        fire = live & ~bad & ~held & all_up & self.branched & (self.la | ~self.members)
        down_in = fire & self.roots | down & live & ~bad
        if tick:
            waiting = live & self.la & ~down_in & ~bad
            bad |= waiting & self.old
            fire &= ~bad
            self.old |= waiting
        if self._form.data_bits:
            self._combine(inputs, fire, down_in, accepted, data)

        had = self.la | accepted
        broken = had & (bad | clear) & ~down_in
        self.releases = down_in & self.members | broken
        self.done = self.done & ~accepted | self.releases
        self.broken = self.broken & ~accepted | broken
        self.la = had & ~(down_in | bad | clear)
        self.old &= self.la
        self.up = fire & ~self.roots & ~down_in & ~clear
        self.dn = down_in & ~clear
        self.fault = (self.fault | bad) & ~clear
        self.valid &= ~clear
        self._age(down_in, clear)
        if bad:
            self.count(Counter.STRAY, bad.bit_count())
        return self._state() != before

    def _look(self, inputs: Sequence[int], live: int) -> tuple[int, int, int]:
        """Return bad slots, those whose parent's `down` is 1, and those with all kids' `up`."""
        form = self._form
        late = down = torn = 0
        all_up = form.slot_mask
        for word, kids, parents in zip(inputs, self.kids, self.parents, strict=True):
            if kids or parents:
                all_up &= word | ~kids
                late |= word & kids
                down |= word >> form.down_at & parents
                if form.parity and word.bit_count() & 1:
                    torn |= kids | parents
        return live & (late & self._stale[0] | down & ~self.up | torn), down, all_up

    def _age(self, down_in: int, clear: int) -> None:
        stale = self._stale
        any_kids = 0
        if down_in:
            for kids in self.kids:
                any_kids |= kids
        # A slot that comes to a down-in has fired a cycle ago at the latest: its `stale` is 0.
        stale.append(down_in & any_kids)
        del stale[0]
        if clear:
            stale[:] = [slots & ~clear for slots in stale]

    def _combine(
        self, inputs: Sequence[int], fire: int, down_in: int, accepted: int, data: int
    ) -> None:
        form, spread = self._form, self._form.spread
        if fire:
            self.gathered = self.gathered & ~spread(fire) | self._gather(inputs, fire)
        if down_in:
            roots = spread(down_in & self.roots)
            result = self.gathered & roots
            for word, parents in zip(inputs, self.parents, strict=True):
                if parents & down_in:
                    result |= word >> form.down_data_at & spread(parents & down_in)
            self.result = self.result & ~spread(down_in) | result
        if accepted:
            own = spread(accepted)
            self._mine = self._mine & ~own | data & own

    def _gather(self, inputs: Sequence[int], fire: int) -> int:
        """Combine the data of slots that fire."""
        spread, at = self._form.spread, self._form.up_data_at
        parts = [(self._mine, spread(self.members & fire))]
        parts += [
            (word >> at, spread(kids & fire))
            for word, kids in zip(inputs, self.kids, strict=True)
            if kids & fire
        ]
        either = differ = 0
        both = self._form.data_mask
        for data, mask in parts:
            either |= data & mask
            differ ^= data & mask
            both &= data | ~mask
        ands, xors = self.operations[Op.AND] & fire, self.operations[Op.XOR] & fire
        ors = fire & ~(ands | xors)
        return either & spread(ors) | both & spread(ands) | differ & spread(xors)

    def drive(self) -> list[int]:
        """Return the word on each link, by the state as it is."""
        form = self._form
        if not form.shared:
            word = self.up | self.dn << form.down_at | self.gathered << form.up_data_at
            return [form.seal(word | self.result << form.down_data_at)] * len(self.kids)
        words = []
        for all_kids, all_parents in zip(self.kids, self.parents, strict=True):
            kids, parents = all_kids & self.valid, all_parents & self.valid
            word = self.up & parents | self.dn & kids
            if form.data_bits:
                data = self.gathered & form.spread(parents) | self.result & form.spread(kids)
                word |= data << form.up_data_at
            words.append(form.seal(word))
        return words

    def status(self, slot: int) -> int:
        """Return a slot's status word."""
        fields = (self.la, self.up, self.dn, self.fault, self.done, self.broken)
        return sum((field >> slot & 1) << place for place, field in enumerate(fields))

    def _state(self) -> tuple[int, ...]:
        """Return all that a further cycle may change."""
        levels = self.la, self.up, self.dn, self.fault, self.old, self.done, self.broken
        return (*levels, self.valid, self.gathered, self.result, self.releases, *self._stale)
