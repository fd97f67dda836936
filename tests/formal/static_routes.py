"""Who may load routes: the loader takes words of the config port alone, and no node any other."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages.static import LoaderWord, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.config import RouteLoader
from syncfabric.rtl.static.node import StaticNode
from tests.formal.properties import Properties
from tests.formal.static_switch import CHAIN_BITS, CORE, COUNT, OUTPUT_BITS, PORTS

SPEC = StaticSpec(
    kind="static",
    width=2,
    height=2,
    flit_bits=1,
    switch_buffer=1,
    core_buffer=1,
    injection_buffer=1,
)
ASKED = {"asks": In(1), "node": In(3), "address": In(12), "writes": In(1), "data": In(32)}
WORD_BITS = 32
DIRECTIONS = PORTS[:CORE]


def _ask(m: Module, config: Any, given: Any) -> None:
    """Connect a config port with inputs that do anything."""
    m.d.comb += [
        config.valid.eq(given.asks),
        config.node.eq(given.node),
        config.address.eq(given.address),
        config.write.eq(given.writes),
        config.data.eq(given.data),
    ]


class LoaderProof(wiring.Component):
    """The loader of four switches; the config port asks anything (R5 of the static network's page).

    Members
    -------
    asks, node, address, writes, data : In
        The config port.
    """

    def __init__(self) -> None:
        super().__init__(ASKED)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.loader = loader = RouteLoader(SPEC)
        config: Any = loader.config
        _ask(m, config, self)
        left, rest = Signal(range(WORD_BITS + 1)), Signal(WORD_BITS)
        ours, takes, strobes, reads = Signal(), Signal(), Signal(), Signal()
        at_rest = left == 0
        m.d.comb += [
            ours.eq(self.asks & (self.node == SPEC.layout.loader)),
            takes.eq(ours & at_rest & self.writes & (self.address == LoaderWord.SHIFT)),
            strobes.eq(ours & at_rest & self.writes & (self.address == LoaderWord.STROBE)),
            reads.eq(ours & at_rest & ~self.writes & (self.address == LoaderWord.LENGTH)),
        ]
        with m.If(takes):
            m.d.sync += [left.eq(WORD_BITS), rest.eq(self.data)]
        with m.Elif(~at_rest):
            m.d.sync += [left.eq(left - 1), rest.eq(rest >> 1)]
        refused = ours & ~(takes | strobes | reads)
        claims.holds(
            "a word is shifted in 32 cycles, whatever comes", loader.route.shift == ~at_rest
        )
        claims.holds(
            "its bits come lowest first, as they were written",
            at_rest | (loader.route_in == rest[0]),
        )
        claims.holds(
            "routes are strobed by a word of the config port alone",
            loader.route.strobe == claims.before("strobes", strobes),
        )
        claims.holds(
            "what comes while it shifts is refused, and what it does not know",
            config.error == claims.before("refused", refused),
        )
        claims.holds(
            "one answer for each request",
            config.ready
            == (claims.before("others", ours & ~takes) | claims.before("ends", left == 1)),
        )
        claims.holds(
            "the chain's length is read",
            config.rdata == Mux(claims.before("reads", reads), SPEC.layout.chain_bits, 0),
        )
        middle = left == WORD_BITS - 9
        claims.reached(
            "a strobe is refused in the middle of a word", refused & self.writes & middle
        )
        claims.reached("a bit is shifted in", loader.route.shift & loader.route_in & middle)
        claims.reached("routes are strobed", loader.route.strobe)
        return m


class NodeRoutesProof(wiring.Component):
    """A whole node of the static network: links, process, loader and config port do anything.

    Members
    -------
    come, flits, credits, flush : In
        What the neighbours do.
    arrive, hold, send, word, take : In(1)
        What the process does.
    shift, strobe, route : In(1)
        What the loader does.
    asks, node, address, writes, data : In
        The config port.
    """

    def __init__(self) -> None:
        four = dict.fromkeys(("come", "flits", "credits", "flush"), In(CORE))
        one = dict.fromkeys(
            ("arrive", "hold", "send", "word", "take", "shift", "strobe", "route"), In(1)
        )
        super().__init__(four | one | ASKED)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.node = node = StaticNode(SPEC)
        here: Any = node
        _ask(m, here.config, self)
        for p, name in enumerate(DIRECTIONS):
            comes, leaves = getattr(here, f"{name}_in"), getattr(here, f"{name}_out")
            m.d.comb += [
                comes.valid.eq(self.come[p]),
                comes.flit.eq(self.flits[p]),
                comes.flush.eq(self.flush[p]),
                leaves.credit.eq(self.credits[p]),
            ]
        m.d.comb += [
            here.index.eq(0),
            here.route.shift.eq(self.shift),
            here.route.strobe.eq(self.strobe),
            here.route_in.eq(self.route),
            here.port.arrive.eq(self.arrive),
            here.port.hold.eq(self.hold),
            here.port.send_valid.eq(self.send),
            here.port.send_flit.eq(self.word),
            here.port.recv_take.eq(self.take),
        ]
        shadow, select = self._routes(m)
        moves = Cat(*(getattr(here, f"{n}_in").credit for n in DIRECTIONS), here.inject_credit)
        sent = Cat(*(getattr(here, f"{n}_out").valid for n in DIRECTIONS), here.eject_valid)
        expected = Cat(
            Cat(select[o][i] & moves[i] for i in range(COUNT) if i != o).any() for o in range(COUNT)
        )
        selected = Cat(
            Cat(select[o][i] for o in range(COUNT) if i != o).any() for i in range(COUNT)
        )
        claims.holds(
            "the chain is what the loader shifts in, whatever processes send",
            here.route_out == shadow[-1],
        )
        claims.holds("a flit leaves only by the routes that were strobed", sent == expected)
        claims.holds("where no route leads, everything stays", (moves & ~selected) == 0)

        asked = self.asks & (self.node == 0) & (self.address == StaticWord.ROLE)
        role, wrote = Signal(19), claims.before("wrote", asked & self.writes)
        word = claims.before("data", self.data[: len(role)])
        with m.If(wrote & ~here.config.error):
            m.d.sync += role.eq(word)
        claims.holds(
            "the role is what the config port has written, whatever processes send",
            ~claims.before("read", asked & ~self.writes) | (here.config.rdata == role),
        )
        claims.reached("a process sends by two ports", Cat(sent[:2], moves[CORE]).all())
        claims.reached("a role that is refused", wrote & here.config.error)
        return m

    def _routes(self, m: Module) -> tuple[Signal, list[dict[int, Value]]]:
        """Return the chain's bits here, and for each output by which input it is selected (R3)."""
        shadow, select = Signal(CHAIN_BITS), list[dict[int, Value]]()
        with m.If(self.shift):
            m.d.sync += shadow.eq(Cat(self.route, shadow[:-1]))
        for o in range(COUNT):
            kept = Signal(OUTPUT_BITS - 1, name=f"kept_{o}")
            with m.If(self.strobe):
                m.d.sync += kept.eq(shadow[OUTPUT_BITS * o :])
            others = [i for i in range(COUNT) if i != o]
            select.append(dict(zip(others, kept, strict=True)))
        return shadow, select
