"""Chooses which register sends in this cycle, and makes its messages."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.ports import SenderSignature, child_class
from syncfabric.rtl.messages import node_place, struct
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.parts.gates import either

__all__ = ["Sender"]


class Sender(wiring.Component):
    """Offers all messages of one register that hold a credit, each to its own output.

    Round robin among the registers with at least one such message, so that nobody waits for
    another group's credit. No latency.

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
        m.submodules.arbiter = arbiter = RoundRobinArbiter(self._sources)
        credit = [Cat(self.has_credit[2 * p], self.has_credit[2 * p + 1]) for p in range(4)]
        for i, source in enumerate(sources):
            m.d.comb += arbiter.request[i].eq(source.pending.any())
        m.d.comb += arbiter.advance.eq(1)

        def chosen(values: list[Any], name: str, width: int) -> Signal:
            signal = Signal(width, name=f"chosen_{name}")
            words = [Mux(arbiter.grant[i], value, 0) for i, value in enumerate(values)]
            m.d.comb += signal.eq(either(words))
            return signal

        pending = chosen([source.pending for source in sources], "pending", 5)
        gid = chosen([source.control.gid for source in sources], "gid", 8)
        epoch = chosen([source.control.epoch for source in sources], "epoch", 2)
        turn = chosen([source.control.turn for source in sources], "turn", 1)
        up_port = chosen([source.up_port for source in sources], "up_port", 4)
        data = chosen([source.data for source in sources], "data", self._network.data_bits)
        wave = chosen([source.wave for source in sources], "wave", 2)
        up_kind = chosen([source.up_kind for source in sources], "up_kind", 2)
        up = self.up
        m.d.comb += [up.eq(pending[4]), self.grant.eq(arbiter.grant)]
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
                message.gid.eq(gid),
                message.epoch.eq(epoch),
                message.x.eq(place.x),
                message.y.eq(place.y),
                message.turn.eq(Mux(up, turn, down_class)),
                message.data.eq(data),
                sent[p].eq(self.take[p] & ~up),
            ]
        m.d.comb += sent[4].eq(up & self.take.any())
        for i, source in enumerate(sources):
            m.d.comb += source.sent.eq(Mux(arbiter.grant[i], sent, 0))
        return m
