"""Chooses which register of a switch or node interface sends in this cycle."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.ports import SenderSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.parts.gates import either

__all__ = ["Sender"]


class Sender(wiring.Component):
    """Sends all messages of one register whose outputs are open: one message, many ports.

    Round robin among the registers with at least one such output. No latency.

    Parameters
    ----------
    network : IrregularSpec
        Layouts.
    ports : int
        Outputs.
    sources : int, >= 1
        Registers.

    Members
    -------
    source_0 .. : In(SenderSignature)
        The registers.
    open : In(ports)
        Outputs by which a message may be sent.
    send : Out(ports)
        Outputs by which the message is sent.
    message : Out(sync message)
        The message; 0 if none is sent.
    """

    def __init__(self, network: IrregularSpec, ports: int, sources: int) -> None:
        self._network, self._ports, self._sources = network, ports, sources
        members: dict[str, Any] = {
            "open": In(ports),
            "send": Out(ports),
            "message": Out(struct(network.layout.sync)),
        }
        for i in range(sources):
            members[f"source_{i}"] = In(SenderSignature(network, ports))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        sources = [getattr(self, f"source_{i}") for i in range(self._sources)]
        m.submodules.arbiter = arbiter = RoundRobinArbiter(self._sources)
        m.d.comb += arbiter.advance.eq(1)
        send = []
        for i, source in enumerate(sources):
            able = Signal(self._ports, name=f"able_{i}")
            m.d.comb += [
                able.eq((source.children | source.parent) & self.open),
                arbiter.request[i].eq(able.any()),
                source.sent.eq(Mux(arbiter.grant[i], able, 0)),
            ]
            send.append(source.sent)

        def chosen(values: list[Any]) -> Any:
            return either([Mux(arbiter.grant[i], value, 0) for i, value in enumerate(values)])

        kinds = [Mux(source.children.any(), source.wave, source.up_kind) for source in sources]
        m.d.comb += [
            self.send.eq(chosen(send)),
            self.message.kind.eq(chosen(kinds)),
            self.message.gid.eq(chosen([source.gid for source in sources])),
            self.message.epoch.eq(chosen([source.epoch for source in sources])),
            self.message.data.eq(chosen([source.data for source in sources])),
        ]
        return m
