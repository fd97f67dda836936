"""Cycle-exact model of barrier wires on a network of any kind.

Written from docs/microarchitecture-wires.md. A unit is looked at only in cycles in which its
state or what it receives has changed, or the watchdog looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.wire_config import Held, Obeyed, WireConfig
from syncfabric.models.golden.wire_format import WireFormat
from syncfabric.models.golden.wire_links import WireLinks
from syncfabric.models.golden.wire_shown import Shown, WireRecord
from syncfabric.models.golden.wire_unit import WireUnit
from syncfabric.models.golden.wire_wiring import WireWiring
from syncfabric.models.messages import COUNTER_BASE, REGISTER_WORDS
from syncfabric.models.messages.wires import WireLayout
from syncfabric.models.networks.wires import WirePlane

__all__ = ["WireModel", "WireRecord"]

Answer: TypeAlias = tuple[bool, bool, int]

SILENT: Answer = (False, False, 0)
NO_ARRIVALS: Mapping[tuple[int, int], int] = {}
NOTHING = Obeyed(False)


class WireModel:
    """Cycle-exact model of all units and links of a plane of barrier wires.

    Parameters
    ----------
    wiring : WireWiring
        Units and links.
    plane : WirePlane
        What every unit has.
    first : int
        Number of slot 0 as a register of the node port and of the config port: the registers of
        messages come before it, if the network has both.
    counters : sequence of list of int, by unit, optional
        What messages count in, if the network has both.

    Attributes
    ----------
    cycle : int
        Number of the cycle about to be stepped, 0 for the first after reset.
    release : list of (node, register, result)
        Releases that are high in this cycle, rising.
    config_answer : (bool, bool, int)
        ``config_ready``, ``config_error`` and ``config_rdata`` in this cycle.
    touched : set of int
        Units whose ``observe`` may have changed; the reader clears it.
    form : WireFormat
        The wires of a link as one word.
    """

    def __init__(
        self,
        wiring: WireWiring,
        plane: WirePlane,
        *,
        first: int = 0,
        counters: Sequence[list[int]] | None = None,
    ) -> None:
        self.form = form = WireFormat(plane)
        self.cycle = 0
        self.release: list[tuple[int, int, int]] = []
        self.config_answer: Answer = SILENT
        self.touched: set[int] = set()
        self._plane, self._wiring, self._first = plane, wiring, first
        stale = 2 * plane.link_registers + 2
        self._units = [
            WireUnit(len(links), form, stale, counters[number] if counters else None)
            for number, links in enumerate(wiring.outputs)
        ]
        self._configs = [
            WireConfig(unit, form, WireLayout(len(links), process, plane.data_bits))
            for unit, links, process in zip(
                self._units, wiring.outputs, wiring.process, strict=True
            )
        ]
        self._stirring: set[int] = set()  # units to be looked at in the coming cycle
        self._links = WireLinks(wiring, self._stirring)
        self._waiting: set[int] = set()  # units where a process has arrived
        self._request: ConfigRequest | None = None
        self._orders: dict[int, Obeyed] = {}  # what is written in the coming cycle, by unit
        self._shown = Shown(wiring, form)

    def step(
        self,
        *,
        arrive: Mapping[tuple[int, int], int] = NO_ARRIVALS,
        config: ConfigRequest | None = None,
    ) -> WireRecord | None:
        """Advance one clock with these inputs.

        Parameters
        ----------
        arrive : mapping of (node, register) to data
            The ``arrive`` bits that are high.
        config : ConfigRequest, optional
            The request on the config port.

        Returns
        -------
        WireRecord or None
            What is on the wires before the edge; None if that is nothing. As long as nothing
            changes it is the same object.
        """
        now = self.cycle
        self.cycle = now + 1
        record = self.record()
        self._links.deliver(now)
        request = config
        if self._wiring.late:
            request, self._request = self._request, config
        tick = bool(self._plane.watchdog) and self.cycle % self._plane.watchdog == 0
        if tick:
            self._stirring |= self._waiting
        if not (arrive or request or self._is_moving()):
            return record
        self.config_answer = SILENT
        orders, self._orders = self._orders, {}
        if request is not None and 0 <= request.node < len(self._units):
            orders[request.node] = self._configure(request)
        accepted = self._accept(arrive) if arrive else {}
        self.release = []
        active = self._stirring | accepted.keys() | orders.keys()
        self._stirring.clear()
        for number in sorted(active):
            self._look(
                number,
                *accepted.get(number, (0, 0)),
                orders.get(number, NOTHING),
                tick=tick,
            )
        return record

    def access(self, unit: int, address: int, write: bool, data: int) -> tuple[bool, int]:
        """Do in the coming cycle what a set-up sink asks of its own unit.

        At most one a cycle and unit, and none where ``step`` is to look at a request from outside.

        Parameters
        ----------
        unit : int
        address, write, data
            As of ``ConfigRequest``.

        Returns
        -------
        (bool, int)
            Whether it is refused, and the answer's data.
        """
        obeyed = self._orders[unit] = self._configs[unit].obey(
            address - self._first * REGISTER_WORDS, write, data
        )
        self.touched.add(unit)
        return obeyed.refused, obeyed.data

    def _is_moving(self) -> bool:
        """Return whether anything may happen in the coming cycle without inputs."""
        return bool(self._stirring or self._orders or self.release or self.config_answer[0])

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

    def _configure(self, request: ConfigRequest) -> Obeyed:
        address = request.address
        if address < COUNTER_BASE:
            address -= self._first * REGISTER_WORDS
        obeyed = self._configs[request.node].obey(address, request.write, request.data)
        self.config_answer = (True, obeyed.refused, obeyed.data)
        self.touched.add(request.node)
        return obeyed

    def _accept(self, arrive: Mapping[tuple[int, int], int]) -> dict[int, tuple[int, int]]:
        """Return the accepted arrives by unit: slots, and their data."""
        wishes: dict[int, tuple[int, int]] = {}
        bits = self.form.data_bits
        datum = (1 << bits) - 1
        for (node, register), data in arrive.items():
            slot = register - self._first
            slots, word = wishes.get(node, (0, 0))
            wishes[node] = slots | 1 << slot, word | (data & datum) << slot * bits
        self.touched |= wishes.keys()
        return {node: (self._units[node].accept(slots), w) for node, (slots, w) in wishes.items()}

    def _look(self, number: int, accepted: int, data: int, order: Obeyed, *, tick: bool) -> None:
        """Take a unit over the edge, and send what it drives from then on on its way."""
        unit = self._units[number]
        changed = unit.step(self._links.inputs[number], accepted, data, order.clear, tick=tick)
        if order.write is not None:
            order.write()
        if not changed and order is NOTHING:
            return
        self._stirring.add(number)
        self.touched.add(number)
        if unit.la:
            self._waiting.add(number)
        else:
            self._waiting.discard(number)
        config = self._configs[number]
        releases = unit.releases
        for slot in range(releases.bit_length()):
            if releases >> slot & 1:
                self.release.append((number, self._first + slot, config.result(slot)))
        due = self.cycle + self._plane.link_registers
        for link, word in zip(self._wiring.outputs[number], unit.drive(), strict=True):
            if self._shown.driven[link] != word:
                self._shown.drive(link, word)
                self._links.send(due, link, word)

    # What a bench looks at between steps.

    def observe(self, target: int) -> int:
        """Return a unit's ``observe`` wires at the start of the cycle about to be stepped."""
        return self._configs[target].observe()

    def ready(self, node: int, register: int) -> bool:
        """Return ``ready`` of a register in the cycle about to be stepped."""
        return bool(self._units[node].ready() >> register - self._first & 1)

    def done(self, node: int, register: int) -> bool:
        """Return ``done`` of a register in the cycle about to be stepped."""
        return bool(self._units[node].done >> register - self._first & 1)

    def broken(self, node: int, register: int) -> bool:
        """Return ``broken`` of a register in the cycle about to be stepped."""
        return bool(self._units[node].broken >> register - self._first & 1)

    def held(self, target: int) -> list[Held]:
        """Return what a set-up sink sees of a unit's slots."""
        return self._configs[target].held()

    def idle_until(self) -> int | None:
        """Return a cycle before which every ``step`` without inputs would change nothing.

        Each would return what ``record`` returns now. None if nothing will ever happen without
        inputs.
        """
        if self._request or self._is_moving():
            return self.cycle
        ahead = list(self._links.due())
        period = self._plane.watchdog
        if period and self._waiting:
            ahead.append(self.cycle + -(self.cycle + 1) % period)
        return min(ahead, default=None)

    def skip(self, cycles: int) -> None:
        """Advance by cycles that ``idle_until`` said are idle."""
        self.cycle += cycles

    def record(self) -> WireRecord | None:
        """Return what ``step`` is about to return."""
        if self.release:
            return self._shown.released(self.release, self._first)
        return self._shown.wires()
