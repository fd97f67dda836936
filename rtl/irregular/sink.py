"""The set-up sink of a switch: where its packets come from and its replies go."""

from typing import Any

from amaranth import Module
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.format import setup_format
from syncfabric.rtl.setup.sink import SetupSink

__all__ = ["place_sink", "sink_ports"]


def sink_ports(network: IrregularSpec) -> dict[str, Any]:
    """Return the members of a switch's unit that are its set-up sink's flits."""
    flit = struct(network.layout.flit)
    return {
        "number": In(network.layout.switch_bits),
        "setup_valid": In(1),
        "setup_flit": In(flit),
        "listening": Out(1),
        "reply_valid": Out(1),
        "reply_flit": Out(flit),
        "reply_manager": Out(2),
        "reply_taken": In(1),
    }


def place_sink(m: Module, network: IrregularSpec, unit: Any) -> SetupSink:
    """Place the sink, joined to these members of the unit; return it."""
    m.submodules.sink = sink = SetupSink(setup_format(network, network.manager_nodes))
    m.d.comb += [
        sink.router.eq(unit.number),
        sink.valid.eq(unit.setup_valid),
        sink.flit.eq(unit.setup_flit),
        unit.listening.eq(sink.listening),
        unit.reply_valid.eq(sink.reply_valid),
        unit.reply_flit.eq(sink.reply_flit),
        unit.reply_manager.eq(sink.reply_manager),
        sink.reply_taken.eq(unit.reply_taken),
    ]
    return sink
