"""Who may do what at a static node: its process arrives, the config port does all else."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages.registers import COUNTER_BASE, Counter
from syncfabric.models.messages.static import INIT, Role, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.static.node import StaticCore
from tests.formal.properties import Properties

INDEX = 2
"""Number of the node among four and their loader."""
STATE = (("left", 16), ("owed", 6), ("back", 1), ("go", 1), ("begun", 1))
REFUSED = COUNTER_BASE + Counter.REFUSED_ARRIVE


def count_once(claims: Properties, name: str, count: Value, events: Value) -> None:
    """Claim that a counter is one more for every event (a bit), up to its greatest value."""
    plain, most = name.replace(" ", "_"), (1 << len(count)) - 1
    summed = claims.before(f"{plain}_count", count) + total(
        claims.before(f"{plain}_events", events)
    )
    claims.holds(f"{name}, each once, and nothing else", count == Mux(summed > most, most, summed))


class CoreAccessProof(wiring.Component):
    """A node's core beside another, which gets only what is allowed: both must be the same.

    Links, process and config port do anything at all. What is allowed follows from what ``observe``
    shows of the agents' state, as R4 and R5 of docs/microarchitecture-static.md have it.

    Parameters
    ----------
    core_buffer : int
    watchdog : int, optional

    Members
    -------
    come, flit, flush, credit, overflow : In
        What the switch does.
    arrive, hold, send, word, take : In
        What the process does.
    asks, node, address, writes, data : In
        What the config port does.
    """

    def __init__(self, core_buffer: int, watchdog: int = 0) -> None:
        self._network = StaticSpec(
            kind="static",
            width=2,
            height=2,
            flit_bits=1,
            core_buffer=core_buffer,
            injection_buffer=1,
            watchdog=watchdog,
        )
        bits = dict.fromkeys(
            ("come", "flit", "flush", "credit", "arrive", "hold", "send", "word", "take"), In(1)
        )
        asked = {"asks": In(1), "node": In(3), "address": In(12), "writes": In(1), "data": In(32)}
        super().__init__(bits | {"overflow": In(5)} | asked)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.core = core = StaticCore(self._network)
        m.submodules.other = other = StaticCore(self._network)
        fields, counters, _ = self._shown(core)

        role, flits = Signal(3), Signal(16)
        root = (role == Role.RING_ROOT) | (role == Role.TREE_ROOT)
        member = (role != Role.NONE) & (role < Role.ALONE)
        ready, waiting, taken, refused = Signal(), Signal(), Signal(), Signal()
        ours, writes = Signal(), Signal()
        to_role, to_command = (
            self.address == word for word in (StaticWord.ROLE, StaticWord.COMMAND)
        )
        busy = Cat(fields.values()).any()
        begins = (self.data == INIT) & root & ~fields["begun"] & ~self.flush
        to_timeout = (self.address == StaticWord.TIMEOUT) & bool(self._network.watchdog)
        m.d.comb += [
            ready.eq((role != Role.NONE) & (~root | fields["begun"])),
            waiting.eq(Mux(role == Role.TREE_ROOT, fields["go"], member & fields["left"].any())),
            taken.eq(self.arrive & ready & ~waiting & ~self.flush),
            ours.eq(self.asks & (self.node == INDEX)),
            writes.eq(ours & self.writes),
            refused.eq(writes & ~((to_role & ~busy & ~taken) | (to_command & begins) | to_timeout)),
        ]
        with m.If(writes & to_role & ~refused):
            m.d.sync += Cat(role, flits).eq(self.data)
        self._drive(m, core, self.arrive, self.send, self.take, self.asks)
        # The other gets nothing that is refused, and nothing of a process whose agent has the port.
        idle = role == Role.NONE
        self._drive(m, other, taken, self.send & idle, self.take & idle, self.asks & ~refused)

        was_read = claims.before("read_role", ours & ~self.writes & to_role)
        was_role = claims.before("role", Cat(role, flits))
        claims.holds(
            "the role is what the config port has written, whatever the process does",
            ~was_read | (core.config.rdata == was_role),
        )
        claims.holds(
            "a write is refused exactly while the agent is busy, or where there is none",
            (core.config.ready == claims.before("ours", ours))
            & (
                ~claims.before("wrote", writes)
                | (core.config.error == claims.before("no", refused))
            ),
        )
        claims.holds("who may arrive is ready", core.port.ready == ready)
        count_once(
            claims, "refused arrivals", counters[Counter.REFUSED_ARRIVE], self.arrive & ~taken
        )
        count_once(claims, "refused writes", counters[Counter.REFUSED_WRITE], refused)
        begun, inside = Signal(), Signal()
        m.d.sync += [
            begun.eq((begun | (writes & to_command & ~refused)) & ~self.flush),
            inside.eq((taken | (inside & ~core.port.released)) & ~self.flush),
        ]
        claims.holds("a root begins by INIT alone", fields["begun"] == begun)
        claims.holds(
            "only an arrival that is taken makes an agent wait",
            ~waiting | claims.before("waits", waiting) | claims.before("taken", taken),
        )
        claims.holds("a release is for an arrival that was taken", ~core.port.released | inside)
        self._same(claims, core, other, claims.before("kept_back", refused))
        claims.reached(
            "an arrival is refused, and counted",
            (core.config.rdata == 1)
            & claims.before("counts", ours & ~self.writes & (self.address == REFUSED)),
        )
        claims.reached("a role is refused to who waits", refused & to_role & waiting)
        claims.reached(
            "the root of a ring is released", core.port.released & (role == Role.RING_ROOT)
        )
        claims.reached(
            "the root of a tree is released", core.port.released & (role == Role.TREE_ROOT)
        )
        return m

    def _shown(self, core: StaticCore) -> tuple[dict[str, Value], list[Value], Value]:
        """Return the fields of the agents' state, the counters, and the flits in the buffer."""
        place = self._network.core_buffer.bit_length()
        number, fields = core.observe[:place], dict[str, Value]()
        for name, width in STATE:
            fields[name] = core.observe[place : place + width]
            place += width
        counters = core.observe[place:]
        return fields, [counters.word_select(counter, 8) for counter in Counter], number

    def _drive(
        self, m: Module, core: Any, arrive: Value, send: Value, take: Value, asks: Value
    ) -> None:
        """Connect a core: these are its own, all else both get alike."""
        config, port = core.config, core.port
        m.d.comb += [
            core.index.eq(INDEX),
            core.overflow.eq(self.overflow),
            core.eject.valid.eq(self.come),
            core.eject.flit.eq(self.flit),
            core.eject.flush.eq(self.flush),
            core.inject.credit.eq(self.credit),
            port.arrive.eq(arrive),
            port.hold.eq(self.hold),
            port.send_valid.eq(send),
            port.send_flit.eq(self.word),
            port.recv_take.eq(take),
            config.valid.eq(asks),
            config.node.eq(self.node),
            config.address.eq(self.address),
            config.write.eq(self.writes),
            config.data.eq(self.data),
        ]

    def _same(self, claims: Properties, core: Any, other: Any, kept_back: Value) -> None:
        """Claim that what is refused changes nothing but the counters of what is."""
        counted = claims.before("counter", self.address[2:] == COUNTER_BASE >> 2)
        pairs = [
            (getattr(one, name), getattr(two, name))
            for one, two, names in (
                (core.port, other.port, ("released", "ready", "done", "send_ready", "recv_valid")),
                (core.inject, other.inject, ("valid", "flit")),
                (core.eject, other.eject, ("credit",)),
            )
            for name in names
        ]
        own, others = self._shown(core), self._shown(other)
        pairs += [(own[0][name], others[0][name]) for name, _ in STATE]
        pairs += [(own[1][c], others[1][c]) for c in (Counter.OVERFLOW, Counter.STRAY)]
        pairs.append((own[2], others[2]))
        answers = (core.config.ready == other.config.ready) & (
            counted | (core.config.rdata == other.config.rdata)
        )
        claims.holds(
            "what is refused changes nothing but its counter",
            Cat(one == two for one, two in pairs).all() & (kept_back | answers),
        )
