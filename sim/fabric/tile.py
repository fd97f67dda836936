"""A tile: one node of the mesh, with its packet source, packet sink and barrier member."""

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.traffic.member import JITTER_BITS, BarrierMember
from syncfabric.sim.assemble.bench import REPORT, traffic_verilog
from syncfabric.sim.assemble.mesh import (
    NETWORK_PORTS,
    ROUTER,
    link_wires,
    node_bits,
    observe_bits,
    router_verilog,
)
from syncfabric.sim.assemble.verilog import ModuleWriter, convert

__all__ = ["TILE", "tile_ports", "tile_verilog"]

TILE = "tile"

_CONFIG_IN = ("valid", "node", "address", "write", "data")
_CONFIG_OUT = {"ready": 1, "error": 1, "rdata": 32}
_SPILL = {
    "arrive__valid": "input",
    "arrive__gid": "input",
    "arrive__data": "input",
    "release__valid": "output",
    "release__gid": "output",
    "release__result": "output",
}


def tile_ports(spec: MeshSpec) -> dict[str, tuple[str, int]]:
    """Return direction and width of each of the tile's ports, but for ``clk`` and ``rst``."""
    layout, registers, data = spec.layout, spec.barrier_registers, spec.data_bits
    ports = {
        "x": ("input", layout.x_bits),
        "y": ("input", layout.y_bits),
        "index": ("input", node_bits(spec)),
        "cycle": ("input", 32),
        "start": ("input", 1),
        "arrive": ("input", registers),
        "data": ("input", registers * data),
        "arrives": ("output", registers),
        "released": ("output", registers),
        "result": ("output", registers * data),
        "observe": ("output", observe_bits(spec)),
        "traffic_load": ("input", 1),
        "traffic_seed": ("input", 32),
        "traffic_enable": ("input", 1),
        "traffic_rate": ("input", 24),
        "member": ("input", registers),
        "member_load": ("input", 1),
        "member_seed": ("input", 32),
        "member_enable": ("input", 1),
        "member_jitter": ("input", JITTER_BITS),
    }
    widths = {"valid": 1, "node": node_bits(spec), "address": 12, "write": 1, "data": 32}
    ports |= {f"config_{name}": ("input", widths[name]) for name in _CONFIG_IN}
    ports |= {f"config_{name}": ("output", width) for name, width in _CONFIG_OUT.items()}
    wires = link_wires(spec)
    for port in NETWORK_PORTS:
        side = port.name.lower()
        for wire, width in wires.items():
            back = wire in wires.back
            ports[f"{side}_in_{wire}"] = ("output" if back else "input", width)
            ports[f"{side}_out_{wire}"] = ("input" if back else "output", width)
    for local in ("inject", "eject"):
        ports[f"{local}_valid"] = ("output", spec.channels)
        ports[f"{local}_credit"] = ("output", spec.channels)
        ports[f"{local}_flit"] = ("output", layout.flit.width)
    if spec.spill:
        for name, direction in _SPILL.items():
            width = {"valid": 1, "gid": 8}.get(name.split("__")[1], data)
            ports[f"spill_{name.replace('__', '_')}"] = (direction, width)
    ports |= {name: ("output", width) for name, width in REPORT.items()}
    return {name: port for name, port in ports.items() if port[1]}


def tile_verilog(spec: MeshSpec, *, queue: int = 16384) -> str:
    """Return the Verilog of a tile and all that it is made of."""
    tile, ports = ModuleWriter(TILE), tile_ports(spec)
    for name in ("clk", "rst"):
        tile.port("input", name)
    for name, (direction, width) in ports.items():
        tile.port(direction, name, width)
    registers, data = spec.barrier_registers, spec.data_bits
    tile.wire("member_arrive", registers)
    tile.wire("member_data", registers * data)
    tile.assign("arrives", "arrive | member_arrive")
    clocked: dict[str, str | None] = {"clk": "clk", "rst": "rst", "index": "index"}
    node = {**clocked, "x": "x", "y": "y", "start": "start", "arrive": "arrives"}
    node |= {"released": "released", "observe": "observe", "ready": "", "done": ""}
    if data:
        node |= {"data": "data | member_data", "result": "result"}
    node |= {f"config__{name}": f"config_{name}" for name in (*_CONFIG_IN, *_CONFIG_OUT)}
    for port in NETWORK_PORTS:
        for wire in link_wires(spec):
            for way in ("in", "out"):
                side = f"{port.name.lower()}_{way}"
                node[f"{side}__{wire}"] = f"{side}_{wire}"
    for local, name in (("local_in", "inject"), ("local_out", "eject")):
        node |= {f"{local}__{wire}": f"{name}_{wire}" for wire in ("valid", "flit", "credit")}
    if spec.spill:
        spilled = {f"spill_{name}": f"spill_{name.replace('__', '_')}" for name in _SPILL}
        node |= {name: wire for name, wire in spilled.items() if wire in ports}
        node["spill_arrive__ready"] = ""
    tile.instance(ROUTER, "node", node)

    source = ("created", "sent", "overflow")
    sink = tuple(name for name in REPORT if name not in source)
    link = {f"link__{wire}": wire for wire in ("valid", "flit", "credit")}
    tile.instance(
        "packet_source",
        "source",
        {
            **clocked,
            "cycle": "cycle",
            **{name: f"traffic_{name}" for name in ("load", "seed", "enable", "rate")},
            **{port: f"inject_{wire}" for port, wire in link.items()},
            **{name: name for name in source},
        },
    )
    tile.instance(
        "packet_sink",
        "sink",
        {
            **clocked,
            "cycle": "cycle",
            "x": "x",
            "y": "y",
            **{port: f"eject_{wire}" for port, wire in link.items()},
            **{name: name for name in sink},
        },
    )
    tile.instance(
        "barrier_member",
        "process",
        {
            **clocked,
            "member": "member",
            **{name: f"member_{name}" for name in ("load", "seed", "enable", "jitter", "arrive")},
            "data": "member_data" if data else None,
            "released": "released",
        },
    )
    member = convert(BarrierMember(spec), "barrier_member")
    return "\n".join([router_verilog(spec), traffic_verilog(spec, queue), member, tile.text()])
