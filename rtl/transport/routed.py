"""Messages that pass through routers to the next member: paper BTM's two classes."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.gates import either, total
from syncfabric.rtl.parts.selector import Selector
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import EAST, NORTH, SOUTH, WEST
from syncfabric.rtl.transport.link import Joined, word_on

__all__ = ["CLASSES", "Output", "RoutedLinks", "Slots", "legal_turns"]

CLASSES, LINKS = 2, 4


def legal_turns(link: int, route_class: int) -> tuple[int, ...]:
    """Return the outputs of a passing message, straight on first; class 0 turns into columns."""
    straight = (link + 2) % LINKS
    along_rows = link in (EAST, WEST)
    turns = (NORTH, SOUTH) if along_rows else (EAST, WEST)
    return (straight, *(turns if along_rows == (route_class == 0) else ()))


class Slots(wiring.Component):
    """Messages that arrive at a link: for this router's engine, or into a slot a class.

    Rules: docs/microarchitecture-engine.md, L2 (3 to 6).

    Parameters
    ----------
    layout : EngineLayout
    link : int
        EAST, NORTH, WEST or SOUTH.

    Members
    -------
    x, y : In
        Of the router.
    valid : In(2), message : In(link_message)
        What arrives, a bit a class.
    here : Out(1)
        It is for this router.
    ask_0, ask_1 : Out(4), word_0, word_1 : Out(link_message)
        Of each slot: output that its message leaves by, one-hot, or 0; the message.
    leave : In(2)
        It leaves.
    credit : Out(2)
        A slot is free again, or was not needed.
    overflow : Out(1)
        A message is dropped.
    """

    def __init__(self, layout: EngineLayout, link: int) -> None:
        self._link = link
        word = struct(layout.link_message)
        members: dict[str, Any] = {
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "valid": In(CLASSES),
            "message": In(word),
            "here": Out(1),
            "leave": In(CLASSES),
            "credit": Out(CLASSES),
            "overflow": Out(1),
        }
        for c in range(CLASSES):
            members |= {f"ask_{c}": Out(LINKS), f"word_{c}": Out(word)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        message = self.message
        same = Signal()
        m.d.comb += [
            same.eq((message.x == self.x) & (message.y == self.y)),
            self.here.eq(self.valid.any() & same),
        ]
        drops = []
        for c in range(CLASSES):
            full, enters, free = (Signal(name=f"{name}_{c}") for name in ("full", "enters", "free"))
            m.d.comb += [enters.eq(self.valid[c] & ~same & ~full)]
            m.d.sync += [
                full.eq(enters | (full & ~self.leave[c])),
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

    def _route(self, m: Module, route_class: int, full: Signal) -> dict[int, Value]:
        """Return the output of the message in a slot, as found when it arrived."""
        straight, *turns = legal_turns(self._link, route_class)
        if not turns:
            return {straight: Const(1, 1)}
        x, y = self.message.x, self.message.y
        if straight in (EAST, WEST):
            passes, forth = x != self.x, y > self.y
        else:
            passes, forth = y != self.y, x > self.x
        on, up = Signal(name=f"on_{route_class}"), Signal(name=f"up_{route_class}")
        with m.If(~full):
            m.d.sync += [on.eq(passes), up.eq(forth)]
        # NORTH and EAST are up.
        up_turn, down_turn = turns
        return {straight: on, up_turn: ~on & up, down_turn: ~on & ~up}


class Output(wiring.Component):
    """Sends one of the messages that ask for a link, if there is a credit of its class.

    Rules: docs/microarchitecture-engine.md, L2 (7, 10, 11).

    Parameters
    ----------
    layout : EngineLayout
    classes : tuple of int
        Of each slot whose messages can take this output.

    Members
    -------
    ask : In(slots), word_0 .. : In(link_message)
        By slot: its message asks for this output.
    own : In(1), own_class : In(1), own_word : In(link_message)
        The engine's message.
    take : Out(slots + 1)
        What leaves; the engine's last.
    credit : In(2)
        Per class: the receiver has a slot free again.
    valid : Out(2), message : Out
        To the link.
    """

    def __init__(self, layout: EngineLayout, classes: tuple[int, ...]) -> None:
        self._classes = classes
        word, count = struct(layout.link_message), len(classes)
        members: dict[str, Any] = {f"word_{i}": In(word) for i in range(count)}
        members |= {
            "ask": In(count),
            "own": In(1),
            "own_class": In(1),
            "own_word": In(word),
            "take": Out(count + 1),
            "credit": In(CLASSES),
            "valid": Out(CLASSES),
            "message": Out(layout.link_message.width),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = len(self._classes)
        m.submodules.word = word = Selector(count + 1, len(self.message))
        engine_takes = []
        for c in range(CLASSES):
            slots = [i for i, slot in enumerate(self._classes) if slot == c]
            own = self.own & (self.own_class if c else ~self.own_class)
            m.submodules[f"arbiter_{c}"] = arbiter = LeastRecentArbiter(len(slots) + 1)
            m.submodules[f"credit_{c}"] = credit = CreditCounter(1)
            # Class 0 goes first: its next credit is three cycles away, at the least.
            goes = Signal(name=f"goes_{c}")
            m.d.comb += [
                goes.eq(credit.available & (~self.valid[0] if c else 1)),
                arbiter.request.eq(Cat(*(self.ask[i] for i in slots), own)),
                arbiter.sent.eq(Mux(goes, arbiter.grant, 0)),
                self.valid[c].eq(goes & arbiter.request.any()),
                credit.credit.eq(self.credit[c]),
                credit.spend.eq(self.valid[c]),
                *(self.take[i].eq(arbiter.sent[k]) for k, i in enumerate(slots)),
            ]
            engine_takes.append(arbiter.sent[-1])
        m.d.comb += [
            self.take[count].eq(Cat(engine_takes).any()),
            word.select.eq(self.take),
            *(getattr(word, f"word_{i}").eq(getattr(self, f"word_{i}")) for i in range(count)),
            getattr(word, f"word_{count}").eq(self.own_word),
            self.message.eq(word.word),
        ]
        return m


class RoutedLinks(Joined):
    """Messages share the packets' links, and pass through routers that are no members.

    Rules: docs/microarchitecture-engine.md, L2.

    Parameters
    ----------
    router : Router
        X-Y, with messages of two classes on its four links.
    engine : Engine
        Of a routed layout.
    layout : EngineLayout
    """

    def __init__(self, router: Router, engine: Engine, layout: EngineLayout) -> None:
        self._layout = layout
        super().__init__(router, engine, ("in_", "out_", "hold"))

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        router: Any = self._router
        engine = self._engine
        slots = [Slots(self._layout, p) for p in range(LINKS)]
        for p, arrived in enumerate(slots):
            m.submodules[f"slots_{p}"] = arrived
            link, arrives = getattr(self, f"in_{p}"), getattr(engine, f"in_{p}")
            m.d.comb += [
                arrived.x.eq(self.x),
                arrived.y.eq(self.y),
                arrived.valid.eq(link.message_valid),
                arrived.message.as_value().eq(word_on(link)),
                arrives.valid.eq(arrived.here),
                arrives.message.as_value().eq(arrived.message.as_value()),
                getattr(router, f"message_{p}_credit").eq(arrived.credit),
            ]
        leaves: list[list[Value]] = [[Const(0, 1)] * CLASSES for _ in slots]
        for q in range(LINKS):
            places = [
                (p, c) for p in range(LINKS) for c in range(CLASSES) if q in legal_turns(p, c)
            ]
            output = Output(self._layout, tuple(c for _, c in places))
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
            for i, (p, c) in enumerate(places):
                m.d.comb += [
                    output.ask[i].eq(getattr(slots[p], f"ask_{c}")[q]),
                    getattr(output, f"word_{i}").eq(getattr(slots[p], f"word_{c}")),
                ]
                leaves[p][c] = leaves[p][c] | output.take[i]
        m.d.comb += [arrived.leave.eq(Cat(leaves[p])) for p, arrived in enumerate(slots)]
        m.d.comb += [
            engine.hold.eq(either([getattr(engine, f"out_{q}").valid for q in range(LINKS)])),
            # Nothing but a flit or a message arrives at a link, so there is room for the sum.
            self.overflows.eq(router.overflows + total([arrived.overflow for arrived in slots])),
        ]
        return m
