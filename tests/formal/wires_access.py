"""Who may do what at barrier wires: its process arrives, the config port does all else."""

from typing import Any

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BASE,
    TREE,
    WIRE_STATUS,
    Command,
    Counter,
    WireLayout,
    WireWord,
)
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.messages import struct
from syncfabric.rtl.wires.unit import WireUnit
from tests.formal.properties import Properties
from tests.formal.static_access import count_once

__all__ = ["SlotAccessProof"]

INDEX = 2
SLOTS = 2
LA, FAULT = 0, 3
KEPT = (1 << CONTROL.width) - 1 & ~CONTROL.pack({"turn": 1})


class SlotAccessProof(wiring.Component):
    """A unit of two slots beside another, which gets only what is allowed: both must be the same.

    Wires, process and config port do anything at all. What is allowed follows from the words that
    software has written, and from what ``observe`` shows of the slots' state, as W3 and W4 of
    docs/microarchitecture-wires.md have it.

    Parameters
    ----------
    links : int
    watchdog : int, optional

    Members
    -------
    wires : In
        What comes by the links.
    arrive : In(2)
        What the process does.
    asks, node, address, writes, data : In
        What the config port does.
    """

    def __init__(self, links: int, watchdog: int = 0) -> None:
        self._network = MeshSpec(kind="mesh", width=2, height=2)
        self._plane, self._links = WirePlane(SLOTS, 0, watchdog=watchdog), links
        asked = {"node": In(2), "address": In(12), "writes": In(1), "data": In(32)}
        wires = {"wires": In(links * self._plane.link.width), "arrive": In(SLOTS)}
        super().__init__(wires | {"asks": In(1)} | asked)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        shape = (self._network, self._plane, self._links)
        m.submodules.unit = unit = WireUnit(*shape, process=True)
        m.submodules.other = other = WireUnit(*shape, process=True)
        status, counters = self._shown(unit)

        ours, refused, taken = Signal(), Signal(), Signal(SLOTS)
        ready, given = Signal(SLOTS), struct(CONTROL)(self.data[: CONTROL.width])
        known = (self.data == Command.GO) | (self.data == Command.KILL)
        m.d.comb += ours.eq(self.asks & (self.node == INDEX))
        writes, allowed = ours & self.writes, list[Value]()
        reads: dict[str, list[Value]] = {"control": [], "tree": []}
        right: dict[str, list[Value]] = {"control": [], "tree": []}
        mask = WireLayout(self._links, True, 0).tree_mask
        for r in range(SLOTS):
            valid = Signal(name=f"valid_{r}")
            control = Signal(CONTROL.width, name=f"control_{r}")
            tree = Signal(TREE.width, name=f"tree_{r}")
            to_control, to_tree, to_command = (
                self.address == 8 * r + word
                for word in (WireWord.CONTROL, WireWord.TREE, WireWord.COMMAND)
            )
            opens = to_control & ~(given.valid & valid)
            allowed += [opens, to_tree & ~valid, to_command & known & valid]
            with m.If(writes & opens):
                m.d.sync += [valid.eq(given.valid), control.eq(given.as_value() & KEPT)]
            with m.If(writes & to_tree & ~valid):
                m.d.sync += tree.eq(self.data & mask)
            with m.If(writes & to_command & valid & (self.data == Command.KILL)):
                m.d.sync += valid.eq(0)
            member = struct(TREE)(tree).children[self._links]
            m.d.comb += ready[r].eq(valid & ~status[r][FAULT] & member)
            word = control & ~CONTROL.pack({"valid": 1}) | valid
            for name, there, now in (("control", to_control, word), ("tree", to_tree, tree)):
                reads[name].append(claims.before(f"read_{name}_{r}", ours & ~self.writes & there))
                right[name].append(claims.before(f"{name}_was_{r}", now))
        arrived = Cat(each[LA] for each in status)
        m.d.comb += [
            taken.eq(self.arrive & ready & ~arrived),
            refused.eq(writes & ~Cat(allowed).any()),
        ]
        self._drive(m, unit, self.arrive, self.asks)
        self._drive(m, other, taken, self.asks & ~refused)

        for name in reads:
            answers = [
                ~reads[name][r] | (unit.config.rdata == right[name][r]) for r in range(SLOTS)
            ]
            claims.holds(
                f"the {name} word is what software has written, whatever else comes",
                Cat(answers).all(),
            )
        claims.holds(
            "a write is refused exactly to a slot that is set up, or where there is none",
            (unit.config.ready == claims.before("ours", ours))
            & (
                ~claims.before("wrote", writes)
                | (unit.config.error == claims.before("no", refused))
            ),
        )
        claims.holds("only a member of a live slot is ready", unit.ready == ready)
        idle = self.arrive & ~taken
        count_once(claims, "refused arrivals", counters[Counter.REFUSED_ARRIVE], idle)
        count_once(claims, "refused writes", counters[Counter.REFUSED_WRITE], refused)
        before = claims.before("arrived", arrived) | claims.before("taken", taken)
        claims.holds("only an arrival that is taken counts", (arrived & ~before) == 0)
        self._same(claims, unit, other, claims.before("kept_back", refused))
        counts = COUNTER_BASE + Counter.REFUSED_ARRIVE
        told = claims.before("counts", ours & ~self.writes & (self.address == counts))
        claims.reached("two arrivals are refused in a cycle", told & (unit.config.rdata == 2))
        claims.reached(
            "a member of a slot with a fault is refused",
            (idle & Cat(each[FAULT] for each in status) & unit.done).any(),
        )
        claims.reached("who waits is refused, in both slots", (idle & arrived).all())
        claims.reached("a word is refused to a slot with an arrival", refused & arrived[1])
        return m

    def _drive(self, m: Module, unit: Any, arrive: Value, asks: Value) -> None:
        """Connect a unit: these are its own, all else both get alike."""
        width = self._plane.link.width
        for p in range(self._links):
            m.d.comb += getattr(unit, f"in_{p}").eq(self.wires[width * p : width * (p + 1)])
        m.d.comb += [
            unit.index.eq(INDEX),
            unit.arrive.eq(arrive),
            unit.config.valid.eq(asks),
            unit.config.node.eq(self.node),
            unit.config.address.eq(self.address),
            unit.config.write.eq(self.writes),
            unit.config.data.eq(self.data),
        ]

    def _shown(self, unit: Any) -> tuple[list[Value], list[Value]]:
        """Return the slots' states, and the counters."""
        width = WIRE_STATUS.width
        counters = unit.observe[SLOTS * width :]
        return (
            [unit.observe[width * r : width * (r + 1)] for r in range(SLOTS)],
            [counters.word_select(counter, 8) for counter in Counter],
        )

    def _same(self, claims: Properties, unit: Any, other: Any, kept_back: Value) -> None:
        """Claim that what is refused changes nothing but the counters of what is."""
        names = ["released", "ready", "done", "broken"]
        names += [f"out_{p}" for p in range(self._links)]
        pairs = [
            (Value.cast(getattr(unit, name)), Value.cast(getattr(other, name))) for name in names
        ]
        own, others = self._shown(unit), self._shown(other)
        pairs += zip(own[0], others[0], strict=True)
        pairs += [(own[1][c], others[1][c]) for c in (Counter.OVERFLOW, Counter.STRAY)]
        counted = claims.before("counter", self.address[2:] == COUNTER_BASE >> 2)
        answers = (unit.config.ready == other.config.ready) & (
            counted | (unit.config.rdata == other.config.rdata)
        )
        claims.holds(
            "what is refused changes nothing but its counter",
            Cat(one == two for one, two in pairs).all() & (kept_back | answers),
        )
