"""Messages that pass through routers to the next member: paper BTM's two classes."""

from functools import reduce
from operator import and_
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.networks.grid import Grid
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.gates import either, total
from syncfabric.rtl.parts.selector import Selector
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.transport.link import Joined, word_on

CLASSES = 2


def legal_turns(grid: Grid, link: int, route_class: int) -> tuple[int, ...]:
    """Return the outputs of a passing message, straight on first, then by its class's order."""
    mine = grid.axis_of(link)
    assert mine is not None
    later = grid.axes[mine + 1 :] if route_class == 0 else grid.axes[:mine][::-1]
    straight = sum(grid.axes[mine]) - link
    on = () if straight == link else (straight,)
    return (*on, *(port for axis in later for port in dict.fromkeys(axis)))


class Slots(wiring.Component):
    """Messages that arrive at a link: for this router's engine, or into a slot a lane.

    Rules: docs/microarchitecture-engine.md, L2 (3 to 6).

    Parameters
    ----------
    layout : EngineLayout
    grid : Grid
    link : int
        Of the engine.

    Members
    -------
    x, y, .. : In
        Coordinates of the router.
    valid : In(lanes), message : In(link_message)
        What arrives, a bit a lane.
    here : Out(1)
        It is for this router.
    ask_0, .. : Out(links), word_0, .. : Out(link_message)
        Of each slot: output that its message leaves by, one-hot, or 0; the message.
    leave : In(lanes)
        It leaves.
    credit : Out(lanes)
        A slot is free again, or was not needed.
    overflow : Out(1)
        A message is dropped.
    """

    def __init__(self, layout: EngineLayout, grid: Grid, link: int) -> None:
        self._grid, self._link, self._lanes = grid, link, layout.lanes
        word = struct(layout.link_message)
        members: dict[str, Any] = {
            name: In(bits) for name, bits in zip(grid.names, grid.bits, strict=True)
        }
        members |= {
            "valid": In(layout.lanes),
            "message": In(word),
            "here": Out(1),
            "leave": In(layout.lanes),
            "credit": Out(layout.lanes),
            "overflow": Out(1),
        }
        for c in range(layout.lanes):
            members |= {f"ask_{c}": Out(layout.links), f"word_{c}": Out(word)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        message = self.message
        same = Signal()
        ends = [getattr(message, name) == getattr(self, name) for name in self._grid.names]
        m.d.comb += [
            same.eq(reduce(and_, ends)),
            self.here.eq(self.valid.any() & same),
        ]
        drops = []
        for c in range(self._lanes):
            full, enters, free = (Signal(name=f"{name}_{c}") for name in ("full", "enters", "free"))
            transient(free)
            if not legal_turns(self._grid, self._link, c % CLASSES):
                m.d.sync += free.eq(self.valid[c])
                m.d.comb += self.credit[c].eq(free)
                drops.append(self.valid[c] & ~same)
                continue
            m.d.comb += [enters.eq(self.valid[c] & ~same & ~full)]
            m.d.sync += [
                transient(full).eq(enters | (full & ~self.leave[c])),
                free.eq((self.valid[c] & same) | self.leave[c]),
            ]
            # What is in the slot may change with each message while it is not full.
            with m.If(~full):
                m.d.sync += getattr(self, f"word_{c}").eq(message)
            route = self._route(m, c, full)
            m.d.comb += [
                self.credit[c].eq(free),
                *(getattr(self, f"ask_{c}")[q].eq(full & bit) for q, bit in route.items()),
            ]
            drops.append(self.valid[c] & ~same & full)
        m.d.comb += self.overflow.eq(Cat(drops).any())
        return m

    def _route(self, m: Module, lane: int, full: Signal) -> dict[int, Value]:
        """Return the output of the message in a slot, as found when it arrived."""
        grid, legal = self._grid, legal_turns(self._grid, self._link, lane % CLASSES)
        axes = [axis for q in legal if (axis := grid.axis_of(q)) is not None]
        route: dict[int, Value] = {}
        before: list[Value] = []
        found = []
        # The last dimension takes what is left.
        for axis in dict.fromkeys(axes):
            outputs = [q for q in legal if grid.axis_of(q) == axis]
            here, there = (getattr(a, grid.names[axis]) for a in (self, self.message))
            taken = list(before)
            if axis != axes[-1]:
                on = Signal(name=f"on_{lane}")
                found.append(on.eq(there != here))
                taken.append(on)
                before.append(~on)
            up = Signal(name=f"up_{lane}")
            if len(outputs) == 2:
                found.append(up.eq(_ahead(here, there, grid, axis)))
            for q, ahead in zip(outputs, (up, ~up) if len(outputs) == 2 else (), strict=False):
                route[q] = reduce(and_, [*taken, ahead])
            if len(outputs) == 1:
                route[outputs[0]] = reduce(and_, taken) if taken else Const(1, 1)
        if found:
            with m.If(~full):
                m.d.sync += found
        return route


def _ahead(here: Value, there: Value, grid: Grid, axis: int) -> Value:
    """Return whether a message goes up a dimension in which it differs."""
    if not grid.rings[axis]:
        return there > here
    side, ahead = grid.sides[axis], there - here
    return ((ahead > 0) & (ahead <= side // 2)) | (ahead < -(side // 2))


class Output(wiring.Component):
    """Sends one of the messages that ask for a link, if there is a credit of its lane.

    Rules: docs/microarchitecture-engine.md, L2 (7, 10, 11).

    Parameters
    ----------
    layout : EngineLayout
    slots : tuple of (int, bool)
        Of each slot whose messages can take this output: its lane, and whether they go straight on.

    Members
    -------
    ask : In(slots), word_0 .. : In(link_message)
        By slot: its message asks for this output.
    own : In(1), own_class : In(1), own_word : In(link_message)
        The engine's message.
    take : Out(slots + 1)
        What leaves; the engine's last.
    credit : In(lanes)
        Per lane: the receiver has a slot free again.
    valid : Out(lanes), message : Out
        To the link.
    dateline : In(1)
        Only with lanes behind datelines: messages are behind a dateline; constant.
    """

    def __init__(self, layout: EngineLayout, slots: tuple[tuple[int, bool], ...]) -> None:
        self._slots, self._dated, self._lanes = slots, layout.dated, layout.lanes
        word, count = struct(layout.link_message), len(slots)
        members: dict[str, Any] = {f"word_{i}": In(word) for i in range(count)}
        members |= {
            "ask": In(count),
            "own": In(1),
            "own_class": In(1),
            "own_word": In(word),
            "take": Out(count + 1),
            "credit": In(self._lanes),
            "valid": Out(self._lanes),
            "message": Out(layout.link_message.width),
        }
        if layout.dated:
            members["dateline"] = In(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = len(self._slots)
        m.submodules.word = word = Selector(count + 1, len(self.message))
        able = Signal(self._lanes) if self._dated else None
        turns = None if able is None else self._turns(m, able)
        takes: list[list[Value]] = [[] for _ in range(count + 1)]
        asking = [self._asks(c) for c in range(self._lanes)]
        for c, asks in enumerate(asking):
            m.submodules[f"arbiter_{c}"] = arbiter = LeastRecentArbiter(len(asks))
            m.submodules[f"credit_{c}"] = credit = CreditCounter(1)
            # Class 0 goes first: its next credit is three cycles away, at the least.
            goes = Signal(name=f"goes_{c}")
            turn = (~self.valid[0] if c else 1) if turns is None else turns[c]
            m.d.comb += [
                goes.eq(credit.available & turn),
                arbiter.request.eq(Cat(*asks.values())),
                arbiter.sent.eq(Mux(goes, arbiter.grant, 0)),
                self.valid[c].eq(goes & arbiter.request.any()),
                credit.credit.eq(self.credit[c]),
                credit.spend.eq(self.valid[c]),
            ]
            if able is not None:
                m.d.comb += able[c].eq(credit.available & arbiter.request.any())
            for k, i in enumerate(asks):
                takes[i].append(arbiter.sent[k])
                if not any(i in later for later in asking[c + 1 :]):
                    bits = takes[i]
                    m.d.comb += self.take[i].eq(bits[0] if len(bits) == 1 else Cat(bits).any())
        m.d.comb += [
            word.select.eq(self.take),
            *(getattr(word, f"word_{i}").eq(getattr(self, f"word_{i}")) for i in range(count)),
            getattr(word, f"word_{count}").eq(self.own_word),
            self.message.eq(word.word),
        ]
        return m

    def _asks(self, lane: int) -> dict[int, Value]:
        """Return what may leave in a lane, by place among slots, and whether it asks to."""
        behind, found = lane >= CLASSES, {}
        for i, (slot, straight) in enumerate(self._slots):
            dated = straight and slot >= CLASSES
            if slot % CLASSES == lane % CLASSES and (behind or not dated):
                found[i] = self.ask[i] if dated else self._dated_at(behind, self.ask[i])
        own = self.own & (self.own_class if lane % CLASSES else ~self.own_class)
        return {**found, len(self._slots): self._dated_at(behind, own)}

    def _dated_at(self, behind: bool, asks: Value) -> Value:
        """Return whether what asks is behind a dateline once it has left, or is not."""
        if not self._dated:
            return asks
        return asks & (self.dateline if behind else ~self.dateline)

    def _turns(self, m: Module, able: Signal) -> Signal:
        """Return which lane sends: each in turn, and none after two cycles of messages."""
        m.submodules.lanes = turns = LeastRecentArbiter(self._lanes)
        granted, once, twice = Signal(self._lanes, name="turns"), Signal(), Signal()
        m.d.sync += [transient(once).eq(granted.any()), transient(twice).eq(once)]
        m.d.comb += [
            turns.request.eq(able),
            granted.eq(Mux(once & twice, 0, turns.grant)),
            turns.sent.eq(granted),
        ]
        return granted


class RoutedLinks(Joined):
    """Messages share the packets' links, and pass through routers that are no members.

    Rules: docs/microarchitecture-engine.md, L2.

    Parameters
    ----------
    router : Router
        By dimension, with messages of so many lanes on its links.
    engine : Engine
        Of a routed layout.
    layout : EngineLayout
    grid : Grid
    """

    def __init__(self, router: Router, engine: Engine, layout: EngineLayout, grid: Grid) -> None:
        self._layout, self._grid = layout, grid
        super().__init__(router, engine, ("in_", "out_", "hold"))

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        router: Any = self._router
        engine, layout, grid = self._engine, self._layout, self._grid
        links, lanes = range(layout.links), range(layout.lanes)
        slots = {p: Slots(layout, grid, p) for p in links if grid.axis_of(p) is not None}
        for p, arrived in slots.items():
            m.submodules[f"slots_{p}"] = arrived
            link, arrives = getattr(self, f"in_{p}"), getattr(engine, f"in_{p}")
            m.d.comb += [
                *(getattr(arrived, name).eq(getattr(self, name)) for name in grid.names),
                arrived.valid.eq(link.message_valid),
                arrived.message.as_value().eq(word_on(link)),
                arrives.valid.eq(arrived.here),
                arrives.message.as_value().eq(arrived.message.as_value()),
                getattr(router, f"message_{p}_credit").eq(arrived.credit),
            ]
        leaves: dict[tuple[int, int], Value] = {(p, c): Const(0, 1) for p in slots for c in lanes}
        for q in slots:
            places = [(p, c) for p, c in leaves if q in legal_turns(grid, p, c % CLASSES)]
            straight = tuple((c, grid.axis_of(p) == grid.axis_of(q)) for p, c in places)
            output = Output(layout, straight)
            m.submodules[f"messages_{q}"] = output
            own = getattr(engine, f"out_{q}")
            m.d.comb += [
                output.own.eq(own.valid),
                output.own_class.eq(own.route_class),
                output.own_word.eq(own.message),
                own.sent.eq(output.take[-1]),
                output.credit.eq(getattr(self, f"out_{q}").message_credit),
                getattr(router, f"message_{q}_valid").eq(output.valid),
                getattr(router, f"message_{q}").eq(output.message),
            ]
            if layout.dated:
                m.d.comb += output.dateline.eq(self.dateline[q])
            for i, (p, c) in enumerate(places):
                m.d.comb += [
                    output.ask[i].eq(getattr(slots[p], f"ask_{c}")[q]),
                    getattr(output, f"word_{i}").eq(getattr(slots[p], f"word_{c}")),
                ]
                leaves[p, c] = leaves[p, c] | output.take[i]
        for p, arrived in slots.items():
            m.d.comb += arrived.leave.eq(Cat(leaves[p, c] for c in lanes))
        m.d.comb += [
            engine.hold.eq(either([getattr(engine, f"out_{q}").valid for q in links])),
            # Nothing but a flit or a message arrives at a link, so there is room for the sum.
            self.overflows.eq(
                router.overflows + total([arrived.overflow for arrived in slots.values()])
            ),
        ]
        return m
