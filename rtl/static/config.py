"""Config ports of a static network: a node's role, command and state; the loader of routes."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.registers import COUNTER_BASE, Counter
from syncfabric.models.messages.static import (
    INIT,
    ROLE_WORD,
    STATUS_WORD,
    TIMEOUT_BITS,
    LoaderWord,
    StaticWord,
)
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.messages import struct
from syncfabric.rtl.static.ports import ConfigSignature, RouteSignature


class StaticConfig(wiring.Component):
    """Keeps the role, and answers requests for this node in the next cycle.

    Source: docs/microarchitecture-static.md, R5.

    Parameters
    ----------
    network : StaticSpec
        Its size: how many targets there are.

    Members
    -------
    index : In
        Number of this node.
    config : In(ConfigSignature)
        The network's config port; other nodes' requests are not answered.
    idle : In(1)
        The agent's state is 0, and stays so: the role may be written.
    startable : In(1)
        The role is a root's, and it has not begun: INIT is accepted.
    status : In(STATUS_WORD)
        What STATUS shows.
    counters : In
        The counters' values.
    role : Out(ROLE_WORD)
        The role, and the flits of an episode.
    init : Out(1)
        INIT is accepted in this cycle.
    refused_write : Out(1)
        A write was refused in this cycle.
    timeout : Out(16)
        Only with a watchdog: cycles that a process may wait.
    """

    def __init__(self, network: StaticSpec) -> None:
        self._watchdog = network.watchdog
        timeout = {"timeout": Out(TIMEOUT_BITS, init=network.watchdog)}
        super().__init__(
            {
                **(timeout if network.watchdog else {}),
                "index": In(network.layout.target_bits),
                "config": In(ConfigSignature(network)),
                "idle": In(1),
                "startable": In(1),
                "status": In(struct(STATUS_WORD)),
                "counters": In(len(Counter) * COUNTER_BITS),
                "role": Out(struct(ROLE_WORD)),
                "init": Out(1),
                "refused_write": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config, address = self.config, self.config.address
        ours, writes, to_counter = Signal(), Signal(), Signal()
        asks_init, to_word = Signal(), Signal(len(StaticWord))
        m.d.comb += [
            ours.eq(config.valid & (config.node == self.index)),
            writes.eq(ours & config.write),
            to_word.eq(Cat(address == word for word in StaticWord)),
            # The counters are at a power of two, and there are as many.
            to_counter.eq(address[2:] == COUNTER_BASE >> 2),
            asks_init.eq(to_word[StaticWord.COMMAND] & (config.data == INIT) & self.startable),
            self.init.eq(writes & asks_init),
        ]
        readable = to_word[StaticWord.ROLE] | to_word[StaticWord.STATUS] | to_counter
        writable = (to_word[StaticWord.ROLE] & self.idle) | asks_init
        if self._watchdog:
            readable |= to_word[StaticWord.TIMEOUT]
            writable |= to_word[StaticWord.TIMEOUT]
            with m.If(writes & to_word[StaticWord.TIMEOUT]):
                m.d.sync += self.timeout.eq(config.data)
        error = Signal()
        m.d.comb += [
            error.eq(Mux(config.write, ~writable, ~readable)),
            self.refused_write.eq(writes & error),
        ]
        with m.If(writes & to_word[StaticWord.ROLE] & self.idle):
            m.d.sync += self.role.eq(config.data)
        held = Signal(32)
        with m.If(to_counter):
            m.d.comb += held.eq(self.counters.word_select(address[:2], COUNTER_BITS))
        with m.Elif(to_word[StaticWord.ROLE]):
            m.d.comb += held.eq(self.role.as_value())
        with m.Elif(to_word[StaticWord.STATUS]):
            m.d.comb += held.eq(self.status.as_value())
        if self._watchdog:
            with m.Elif(to_word[StaticWord.TIMEOUT]):
                m.d.comb += held.eq(self.timeout)
        m.d.sync += [
            config.ready.eq(ours),
            config.error.eq(ours & error),
            config.rdata.eq(Mux(ours & ~config.write, held, Const(0, 32))),
        ]
        return m


WORD_BITS = 32


class RouteLoader(wiring.Component):
    """Shifts words into the chain, a bit a cycle, and strobes.

    Source: docs/microarchitecture-static.md, R5.

    Parameters
    ----------
    network : StaticSpec
        Its size: the loader's number, and the length of the chain.

    Members
    -------
    config : In(ConfigSignature)
        The network's config port.
    route : Out(RouteSignature), route_in : Out(1)
        To all switches, and to the chain's first.
    """

    def __init__(self, network: StaticSpec) -> None:
        self._layout = network.layout
        super().__init__(
            {
                "config": In(ConfigSignature(network)),
                "route": Out(RouteSignature()),
                "route_in": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config = self.config
        word, done = Signal(WORD_BITS), Signal(range(WORD_BITS))
        shifting, ends, ours, takes = Signal(), Signal(), Signal(), Signal()
        to_word, allowed = Signal(len(LoaderWord)), Signal()
        m.d.comb += [
            self.route.shift.eq(shifting),
            self.route_in.eq(word[0]),
            ends.eq(shifting & (done == WORD_BITS - 1)),
            ours.eq(config.valid & (config.node == self._layout.loader)),
            to_word.eq(Cat(config.address == word for word in LoaderWord)),
            allowed.eq(
                ~shifting
                & Mux(
                    config.write,
                    to_word[LoaderWord.SHIFT] | to_word[LoaderWord.STROBE],
                    to_word[LoaderWord.LENGTH],
                )
            ),
            takes.eq(ours & allowed & config.write & to_word[LoaderWord.SHIFT]),
        ]
        m.d.sync += [
            self.route.strobe.eq(ours & allowed & to_word[LoaderWord.STROBE]),
            shifting.eq(takes | (shifting & ~ends)),
            done.eq(Mux(shifting, done + 1, 0)),
            word.eq(Mux(takes, config.data, word[1:])),
            config.ready.eq((ours & ~takes) | ends),
            config.error.eq(ours & ~allowed),
            config.rdata.eq(Mux(ours & allowed & ~config.write, self._layout.chain_bits, 0)),
        ]
        return m
