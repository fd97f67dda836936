"""Ordinary traffic at a network's nodes: the modules of source and sink, and their places."""

from collections.abc import Callable, Mapping

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.rtl.traffic.headers import header_words
from syncfabric.rtl.traffic.queue import QueueApart, WaitingQueue, queue_module
from syncfabric.rtl.traffic.sink import PacketSink
from syncfabric.rtl.traffic.source import PacketSource, queue_widths
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, part

OF_SOURCE = ("created", "sent", "overflow")
"""Counters of a source; the others are the sink's."""

TRAFFIC_MODULES = ("packet_source", "packet_sink")
"""Modules that are placed at every node."""


def traffic_verilog(spec: MessageSpec, queue: int, *, software: bool = True) -> str:
    """Return the modules of the packet source and the packet sink.

    Parameters
    ----------
    spec : MessageSpec
        The network.
    queue : int
        Packets that can wait at a source; a power of two.
    software : bool
        Nodes' software sends packets, too, and those of the generator go by a pattern.
    """
    packets, put = queue_widths(spec)
    sizes = [(width, queue) for width in sorted({packets, put} if software else {packets})]
    return "\n".join(
        (
            converted(_source, "packet_source", spec, queue, int(software)),
            converted(PacketSink, "packet_sink", spec),
            *(converted(WaitingQueue, queue_module(*size), *size) for size in sizes),
        )
    )


def _source(spec: MessageSpec, queue: int, software: int) -> PacketSource:
    whole = bool(software)
    return PacketSource(spec, queue=queue, make_queue=QueueApart, software=whole, patterns=whole)


def place_traffic(
    top: ModuleWriter,
    spec: MessageSpec,
    source: Callable[[int], Mapping[str, str]],
    sink: Callable[[int], Mapping[str, str]],
) -> None:
    """Place a packet source and a packet sink at every node.

    Parameters
    ----------
    top : ModuleWriter
        Has the wires of the network's ports for packets, ``clk``, ``rst`` and ``cycle``.
    spec : MessageSpec
        The network.
    source, sink : callable
        Ports of a node's source and sink, but those that all have alike.
    """
    layout, flit, channels = spec.layout, spec.layout.flit.width, spec.channels
    clocked = {"clk": "clk", "rst": "rst", "cycle": "cycle"}
    for i, header in enumerate(header_words(spec)):
        place = "_".join(map(str, spec.topology.node(i)))
        ports: dict[str, dict[str, str | None]] = {
            name: {
                **clocked,
                "link__valid": part(f"{way}_valid", i, channels),
                "link__flit": part(f"{way}_flit", i, flit),
                "link__credit": part(f"{way}_credit", i, channels),
            }
            for name, way in (("source", "inject"), ("sink", "eject"))
        }
        ports["source"] |= {"index": f"{layout.node_bits}'d{i}", **source(i)}
        ports["sink"] |= {"header": f"{layout.header.width}'d{header}", **sink(i)}
        for name in ("source", "sink"):
            top.instance(f"packet_{name}", f"{name}_{place}", ports[name])
