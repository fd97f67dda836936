"""What the tiles of all kinds of network share: a process, packets, and the config port."""

from syncfabric.models.networks.spec import AnySpec, MessageSpec
from syncfabric.rtl.traffic.queue import put_flit
from syncfabric.rtl.traffic.source import goal_of
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.script import REPORT
from syncfabric.sim.assemble.streams import tile_ports
from syncfabric.sim.assemble.top import config_of_top
from syncfabric.sim.assemble.traffic import OF_SOURCE
from syncfabric.sim.assemble.verilog import ModuleWriter

__all__ = [
    "Ports",
    "config_ports",
    "end_ports",
    "join_config",
    "place_traffic",
    "process_ports",
    "start_tile",
]

Ports = dict[str, tuple[str, int]]
"""Direction and width of ports by name, but for ``clk`` and ``rst``."""


def config_ports(spec: AnySpec) -> Ports:
    """Return the ports of the config port."""
    return {name: (direction, width or 1) for direction, name, width in config_of_top(spec)}


def end_ports(spec: AnySpec, name: str, *, comes_in: bool) -> Ports:
    """Return the ports of a link's end called ``name``."""
    wires = link_wires(spec)
    return {
        f"{name}_{wire}": ("input" if comes_in != (wire in wires.back) else "output", width)
        for wire, width in wires.items()
    }


def process_ports(spec: MessageSpec) -> Ports:
    """Return the ports of a node's process, and of its packets and streams."""
    registers, data = spec.port_registers, spec.data_bits
    ports = {
        "index": ("input", 16),
        "arrive": ("input", registers),
        "data": ("input", registers * data),
        "released": ("output", registers),
        "result": ("output", registers * data),
        "last": ("input", registers),
        **dict.fromkeys(("ready", "done", "broken"), ("output", registers)),
    }
    if spec.managed:
        ports |= {"manager": ("input", 1), "manager_index": ("input", 2)}
    if spec.channels:
        ports |= _packet_ports(spec)
    if spec.shape.router.stream:
        ports |= tile_ports(spec.shape.router.stream)
    return {name: port for name, port in ports.items() if port[1]}


def _packet_ports(spec: MessageSpec) -> Ports:
    """Return the ports of packet source and packet sink."""
    ports = {
        "header": ("input", spec.layout.header.width),
        "cycle": ("input", 32),
        "traffic_load": ("input", 1),
        "traffic_seed": ("input", 32),
        "traffic_enable": ("input", 1),
        "traffic_rate": ("input", 24),
        "traffic_goal": ("input", goal_of(spec.layout.node_bits).size),
        "put_valid": ("input", 1),
        "put_flit": ("input", put_flit(spec.flit_bits).size),
    }
    return ports | {name: ("output", width) for name, width in REPORT.items()}


def start_tile(name: str, ports: Ports) -> ModuleWriter:
    """Return a tile with its ports declared, and nothing inside."""
    tile = ModuleWriter(name)
    for clock in ("clk", "rst"):
        tile.port("input", clock)
    for port, (direction, width) in ports.items():
        tile.port(direction, port, width)
    return tile


def join_config(spec: AnySpec) -> dict[str, str]:
    """Return the connections of a module's config port."""
    return {name.replace("_", "__", 1): name for name in config_ports(spec)}


def place_traffic(tile: ModuleWriter, spec: MessageSpec) -> None:
    """Place packet source and packet sink; the tile has the wires."""
    clocked: dict[str, str | None] = {"clk": "clk", "rst": "rst"}
    link = {f"link__{wire}": wire for wire in ("valid", "flit", "credit")}
    tile.instance(
        "packet_source",
        "source",
        {
            **clocked,
            "index": f"index[{spec.layout.node_bits - 1}:0]",
            "cycle": "cycle",
            **{name: f"traffic_{name}" for name in ("load", "seed", "enable", "rate", "goal")},
            **{f"put__{name}": f"put_{name}" for name in ("valid", "flit")},
            **{port: f"inject_{wire}" for port, wire in link.items()},
            **{name: name for name in OF_SOURCE},
        },
    )
    tile.instance(
        "packet_sink",
        "sink",
        {
            **clocked,
            "header": "header",
            "cycle": "cycle",
            "clear": "1'd0",
            **{port: f"eject_{wire}" for port, wire in link.items()},
            **{name: name for name in REPORT if name not in OF_SOURCE},
        },
    )
