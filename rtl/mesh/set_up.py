"""Set-up through the network at a mesh node: its sink, and its manager if it has one."""

from typing import Any

from amaranth import Cat, Module
from amaranth.lib import wiring

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.unit import BarrierUnit
from syncfabric.rtl.setup.format import setup_format
from syncfabric.rtl.setup.local_port import LocalPort
from syncfabric.rtl.setup.manager import Manager
from syncfabric.rtl.setup.sink import SetupSink
from syncfabric.rtl.wires.unit import SINK_PORTS, WireUnit

__all__ = ["place_set_up"]


def place_set_up(
    m: Module,
    network: MeshSpec,
    node: Any,
    unit: BarrierUnit | WireUnit,
    router_in: Any,
    router_out: Any,
) -> SetupSink:
    """Place the set-up sink and the manager beside the LOCAL port and the config port.

    Parameters
    ----------
    m : Module
        The node's.
    network : MeshSpec
    node : MeshNode or WireNode
        Its links ``local_in`` and ``local_out``, its config port and who its manager is.
    unit : BarrierUnit or WireUnit
        What the sink reaches.
    router_in, router_out : LocalLinkSignature
        The LOCAL input and output of the router.

    Returns
    -------
    SetupSink
        Ends of messages' last barriers are still to be shown to it.
    """
    form = setup_format(network, network.manager_nodes)
    m.submodules.local_port = local = LocalPort(network)
    m.submodules.sink = sink = SetupSink(form)
    m.submodules.manager_part = manager = Manager(form)
    wiring.connect(m, wiring.flipped(node.local_in), local.local_in)
    wiring.connect(m, local.local_out, wiring.flipped(node.local_out))
    wiring.connect(m, local.router_in, router_in)
    wiring.connect(m, router_out, local.router_out)
    wiring.connect(m, sink.access, unit.access)
    config, inside = node.config, unit.config
    ours = config.valid & (config.node == node.index)
    m.d.comb += [
        manager.enabled.eq(node.manager),
        manager.index.eq(node.manager_index),
        manager.valid.eq(ours),
        manager.address.eq(config.address),
        manager.write.eq(config.write),
        manager.data.eq(config.data),
        inside.valid.eq(config.valid & ~manager.mine),
        inside.node.eq(config.node),
        inside.address.eq(config.address),
        inside.write.eq(config.write),
        inside.data.eq(config.data),
        config.ready.eq(inside.ready | manager.ready),
        config.error.eq(inside.error | manager.error),
        config.rdata.eq(inside.rdata | manager.rdata),
        unit.strays.eq(Cat(sink.stray, manager.stray, local.overflow.any())),
        unit.refused_write.eq(manager.refused_write),
    ]
    m.d.comb += [getattr(sink, name).eq(getattr(unit, name)) for name in SINK_PORTS]
    m.d.comb += [
        sink.router.eq(node.index),
        sink.valid.eq(local.sink_valid),
        sink.flit.eq(local.sink_flit),
        local.listening.eq(sink.listening),
        local.reply_valid.eq(sink.reply_valid),
        local.reply_flit.eq(sink.reply_flit),
        sink.reply_taken.eq(local.reply_taken),
        local.request_valid.eq(manager.request_valid),
        local.request_flit.eq(manager.request_flit),
        manager.request_taken.eq(local.request_taken),
        manager.reply_valid.eq(local.manager_valid),
        manager.reply_flit.eq(local.manager_flit),
    ]
    return sink
