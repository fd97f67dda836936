"""Streams' traffic at a network's nodes: the modules of source and sink, and their places."""

from collections.abc import Iterator, Mapping

from amaranth.lib.wiring import In

from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.stream_traffic import COMMAND, COUNTS, STALLS
from syncfabric.models.layout.streams import HEAD, StreamLayout
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.rtl.streams.process import AxisSignature
from syncfabric.rtl.streams.traffic import StreamSink, StreamSource
from syncfabric.sim.assemble.script import DATA, INDEX, WORD_BITS, StimulusKind
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, merged, part, zero

CONTROL = {
    "stream_put": 1,
    "stream_command": COMMAND.width,
    "stream_set": 1,
    "stream_stalls": STALLS.width,
}
"""Command of a node's source and sink, and its bits."""

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


def stream_ports(layout: StreamLayout | None) -> Iterator[tuple[str, str, int]]:
    """Yield name, direction and width of a process's AXI4-Stream ports, if it has them."""
    if not layout:
        return
    for bus, user in (("s_axis", HEAD.width), ("m_axis", 1)):
        signature = AxisSignature(layout, user)
        for name, member in signature.members.items():
            comes_in = (member.flow == In) == (bus == "m_axis")
            yield f"{bus}_{name}", "input" if comes_in else "output", member.shape


def axis_wires(layout: StreamLayout) -> Iterator[tuple[str, int]]:
    """Yield name and width of the wires between a process's ports and its source and sink."""
    for bus, user in (("s_axis", HEAD.width), ("m_axis", 1)):
        for name, member in AxisSignature(layout, user).members.items():
            yield f"{bus}_{name}", member.shape


def counts_of(layout: StreamLayout) -> dict[str, int]:
    """Return what a sink shows, in the order of a report, and its bits."""
    return {f"stream_{name}": 32 * layout.channels for name in COUNTS}


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
    for name, bus in (("source", "s_axis"), ("sink", "m_axis")):
        ports = dict(clocked)
        ports |= {
            f"axis__{wire.rpartition('_')[2]}": wires[wire]
            for wire, _ in axis_wires(_layout(shape))
            if wire.startswith(bus)
        }
        own = ("put", "command") if name == "source" else ("taken", "data", *COUNTS)
        ports |= {port: wires[f"stream_{port}"] for port in ("set", "stalls", *own)}
        ports |= {} if name == "source" else {"cycle": "cycle"}
        top.instance(f"stream_{name}", f"stream_{name}{place}", ports)


class Streams:
    """Sources and sinks of streams in a bench and in tiles.

    Parameters
    ----------
    spec : MessageSpec
        A network that has streams.
    """

    word_bits = COMMAND.width
    """Data of a word of the script."""

    def __init__(self, spec: MessageSpec) -> None:
        self._shape, self._layout = spec.shape.router, _layout(spec.shape.router)
        self._nodes, self._counts = len(spec.topology.nodes), counts_of(self._layout)
        self._wires = {**dict(axis_wires(self._layout)), "stream_data": self._layout.bits}
        self.report = tuple(self._counts)
        self.conditions = (f"stream_taken !== {zero(self._nodes)}",)

    def verilog(self, queue: int) -> str:
        """Return the modules."""
        return streams_verilog(self._shape)

    def modules(self, queue: int) -> tuple[str, ...]:
        """Return the names of those that stand at many nodes of a board."""
        return STREAM_MODULES

    def ports(self) -> Iterator[tuple[str, str, int]]:
        """Yield name, direction and width of a process's ports."""
        return stream_ports(self._layout)

    def wires(self) -> Iterator[tuple[str, int]]:
        """Yield name and width of the wires to a process."""
        return ((name, width) for name, _, width in self.ports())

    def inputs(self) -> list[tuple[str, int]]:
        """Return name and width of what the player drives for a cycle."""
        return [(name, self._nodes * width) for name, width in CONTROL.items()]

    def kept(self) -> list[tuple[str, int]]:
        """Return name and width of what the player drives until the next word: nothing."""
        return []

    def actions(self) -> dict[StimulusKind, str]:
        """Return what the player does at each kind of stimulus."""
        command = f"word[{WORD_BITS + COMMAND.width - 33}:{WORD_BITS}], {DATA}"
        return {
            StimulusKind.STREAM: _to_node("stream_put", "stream_command", f"{{{command}}}"),
            StimulusKind.STALL: _to_node("stream_set", "stream_stalls", DATA),
        }

    def place(self, bench: ModuleWriter) -> None:
        """Place a source and a sink at every node, their counters wires of the bench."""
        own = {"stream_taken": 1, "stream_data": self._layout.bits}
        for name, width in own.items():
            bench.wire(name, width * self._nodes)
        own |= {**CONTROL, **self._wires}
        for i in range(self._nodes):
            for name, width in self._counts.items():
                bench.wire(f"{name}_{i}", width)
            wires = {name: part(name, i, width) for name, width in own.items()}
            wires |= {name: f"{name}_{i}" for name in self._counts}
            place_streams(bench, self._shape, wires, f"_{i}")

    def prints(self) -> Iterator[str]:
        """Yield the statements of the probe that print the beats that are taken."""
        for i in range(self._nodes):
            fields = ", ".join(part(name, i, self._wires[name]) for name in BEAT)
            form = " ".join([f"m{i:x}", *(["%0h"] * len(BEAT))]).replace(" ", ":")
            taken = f"if ({part('stream_taken', i, 1)} !== 1'b0)"
            yield f'        {taken} $fwrite(probe_file, " {form}", {fields});'

    def tile_ports(self) -> dict[str, tuple[str, int]]:
        """Return direction and width of the ports of a tile's source and sink."""
        ports = {name: ("input", width) for name, width in {"cycle": 32, **CONTROL}.items()}
        shown = {"stream_taken": 1, **{name: self._wires[name] for name in BEAT}, **self._counts}
        return ports | {name: ("output", width) for name, width in shown.items()}

    def place_in_tile(self, tile: ModuleWriter, *, shown: bool) -> dict[str, str]:
        """Place a source and a sink; return how a process is joined."""
        ports, joined = self.tile_ports(), {}
        for name, width in axis_wires(self._layout):
            if name not in ports:
                tile.wire(name, width)
            bus, _, wire = name.rpartition("_")
            joined[f"{bus}__{wire}"] = name
        place_streams(tile, self._shape, {name: name for name in (*ports, *joined.values())})
        return joined

    def macros(self) -> Iterator[str]:
        """Yield what a fabric's program must know."""
        words = "; ".join(f"hex(line, t->{name}), line += ' '" for name in self._counts)
        yield f"#define STREAM_WORDS(t, line) {words}"
        words = "; ".join(f"line += ':', hex(line, t.{name})" for name in BEAT)
        yield f"#define BEAT_WORDS(t, line) {words}"


def _to_node(valid: str, word: str, value: str) -> str:
    width = CONTROL[word]
    return f"next_{valid}[{INDEX}] = 1; next_{word}[{INDEX} * {width} +: {width}] = {value};"
