"""Cycle-exact model of the barrier wires of a network of any kind.

Written from docs/microarchitecture-wires.md. A unit is looked at only in cycles in which its
state or what it receives has changed, or the watchdog looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncfabric.models.golden.wire_config import Held, Obeyed, WireConfig
from syncfabric.models.golden.wire_format import WireFormat
from syncfabric.models.golden.wire_links import WireLinks
from syncfabric.models.golden.wire_unit import WireUnit
from syncfabric.models.golden.wire_wiring import WireWiring
from syncfabric.models.messages import REGISTER_WORDS
from syncfabric.models.messages.wires import WireLayout
from syncfabric.models.networks.wires import WirePlane

__all__ = ["WireModel"]

NOTHING = Obeyed(False)


class WireModel:
    """Cycle-exact model of all units and links of a plane of barrier wires.

    In a cycle, ``access`` comes first, and ``step`` is all the rest. It need not be called in
    cycles of which ``is_due`` says nothing, if there is no access and no arrive.

    Parameters
    ----------
    wiring : WireWiring
        Units and links.
    plane : WirePlane
        What every unit has.
    counters : sequence of list of int, by unit
        What events are counted in.
    released : list of (node, register, result)
        What is released in the next cycle; appended to.
    touched : set of int
        Units whose ``observe`` may have changed; added to.
    first : int
        Number of slot 0 as a register of the node port and of the config port: the registers of
        messages come before it, if the network has both.

    Attributes
    ----------
    form : WireFormat
        The wires of a link as one word.
    """

    def __init__(
        self,
        wiring: WireWiring,
        plane: WirePlane,
        counters: Sequence[list[int]],
        released: list[tuple[int, int, int]],
        touched: set[int],
        *,
        first: int = 0,
    ) -> None:
        self.form = form = WireFormat(plane)
        self._plane, self._wiring = plane, wiring
        self._released, self._touched, self._first = released, touched, first
        self._addresses = range(first * REGISTER_WORDS, (first + plane.slots) * REGISTER_WORDS)
        stale = 2 * plane.link_registers + 2
        self._units = [
            WireUnit(len(links), form, stale, own)
            for links, own in zip(wiring.outputs, counters, strict=True)
        ]
        self._configs = [
            WireConfig(unit, form, WireLayout(len(links), process, plane.data_bits))
            for unit, links, process in zip(
                self._units, wiring.outputs, wiring.process, strict=True
            )
        ]
        self._stirring: set[int] = set()  # units to be looked at in the coming cycle
        self._links = WireLinks(wiring, self._stirring, [unit.heard for unit in self._units])
        self._waiting: set[int] = set()  # units where a process has arrived
        self._stale: dict[int, list[int]] = {}  # units by the cycle of their last look at kids
        self._orders: dict[int, Obeyed] = {}  # what is written in the coming cycle, by unit
        self._driven = [[0] * len(links) for links in wiring.outputs]
        self._shown = [0] * len(wiring.ends)
        self._fresh: dict[int, int] = {}  # what is shown anew in the coming cycle, by link

    def has(self, address: int) -> bool:
        """Return whether a config address is a slot's."""
        return address in self._addresses

    def access(self, unit: int, address: int, write: bool, data: int) -> tuple[bool, int]:
        """Do in the coming cycle what the config port or a set-up sink asks of a unit.

        At most one a cycle and unit.

        Parameters
        ----------
        unit : int
        address, write, data
            As of ``ConfigRequest``; the address is a slot's.

        Returns
        -------
        (bool, int)
            Whether it is refused, and the answer's data.
        """
        slot, word = divmod(address - self._addresses.start, REGISTER_WORDS)
        obeyed = self._orders[unit] = self._configs[unit].obey(slot, word, write, data)
        self._touched.add(unit)
        return obeyed.refused, obeyed.data

    def step(self, now: int, arrive: Mapping[tuple[int, int], int]) -> Sequence[tuple[int, int]]:
        """Go through a cycle.

        Parameters
        ----------
        now : int
            This cycle.
        arrive : mapping of (node, register) to data
            The ``arrive`` bits of slots that are high.

        Returns
        -------
        sequence of (link, word)
            What links show that differs from the cycle before, rising.
        """
        shown = sorted(self._fresh.items())
        self._fresh.clear()
        self._links.deliver(now)
        for number in self._stale.pop(now, ()):
            if self._units[number].is_late(now, self._links.inputs[number]):
                self._stirring.add(number)
        tick = self._looks(now)
        if tick:
            self._stirring |= self._waiting
        orders, self._orders = self._orders, {}
        accepted = self._accept(arrive) if arrive else {}
        active = self._stirring | accepted.keys() | orders.keys()
        self._stirring.clear()
        for number in active:
            self._look(
                now,
                number,
                *accepted.get(number, (0, 0)),
                orders.get(number, NOTHING),
                tick=tick,
            )
        return shown

    def is_due(self, now: int) -> bool:
        """Return whether anything may happen in the coming cycle, ``now``, without inputs."""
        if self._stirring or self._fresh or self._links.is_due(now) or now in self._stale:
            return True
        return bool(self._waiting) and self._looks(now)

    def idle_until(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which anything may happen without inputs.

        None if nothing ever will.
        """
        if self.is_due(now):
            return now
        ahead = [*self._links.due(), *self._stale]
        period = self._plane.watchdog
        if period and self._waiting:
            ahead.append(now + -(now + 1) % period)
        return min(ahead, default=None)

    def stick(self, link: int, *, low: int = 0, high: int = 0) -> None:
        """Break wires of a link at its far end, from the coming cycle on; none mends it.

        Parameters
        ----------
        link : int
            An output that leads somewhere.
        low, high : int
            Wires that stick at 0, and at 1, by their places in ``form``.
        """
        self._links.stick(link, low, high)

    def _looks(self, now: int) -> bool:
        """Return whether this is a cycle of the watchdog."""
        return bool(self._plane.watchdog) and (now + 1) % self._plane.watchdog == 0

    def _accept(self, arrive: Mapping[tuple[int, int], int]) -> dict[int, tuple[int, int]]:
        """Return the accepted arrives by unit: slots, and their data."""
        wishes: dict[int, tuple[int, int]] = {}
        bits = self.form.data_bits
        datum = (1 << bits) - 1
        for (node, register), data in arrive.items():
            slot = register - self._first
            slots, word = wishes.get(node, (0, 0))
            wishes[node] = slots | 1 << slot, word | (data & datum) << slot * bits
        self._touched.update(wishes)
        return {node: (self._units[node].accept(slots), w) for node, (slots, w) in wishes.items()}

    def _look(
        self, now: int, number: int, accepted: int, data: int, order: Obeyed, *, tick: bool
    ) -> None:
        """Take a unit over the edge, and send what it drives from then on on its way."""
        unit = self._units[number]
        changed = unit.step(now, self._links.inputs[number], accepted, data, order.clear, tick=tick)
        if order.write is not None:
            order.write()
        if accepted or unit.is_restless() or order is not NOTHING:
            self._stirring.add(number)
        elif not changed:
            return
        self._touched.add(number)
        until = unit.stale_until(now)
        if until is not None:
            self._stale.setdefault(until, []).append(number)
        if unit.la:
            self._waiting.add(number)
        else:
            self._waiting.discard(number)
        releases = unit.releases
        for slot in range(releases.bit_length()):
            if releases >> slot & 1:
                result = self._configs[number].result(slot)
                self._released.append((number, self._first + slot, result))
        words = unit.drive()
        if words != self._driven[number]:
            self._driven[number] = words
            self._links.send(now + 1 + self._plane.link_registers, number, words)
            self._show(number, words)

    def _show(self, number: int, words: Sequence[int]) -> None:
        """Show what links are driven with, if they lead anywhere."""
        shown, bare, seen = self._shown, 0, 0
        for link, word in zip(self._wiring.outputs[number], words, strict=True):
            if self._wiring.ends[link] is not None:
                if word != bare:
                    bare, seen = word, self.form.mask(word)
                if seen != shown[link]:
                    shown[link] = self._fresh[link] = seen

    # What a bench looks at between steps.

    def observe(self, target: int) -> tuple[int, int]:
        """Return what a unit's slots show at the start of the coming cycle, and how many bits."""
        return self._configs[target].observe()

    def ready(self, node: int, register: int) -> bool:
        """Return ``ready`` of a register in the coming cycle."""
        return bool(self._units[node].ready() >> register - self._first & 1)

    def done(self, node: int, register: int) -> bool:
        """Return ``done`` of a register in the coming cycle."""
        return bool(self._units[node].done >> register - self._first & 1)

    def broken(self, node: int, register: int) -> bool:
        """Return ``broken`` of a register in the coming cycle."""
        return bool(self._units[node].broken >> register - self._first & 1)

    def holder(self, target: int, gid: int) -> int | None:
        """Return the register that is a unit's valid slot of a group, None if there is none."""
        slots = enumerate(self.held(target), self._first)
        return next((slot for slot, held in slots if held.valid and held.gid == gid), None)

    def held(self, target: int) -> list[Held]:
        """Return which group holds each of a unit's slots."""
        return self._configs[target].held()
