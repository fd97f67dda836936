"""Ordinary traffic at a network's nodes: the modules of source and sink, and their places.

A part of a bench, a board and a tile; the other is `sim.assemble.streams`.
"""

from collections.abc import Callable, Iterator, Mapping

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.rtl.traffic.headers import header_words
from syncfabric.rtl.traffic.queue import QueueApart, WaitingQueue, put_flit, queue_module
from syncfabric.rtl.traffic.sink import PacketSink
from syncfabric.rtl.traffic.source import PacketSource, goal_of, queue_widths
from syncfabric.sim.assemble.script import DATA, EXTRA, INDEX, REPORT, StimulusKind, payload
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
                "link__valid": part(f"{port}_valid", i, channels),
                "link__flit": part(f"{port}_flit", i, flit),
                "link__credit": part(f"{port}_credit", i, channels),
            }
            for name, port in (("source", "inject"), ("sink", "eject"))
        }
        ports["source"] |= {"index": f"{layout.node_bits}'d{i}", **source(i)}
        ports["sink"] |= {"header": f"{layout.header.width}'d{header}", **sink(i)}
        for name in ("source", "sink"):
            top.instance(f"packet_{name}", f"{name}_{place}", ports[name])


class Packets:
    """Sources and sinks of packets in a bench and in tiles.

    Parameters
    ----------
    spec : MessageSpec
        A network that takes packets.
    """

    word_bits = 0
    """Data of a word of the script."""

    conditions: tuple[str, ...] = ()
    """For a line of the probe."""

    report = tuple(REPORT)
    """What a line of the report has of a node."""

    def __init__(self, spec: MessageSpec) -> None:
        self._spec, self._nodes = spec, len(spec.topology.nodes)
        self._put, self._goal = put_flit(spec.flit_bits), goal_of(spec.layout.node_bits).size

    def verilog(self, queue: int) -> str:
        """Return the modules, for so many packets that wait at a source."""
        return traffic_verilog(self._spec, queue)

    def modules(self, queue: int) -> tuple[str, ...]:
        """Return the names of those that stand at many nodes of a board."""
        return (*TRAFFIC_MODULES, queue_module(queue_widths(self._spec)[0], queue))

    def ports(self) -> Iterator[tuple[str, str, int]]:
        """Yield name, direction and width of a process's ports."""
        channels, flit = self._spec.channels, self._spec.layout.flit.width
        for name, forth, back in (("inject", "input", "output"), ("eject", "output", "input")):
            yield f"{name}_valid", forth, channels
            yield f"{name}_flit", forth, flit
            yield f"{name}_credit", back, channels

    def wires(self) -> Iterator[tuple[str, int]]:
        """Yield name and width of the wires to a process."""
        channels, flit = self._spec.channels, self._spec.layout.flit.width
        for local in ("inject", "eject"):
            for wire, width in (("valid", channels), ("credit", channels), ("flit", flit)):
                yield f"{local}_{wire}", width

    def inputs(self) -> list[tuple[str, int]]:
        """Return name and width of what the player drives for a cycle."""
        nodes = self._nodes
        return [("traffic_load", 1), ("put_valid", nodes), ("put_flit", nodes * self._put.size)]

    def kept(self) -> list[tuple[str, int]]:
        """Return name and width of what the player drives until the next word."""
        kept = [("traffic_seed", 32), ("traffic_enable", 1), ("traffic_rate", 24)]
        return [*kept, ("traffic_goal", self._nodes * self._goal)]

    def actions(self) -> dict[StimulusKind, str]:
        """Return what the player does at each kind of stimulus."""
        goal, put = self._goal, self._put
        flags = f"word[{96 + put.size - put['payload'].width - 1}:96]"
        flit = f"{{{payload(self._spec.flit_bits)}, {flags}}}"
        return {
            StimulusKind.LOAD: f"next_traffic_load = 1; next_traffic_seed = {DATA};",
            StimulusKind.RATE: f"next_traffic_enable = {EXTRA}; next_traffic_rate = {DATA};",
            StimulusKind.GOAL: (
                f"next_traffic_goal[{INDEX} * {goal} +: {goal}] = {{{DATA}, word[96]}};"
            ),
            StimulusKind.PACKET: (
                f"next_put_valid[{INDEX}] = 1; "
                f"next_put_flit[{INDEX} * {put.size} +: {put.size}] = {flit};"
            ),
        }

    def place(self, bench: ModuleWriter) -> None:
        """Place a source and a sink at every node, their counters wires of the bench."""
        for i in range(self._nodes):
            for name, width in REPORT.items():
                bench.wire(f"{name}_{i}", width)

        def source(i: int) -> dict[str, str]:
            control = {name: f"traffic_{name}" for name in ("load", "seed", "enable", "rate")}
            return {
                **control,
                "goal": part("traffic_goal", i, self._goal),
                "put__valid": part("put_valid", i, 1),
                "put__flit": part("put_flit", i, self._put.size),
                **{name: f"{name}_{i}" for name in OF_SOURCE},
            }

        def sink(i: int) -> dict[str, str]:
            of_sink = {name: f"{name}_{i}" for name in REPORT if name not in OF_SOURCE}
            return {"clear": "1'd0", **of_sink}

        place_traffic(bench, self._spec, source, sink)

    def prints(self) -> Iterator[str]:
        """Yield the statements of the probe: packets are on links."""
        return iter(())

    def tile_ports(self) -> dict[str, tuple[str, int]]:
        """Return direction and width of the ports of a tile's source and sink."""
        ports = {
            "header": ("input", self._spec.layout.header.width),
            "cycle": ("input", 32),
            "traffic_load": ("input", 1),
            "traffic_seed": ("input", 32),
            "traffic_enable": ("input", 1),
            "traffic_rate": ("input", 24),
            "traffic_goal": ("input", self._goal),
            "put_valid": ("input", 1),
            "put_flit": ("input", self._put.size),
        }
        return ports | {name: ("output", width) for name, width in REPORT.items()}

    def place_in_tile(self, tile: ModuleWriter, *, shown: bool) -> dict[str, str]:
        """Place a source and a sink; return how a process is joined. Its wires may be shown."""
        for name, width in self.wires():
            if shown:
                tile.port("output", name, width)
            else:
                tile.wire(name, width)
        clocked: dict[str, str | None] = {"clk": "clk", "rst": "rst"}
        link = {f"link__{wire}": wire for wire in ("valid", "flit", "credit")}
        source = {
            "index": f"index[{self._spec.layout.node_bits - 1}:0]",
            "cycle": "cycle",
            **{name: f"traffic_{name}" for name in ("load", "seed", "enable", "rate", "goal")},
            **{f"put__{name}": f"put_{name}" for name in ("valid", "flit")},
            **{port: f"inject_{wire}" for port, wire in link.items()},
            **{name: name for name in OF_SOURCE},
        }
        sink = {
            **{"header": "header", "cycle": "cycle", "clear": "1'd0"},
            **{port: f"eject_{wire}" for port, wire in link.items()},
            **{name: name for name in REPORT if name not in OF_SOURCE},
        }
        tile.instance("packet_source", "source", {**clocked, **source})
        tile.instance("packet_sink", "sink", {**clocked, **sink})
        return {name.replace("_", "__"): name for name, _ in self.wires()}

    def macros(self) -> Iterator[str]:
        """Yield what a fabric's program must know."""
        words = "; ".join(f"hex(line, t->{name}), line += ' '" for name in REPORT)
        yield f"#define REPORT_WORDS(t, line) {words}"
