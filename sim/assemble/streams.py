"""Streams' traffic at a network's nodes: the modules of source and sink, and their places."""

from collections.abc import Iterator, Mapping

from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.stream_traffic import COMMAND, COUNTS, STALLS
from syncfabric.models.layout.streams import HEAD, StreamLayout
from syncfabric.rtl.streams.process import AxisSignature
from syncfabric.rtl.streams.sink import StreamSink
from syncfabric.rtl.streams.source import StreamSource
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, merged

CONTROL = {
    "stream_put": 1,
    "stream_command": COMMAND.width,
    "stream_set": 1,
    "stream_stalls": STALLS.width,
}
"""What tells a node's source and sink what to do, and its bits."""

BEAT = ("m_axis_tid", "m_axis_tlast", "m_axis_tkeep", "m_axis_tuser", "stream_data")
"""Wires of a beat as a probe shows it."""


STREAM_MODULES = ("stream_source", "stream_sink")
"""Modules that are placed at every node."""


def streams_verilog(shape: NodeShape) -> str:
    """Return the modules of the source and the sink of streams."""
    made = zip((_source, _sink), STREAM_MODULES, strict=True)
    return merged(*(converted(make, name, shape) for make, name in made))


def _source(shape: NodeShape) -> StreamSource:
    return StreamSource(_layout(shape))


def _sink(shape: NodeShape) -> StreamSink:
    return StreamSink(_layout(shape))


def _layout(shape: NodeShape) -> StreamLayout:
    assert shape.stream
    return shape.stream


def axis_wires(layout: StreamLayout) -> Iterator[tuple[str, int]]:
    """Yield name and width of the wires between a process's ports and its source and sink."""
    for way, user in (("s_axis", HEAD.width), ("m_axis", 1)):
        for name, member in AxisSignature(layout, user).members.items():
            yield f"{way}_{name}", member.shape


def counts_of(layout: StreamLayout) -> dict[str, int]:
    """Return what a sink shows, in the order of a report, and its bits."""
    return {f"stream_{name}": 32 * layout.channels for name in COUNTS}


def tile_ports(layout: StreamLayout) -> dict[str, tuple[str, int]]:
    """Return direction and width of what a tile shows of its source and sink, and tells them."""
    wires = {**dict(axis_wires(layout)), "stream_data": layout.bits}
    ports = {name: ("input", width) for name, width in {"cycle": 32, **CONTROL}.items()}
    shown = {"stream_taken": 1, **{name: wires[name] for name in BEAT}, **counts_of(layout)}
    return ports | {name: ("output", width) for name, width in shown.items()}


def place_in_tile(tile: ModuleWriter, shape: NodeShape) -> dict[str, str]:
    """Place a source and a sink in a tile with `tile_ports`; return how a process is joined."""
    layout = _layout(shape)
    shown = tile_ports(layout)
    joined = {}
    for name, width in axis_wires(layout):
        if name not in shown:
            tile.wire(name, width)
        way, _, wire = name.rpartition("_")
        joined[f"{way}__{wire}"] = name
    place_streams(tile, shape, {name: name for name in (*shown, *joined.values())})
    return joined


def place_streams(
    top: ModuleWriter, shape: NodeShape, wires: Mapping[str, str], place: str = ""
) -> None:
    """Place the source and the sink of streams of a node.

    Parameters
    ----------
    top : ModuleWriter
        Has ``clk``, ``rst`` and ``cycle``.
    shape : NodeShape
    wires : mapping of str to str
        What stands for each of ``CONTROL``, `axis_wires`, `counts_of`, ``stream_taken`` and
        ``stream_data``.
    place : str
        Ends the instances' names.
    """
    clocked: dict[str, str | None] = {"clk": "clk", "rst": "rst"}
    for name, way in (("source", "s_axis"), ("sink", "m_axis")):
        ports = dict(clocked)
        ports |= {
            f"axis__{wire.rpartition('_')[2]}": wires[wire]
            for wire, _ in axis_wires(_layout(shape))
            if wire.startswith(way)
        }
        own = ("put", "command") if name == "source" else ("taken", "data", *COUNTS)
        ports |= {port: wires[f"stream_{port}"] for port in ("set", "stalls", *own)}
        ports |= {} if name == "source" else {"cycle": "cycle"}
        top.instance(f"stream_{name}", f"stream_{name}{place}", ports)
