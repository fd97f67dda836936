"""What a switch makes of a packet's first flit (section I2)."""

from __future__ import annotations

from typing import NamedTuple

from syncfabric.models.golden.irregular_wiring import IrregularWiring
from syncfabric.models.messages import Field, Layout
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["FlitRoute", "Way"]


class Way(NamedTuple):
    """Where a packet goes from a switch.

    ``lane`` leaves the switch, or leads into its sink; ``raw`` is the flit as it goes on. A flit
    that is ``used_up`` does not: the next one takes that lane.
    """

    lane: int
    raw: int
    used_up: bool = False


class FlitRoute:
    """Routing at one switch.

    Parameters
    ----------
    network : IrregularSpec
        Layouts.
    wiring : IrregularWiring
        Tables and lanes.
    switch : int
        The switch's number.

    Attributes
    ----------
    head_bit : int
        The mark of a head on the ``flit`` wires.
    """

    def __init__(self, network: IrregularSpec, wiring: IrregularWiring, switch: int) -> None:
        layout = network.layout
        self.wiring, self.switch, self.table = wiring, switch, wiring.tables[switch]
        self.head_bit = 1 << layout.flit.offsets["head"]
        self.port_bits, self.route_ports = layout.port_bits, layout.route_ports
        self.by_route = _mask(layout.route, "by_route")
        self.switch_at, self.switch_mask = _place(layout.header, "switch")
        self.port_at, self.port_mask = _place(layout.header, "port")
        self.count_at, self.count_mask = _place(layout.route, "count")
        self.first_at, _ = _place(layout.route, "port_0")
        self.ports_mask = (1 << self.port_bits * self.route_ports) - 1

    def look(self, raw: int, is_tail: bool, channel: int) -> Way:
        """Return the way of the packet of a head flit.

        Parameters
        ----------
        raw : int
            The flit on the wires.
        is_tail : bool
            Whether it is also the packet's last.
        channel : int
            The channel by which it came.
        """
        if raw & self.by_route:
            return self._own_route(raw, is_tail, channel)
        destination = raw >> self.switch_at & self.switch_mask
        if destination == self.switch:
            output = raw >> self.port_at & self.port_mask
        elif destination < len(self.table):
            output = self.table[destination]
        else:
            output = self.wiring.ports
        return Way(self._lane(output, channel), raw)

    def _own_route(self, raw: int, is_tail: bool, channel: int) -> Way:
        count = raw >> self.count_at & self.count_mask
        ports = raw >> self.first_at & self.ports_mask
        output = ports & (1 << self.port_bits) - 1
        if count == 0 or output >= self.wiring.ports or (is_tail and count == 1):
            return Way(self.wiring.sink(self.switch, channel), raw)
        lane = self._lane(output, channel)
        if count == 1:
            return Way(lane, raw, used_up=True)
        rest = raw & ~(self.ports_mask << self.first_at | self.count_mask << self.count_at)
        return Way(
            lane, rest | count - 1 << self.count_at | ports >> self.port_bits << self.first_at
        )

    def _lane(self, output: int, channel: int) -> int:
        if output >= self.wiring.ports:
            return self.wiring.sink(self.switch, channel)
        return self.wiring.exit(self.switch, output, channel)


def _field(layout: Layout, name: str) -> Field:
    return next(field for field in layout.fields if field.name == name)


def _place(layout: Layout, name: str) -> tuple[int, int]:
    """Return a field's lowest bit, and the mask of its value."""
    return layout.offsets[name], (1 << _field(layout, name).width) - 1


def _mask(layout: Layout, name: str) -> int:
    at, mask = _place(layout, name)
    return mask << at
