"""Chooses which register sends in this cycle, and makes its messages."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.ports import SenderSignature, child_class
from syncfabric.rtl.barrier.turn import SenderTurn
from syncfabric.rtl.messages import node_place, struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.selector import Selector

__all__ = ["Sender"]


class Sender(wiring.Component):
    """Offers all messages of one register that hold a credit, each to its own output.

    Whose turn it is says :class:`SenderTurn`. No latency.

    Parameters
    ----------
    network : MeshSpec
        Layouts.
    sources : int, >= 1
        Registers, the spill engine's send register included.

    Members
    -------
    source_0 .. : In(SenderSignature)
        The registers.
    has_credit : In(8)
        Bit 2·output + class.
    offer : Out(4)
        Outputs for which a message is offered.
    grant : Out(sources), up : Out(1)
        Who sends, one-hot, and that it is to its parent.
    place_0 .. place_3 : In(place)
        Where its message by each output goes.
    class_0 .. class_3 : Out(2), message_0 .. message_3 : Out(sync message)
        Class and contents for each output.
    take : In(4)
        Which of the offered messages are sent.
    """

    def __init__(self, network: MeshSpec, sources: int) -> None:
        self._network = network
        self._sources = sources
        self._chosen = data.StructLayout(
            {
                "pending": 5,
                "gid": 8,
                "epoch": 2,
                "turn": 1,
                "up_port": 4,
                "data": network.data_bits,
            }
        )
        members: dict[str, Any] = {"has_credit": In(8), "offer": Out(4), "take": In(4)}
        for i in range(sources):
            members[f"source_{i}"] = In(SenderSignature(network))
        members |= {"grant": Out(sources), "up": Out(1)}
        for p in range(4):
            members |= {
                f"place_{p}": In(node_place(network.layout)),
                f"class_{p}": Out(2),
                f"message_{p}": Out(struct(network.layout.sync)),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        sources = [getattr(self, f"source_{i}") for i in range(self._sources)]
        m.submodules.turns = turns = SenderTurn(self._sources, ahead=bool(self._network.barrier_pipeline))
        grant = turns.grant
        credit = [Cat(self.has_credit[2 * p], self.has_credit[2 * p + 1]) for p in range(4)]
        m.submodules.word = selector = Selector(self._sources, self._chosen.size)
        m.d.comb += selector.select.eq(grant)
        for i, source in enumerate(sources):
            shown = Signal(self._chosen, name=f"shown_{i}")
            m.d.comb += [
                shown.pending.eq(source.pending),
                shown.gid.eq(source.control.gid),
                shown.epoch.eq(source.control.epoch),
                shown.turn.eq(source.control.turn),
                shown.up_port.eq(source.up_port),
                shown.data.eq(source.data),
                getattr(selector, f"word_{i}").eq(shown),
            ]
        chosen = Signal(self._chosen)
        m.d.comb += chosen.eq(selector.word)
        # Without managers both are constant.
        wave, up_kind = (
            either([Mux(grant, kind, 0) for grant, kind in zip(grant, kinds, strict=True)])
            for kinds in ([s.wave for s in sources], [s.up_kind for s in sources])
        )
        pending, turn, up_port = chosen.pending, chosen.turn, chosen.up_port
        up = self.up
        m.d.comb += [
            up.eq(pending[4]),
            self.grant.eq(grant),
            turns.willing.eq(
                Cat(s.soon if self._network.barrier_pipeline else s.pending.any() for s in sources)
            ),
            turns.asks.eq(pending.any()),
            turns.sends.eq(self.take.any()),
        ]
        sent = Signal(5)
        for p in range(4):
            message, place = getattr(self, f"message_{p}"), getattr(self, f"place_{p}")
            down_class = child_class(p)
            m.d.comb += [
                self.offer[p].eq(
                    (pending[p] & credit[p][down_class])
                    | (up & up_port[p] & credit[p].bit_select(turn, 1))
                ),
                getattr(self, f"class_{p}").eq(Mux(up, Cat(~turn, turn), 2 if down_class else 1)),
                message.kind.eq(Mux(up, up_kind, wave)),
                message.gid.eq(chosen.gid),
                message.epoch.eq(chosen.epoch),
                message.x.eq(place.x),
                message.y.eq(place.y),
                message.turn.eq(Mux(up, turn, down_class)),
                message.data.eq(chosen.data),
                sent[p].eq(self.take[p] & ~up),
            ]
        m.d.comb += sent[4].eq(up & self.take.any())
        for i, source in enumerate(sources):
            m.d.comb += source.sent.eq(Mux(grant[i], sent, 0))
        return m
