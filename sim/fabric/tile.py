"""What the tiles of all kinds of network share: a process, packets, and the config port."""

from syncfabric.models.networks.spec import AnySpec, MessageSpec
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.parts import parts_of
from syncfabric.sim.assemble.top import config_of_top
from syncfabric.sim.assemble.verilog import ModuleWriter

Ports = dict[str, tuple[str, int]]
"""Direction and width of ports by name, except ``clk`` and ``rst``."""


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
    ports = own_ports(spec)
    for each in parts_of(spec):
        ports |= each.tile_ports()
    return ports


def own_ports(spec: MessageSpec) -> Ports:
    """Return the ports of a node's process, except its packets and streams."""
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
    return {name: port for name, port in ports.items() if port[1]}


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
