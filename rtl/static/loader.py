"""What loads the routes of all switches, over the config port."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import LoaderWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.ports import ConfigSignature, RouteSignature

__all__ = ["RouteLoader"]

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
