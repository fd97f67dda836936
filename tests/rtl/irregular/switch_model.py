"""A whole switch as sections I2 to I4 tell it: packets between its ports, and its unit."""

from collections import deque
from dataclasses import dataclass, field

from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.packets import NOWHERE, Arriving, Stored
from tests.rtl.irregular.unit_model import UnitInputs, UnitModel

__all__ = ["SwitchInputs", "SwitchModel", "SwitchPlace"]


@dataclass(frozen=True)
class SwitchPlace:
    """What is constant between two resets."""

    number: int
    target: int
    table: tuple[int, ...]
    dateline: int


@dataclass
class SwitchInputs:
    """What reaches a switch in a cycle.

    ``flits`` is (channel, bits) by port; ``credits`` has (output, channel) of each that comes
    back. Of ``unit`` messages and request are looked at.
    """

    unit: UnitInputs
    flits: dict[int, tuple[int, int]] = field(default_factory=dict)
    credits: set[tuple[int, int]] = field(default_factory=set)


class _Input:
    """The buffers of one port."""

    def __init__(self, spec: IrregularSpec, place: SwitchPlace) -> None:
        channels = range(spec.channels)
        self.arriving = [Arriving(spec, place.number, place.table) for _ in channels]
        self.queues: list[deque[Stored]] = [deque() for _ in channels]
        self.begun = [False] * spec.channels
        self.order = list(channels)

    def leave(self, channel: int) -> Stored:
        """Take the front flit of a channel out."""
        flit = self.queues[channel].popleft()
        self.begun[channel] = not flit.tail
        self.order.remove(channel)
        self.order.append(channel)
        return flit


class SwitchModel:
    """Judged at the start of a cycle, changed at its end; messages without buffers.

    Parameters
    ----------
    spec : IrregularSpec
    place : SwitchPlace

    Attributes
    ----------
    on_links : dict of output to (channel, bits)
        Ordinary flits that left in the cycle that ``step`` went through.
    freed : dict of port to channel
        High on ``credit`` in this cycle.
    credits : dict of (output, channel) to int
    """

    def __init__(self, spec: IrregularSpec, place: SwitchPlace) -> None:
        self.spec, self.place = spec, place
        self.unit = UnitModel(spec, node=False)
        self.inputs = [_Input(spec, place) for _ in range(spec.ports)]
        outputs = [(o, v) for o in range(spec.ports) for v in range(spec.channels)]
        self.credits = dict.fromkeys(outputs, spec.buffer_flits)
        self.on_links: dict[int, tuple[int, int]] = {}
        self.freed: dict[int, int] = {}
        self._busy = dict.fromkeys([*outputs, (spec.ports, 0)], False)
        self._orders = [list(range(spec.ports)) for _ in range(spec.ports + 1)]
        self._out: dict[int, tuple[int, int]] = {}  # the out buffers

    def has_place(self, port: int, channel: int) -> bool:
        """Return whether a flit that comes is kept."""
        return len(self.inputs[port].queues[channel]) < self.spec.buffer_flits

    def step(self, inputs: SwitchInputs) -> None:
        """Go through a cycle."""
        spec, unit, sink = self.spec, self.unit, self.spec.ports
        offers = {p: offer for p in range(spec.ports) if (offer := self._offer(p)) is not None}
        lost = {p for p, (v, _) in inputs.flits.items() if not self.has_place(p, v)}
        takers = {o: self._first(o, offers) for o in range(spec.ports + 1)}
        ending = takers[sink]
        inputs.unit.overflows = len(lost)
        inputs.unit.strays = ending is not None and self._front(ending, offers).tail
        before = set(unit.sent)
        inputs.unit.opens = {o for o in range(spec.ports) if o not in before}
        unit.step(inputs.unit)

        if spec.cycles_per_hop == 2:
            self.on_links = {o: flit for o, flit in self._out.items() if o not in unit.sent}
            shut = unit.sent & set(self._out)
            self._out = {o: flit for o, flit in self._out.items() if o in unit.sent}
        else:
            self.on_links, shut = {}, unit.sent
        left = {p: v for p, v in offers.items() if self._front(p, offers).output == NOWHERE}
        for o, p in takers.items():
            if p is None or o in shut:
                continue
            left[p] = offers[p]
            flit, beyond = self._front(p, offers), self._beyond(offers[p], o)
            self._orders[o].remove(p)
            self._orders[o].append(p)
            self._busy[o, beyond] = not flit.tail
            if o == sink:
                continue
            self.credits[o, beyond] -= 1
            where = self.on_links if spec.cycles_per_hop == 1 else self._out
            where[o] = beyond, flit.bits
        for p, v in left.items():
            self.inputs[p].leave(v)
        self.freed = left
        for place in inputs.credits:
            self.credits[place] += 1
        for p, (v, bits) in inputs.flits.items():
            if p not in lost:
                self.inputs[p].queues[v].append(self.inputs[p].arriving[v].store(bits))

    def _front(self, port: int, offers: dict[int, int]) -> Stored:
        return self.inputs[port].queues[offers[port]][0]

    def _beyond(self, channel: int, output: int) -> int:
        """Return the channel in which a packet goes on; the sink has but one."""
        if output == self.spec.ports:
            return 0
        return channel | (self.place.dateline >> output & 1)

    def _offer(self, port: int) -> int | None:
        """Return the channel whose front flit an input offers."""
        source = self.inputs[port]
        return next((v for v in source.order if self._requests(source, v)), None)

    def _requests(self, source: _Input, channel: int) -> bool:
        if not source.queues[channel]:
            return False
        output = source.queues[channel][0].output
        if output == NOWHERE:
            return True
        place = output, self._beyond(channel, output)
        owns = source.begun[channel] or not self._busy[place]
        return owns and (output == self.spec.ports or self.credits[place] > 0)

    def _first(self, output: int, offers: dict[int, int]) -> int | None:
        """Return the input that has sent least recently of those that offer to an output."""
        able = {p for p in offers if self._front(p, offers).output == output}
        return next((p for p in self._orders[output] if p in able), None)
