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
        Registers.

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
                "straight": 4,
                "turned": 4,
                "up": 1,
                "gid": 8,
                "epoch": 2,
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
        m.submodules.turns = turns = SenderTurn(
            self._sources, ahead=bool(self._network.barrier_pipeline)
        )
        grant = turns.grant
        credit = [Cat(self.has_credit[2 * p], self.has_credit[2 * p + 1]) for p in range(4)]
        m.submodules.word = selector = Selector(self._sources, self._chosen.size)
        m.d.comb += selector.select.eq(grant)
        for i, source in enumerate(sources):
            shown = Signal(self._chosen, name=f"shown_{i}")
            parent = Mux(source.pending[4], source.up_port, 0)
            usual = [source.control.turn == child_class(p) for p in range(4)]
            m.d.comb += [
                # By each output in the class of a child's message, and in the other.
                shown.straight.eq(source.pending[:4] | (parent & Cat(usual))),
                shown.turned.eq(parent & ~Cat(usual)),
                shown.up.eq(source.pending[4]),
                shown.gid.eq(source.control.gid),
                shown.epoch.eq(source.control.epoch),
                shown.data.eq(source.data),
                getattr(selector, f"word_{i}").eq(shown),
            ]
        chosen = Signal(self._chosen)
        m.d.comb += chosen.eq(selector.word)
        # Without managers both are constant.
        wave, up_kind = (
            either([Mux(its, kind, 0) for its, kind in zip(grant, kinds, strict=True)])
            for kinds in ([s.wave for s in sources], [s.up_kind for s in sources])
        )
        up = self.up
        m.d.comb += [
            up.eq(chosen.up),
            self.grant.eq(grant),
            turns.willing.eq(
                Cat(s.soon if self._network.barrier_pipeline else s.pending.any() for s in sources)
            ),
            turns.asks.eq(up | chosen.straight.any()),
            turns.sends.eq(self.take.any()),
        ]
        sent = Signal(5)
        for p in range(4):
            message, place = getattr(self, f"message_{p}"), getattr(self, f"place_{p}")
            usual_class, turn = child_class(p), Signal(name=f"turn_{p}")
            m.d.comb += [
                self.offer[p].eq(
                    (chosen.straight[p] & credit[p][usual_class])
                    | (chosen.turned[p] & credit[p][1 - usual_class])
                ),
                turn.eq(chosen.turned[p] ^ usual_class),
                getattr(self, f"class_{p}").eq(Cat(~turn, turn)),
                message.kind.eq(Mux(up, up_kind, wave)),
                message.gid.eq(chosen.gid),
                message.epoch.eq(chosen.epoch),
                message.x.eq(place.x),
                message.y.eq(place.y),
                message.turn.eq(turn),
                message.data.eq(chosen.data),
                sent[p].eq(self.take[p] & ~up),
            ]
        m.d.comb += sent[4].eq(up & self.take.any())
        for i, source in enumerate(sources):
            m.d.comb += source.sent.eq(Mux(grant[i], sent, 0))
        return m
