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
    counters : list of int
        The four event counters of the router, switch or node interface.

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
    heard : list of int, by link
        The wires that matter to any slot: a change of others changes nothing.
    used : list of int
        Links of which any wire matters.
    releases : int
        Slots whose `released` is high from the edge that ``step`` comes to.
    """

    def __init__(self, links: int, form: WireFormat, stale: int, counters: list[int]) -> None:
        self._form = form
        self.valid = self.la = self.up = self.dn = self.fault = self.old = 0
        self.done = self.broken = self.releases = 0
        self._mine = self.gathered = self.result = 0
        self._stale = stale
        self._until: dict[int, int] = {}  # slots by the cycle in which their `stale` is 1
        self.roots = self.members = self.branched = 0
        self.kids, self.parents = [0] * links, [0] * links
        self.operations = [0] * len(Op)
        self.heard = [0] * links
        self.used: list[int] = []
        self.counters = counters

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
        self, now: int, inputs: Sequence[int], accepted: int, data: int, clear: int, *, tick: bool
    ) -> bool:
        """Go over a clock edge.

        Parameters
        ----------
        now : int
            The cycle that ends.
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
            Whether any state has changed.
        """
        was = self.la, self.up, self.dn, self.fault, self.old, self.done, self.broken
        contents = self.gathered, self.result
        live = self.valid & ~self.fault
        held = ending = 0
        if self._until:
            held, ending = self._age(now)
        bad, down, all_up = self._look(inputs, live, ending)
        fire = live & ~bad & ~held & all_up & self.branched & (self.la | ~self.members)
        down_in = fire & self.roots | down & live & ~bad
        if tick:
            waiting = live & self.la & ~down_in & ~bad
            bad |= waiting & self.old
            fire &= ~bad
            self.old |= waiting
        if self._form.data_bits and (fire or down_in or accepted):
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
        if down_in & self.branched:
            self._make_stale(now, down_in)
        if clear:
            self._until = {cycle: slots & ~clear for cycle, slots in self._until.items()}
        if bad:
            self.count(Counter.STRAY, bad.bit_count())
        new = self.la, self.up, self.dn, self.fault, self.old, self.done, self.broken
        return new != was or contents != (self.gathered, self.result)

    def is_restless(self) -> bool:
        """Return whether the next cycle may change anything though nothing new is received.

        What has arrived may fire, and pulses and releases end. Nobody fires just because its
        `stale` ends: then all of its kids' `up` are 0.
        """
        return bool(self.dn or self.releases)

    def is_late(self, now: int, inputs: Sequence[int]) -> bool:
        """Return whether a slot's `stale` is 1 in this cycle, and the `up` of a kid is 1."""
        slots = self._until.get(now, 0)
        return any(word & kids & slots for word, kids in zip(inputs, self.kids, strict=True))

    def stale_until(self, now: int) -> int | None:
        """Return the cycle in which `stale` will be 1 of slots whose down-in was in ``now``."""
        cycle = now + self._stale
        return cycle if cycle in self._until else None

    def _age(self, now: int) -> tuple[int, int]:
        """Return slots whose `stale` is not 0, and those of which it is 1."""
        held = 0
        for cycle in list(self._until):
            if cycle < now:
                del self._until[cycle]
            else:
                held |= self._until[cycle]
        return held, self._until.get(now, 0)

    def _make_stale(self, now: int, down_in: int) -> None:
        any_kids = 0
        for kids in self.kids:
            any_kids |= kids
        # A slot that comes to a down-in has fired a cycle ago at the latest: its `stale` is 0.
        if down_in & any_kids:
            self._until[now + self._stale] = down_in & any_kids

    def _look(self, inputs: Sequence[int], live: int, ending: int) -> tuple[int, int, int]:
        """Return bad slots, those whose parent's `down` is 1, and those with all kids' `up`."""
        form = self._form
        late = down = torn = 0
        all_up = form.slot_mask
        for link in self.used:
            word, kids, parents = inputs[link], self.kids[link], self.parents[link]
            all_up &= word | ~kids
            late |= word & kids
            down |= word >> form.down_at & parents
            if form.parity and word.bit_count() & 1:
                torn |= kids | parents
        return live & (late & ending | down & ~self.up | torn), down, all_up

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
