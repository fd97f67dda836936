"""A many-core system as Verilog: tiles at a network's first nodes, and what loads them.

Where barriers have a static network, a plain mesh beside it carries the packets.
"""

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import MeshSpec, StaticSpec
from syncfabric.rtl.cores.barrier_port import port_members
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.system_words import ConfigShare, flit_members
from syncfabric.rtl.cores.tile import CoreTile, observed
from syncfabric.sim.assemble import modules, nodes
from syncfabric.sim.assemble.network import modules_verilog, top_ports, verilog
from syncfabric.sim.assemble.streams import stream_ports
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, merged, part, zero
from syncfabric.sim.emit.naming import plain

SYSTEM, BARRIERS, PLAIN = "core_system", "core_barriers", "core_packets"
TILE, SHARE = "core_tile", "core_config"
_ANSWER = {"error": 1, "rdata": 32}

PACKETS = tuple((end, wire) for end in ("inject", "eject") for wire in ("valid", "flit", "credit"))
"""Wires of a tile's packets."""


def ask_bits(shape: TileShape) -> dict[str, int]:
    """Return what a tile asks the config port, and bits."""
    return {"valid": 1, "write": 1, "address": shape.config_address_bits, "data": 32}


def config_ports(shape: TileShape) -> list[tuple[str, str, int | None]]:
    """Return direction, name and width of the loader's config port; None is a single wire."""
    return [port for port in top_ports(shape.barriers) if port[1].startswith("config_")]


def stream_wires(shape: TileShape) -> Iterator[tuple[str, int]]:
    """Yield the wires between a tile and its node's ports of streams, and their bits."""
    return ((name, width) for name, _, width in stream_ports(shape.stream))


def stream_pin(wire: str) -> str:
    """Return how a module's port for such a wire is named."""
    port, _, signal = wire.rpartition("_")
    return f"{port}__{signal}"


def plain_mesh(spec: StaticSpec) -> MeshSpec:
    """Return a mesh for packets, as large as a static network; its engines are the least.

    Raises
    ------
    SpecError
        It is no mesh.
    """
    if spec.width is None or spec.height is None:
        raise SpecError(
            f"network: systems of cores have a static network that is a mesh, not {spec.topology};"
            " set width and height"
        )
    return MeshSpec(
        kind="mesh",
        width=spec.width,
        height=spec.height,
        channels=2,
        groups=1,
        data_bits=0,
        counters=False,
    )


def system_ports(shape: TileShape) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the system's ports; None is a single wire.

    Before ``run`` is high a loader has the config port and the cores' memories. What tiles show
    is packed by core; ``arrive`` and ``released`` are those of all nodes.
    """
    for name in ("clk", "rst", "run", "load_valid", "load_all"):
        yield "input", name, None
    yield "input", "load_core", shape.core_bits
    yield "input", "load_address", (shape.memory_words - 1).bit_length()
    yield "input", "load_data", 32
    yield "input", "cycle", 64
    yield "input", "barrier_low", 32
    yield "input", "barrier_high", 32
    yield from config_ports(shape)
    for name, bits in observed().items():
        yield "output", name, shape.cores * bits
    nodes = len(shape.barriers.topology.nodes)
    yield "output", "arrive", nodes * shape.registers
    yield "output", "released", nodes * shape.registers


def system_verilog(shape: TileShape) -> str:
    """Return one Verilog file: networks, tile, and the top `SYSTEM`; the core itself aside."""
    modules = _barriers(shape.barriers, shape)
    if shape.beside is not None:
        modules.append(verilog(shape.beside, PLAIN))
    modules.append(converted(CoreTile, TILE, shape))
    return merged(*modules, _top(shape))


@singledispatch
def _barriers(spec: Any, shape: TileShape) -> list[str]:
    """Return the network of barriers, and what gives the cores its config port."""
    network = nodes.top_verilog(spec, BARRIERS, taps=True)
    return [modules_verilog(spec), modules.tap_verilog(), network]


@_barriers.register
def _(spec: StaticSpec, shape: TileShape) -> list[str]:
    return [verilog(spec, BARRIERS), converted(ConfigShare, SHARE, shape)]


def _top(shape: TileShape) -> str:
    top = ModuleWriter(SYSTEM)
    for direction, name, width in system_ports(shape):
        top.port(direction, name, width)
    _place_networks(top, shape)
    if shape.beside is not None:
        _place_share(top, shape)
    for core in range(shape.cores):
        top.instance(TILE, f"tile_{core}", dict(_tile_ports(shape, core)))
    return top.text()


def _place_networks(top: ModuleWriter, shape: TileShape) -> None:
    """Place the networks, joined to wires that are named like their ports."""
    own = {name for _, name, _ in system_ports(shape)}
    configured = {name for _, name, _ in config_ports(shape)}
    networks, shared = [(BARRIERS, shape.barriers)], set[str]()
    if shape.beside is not None:
        networks.append((PLAIN, shape.beside))
        shared = configured
    for module, spec in networks:
        ports: dict[str, str | None] = {"clk": "clk", "rst": "rst"}
        used = {f"{end}_{wire}" for end, wire in PACKETS} if spec is shape.packets else set()
        if spec is shape.barriers:
            used |= {name for name, _ in stream_wires(shape)}
            used |= {*port_members(shape), *flit_members(shape), *configured, "run"}
            used |= {f"ask_{name}" for _, name, _ in nodes.TAPPED}
        for direction, name, width in top_ports(spec, taps=spec is shape.barriers):
            if name in ports or width == 0:
                continue
            if name not in used:
                ports[name] = zero(width or 1) if direction == "input" else ""
                continue
            wire = f"net_{name}" if name in shared else plain(name)
            ports[name] = wire
            if name not in own or name in shared:
                top.wire(wire, width)
            count = len(spec.topology.nodes)
            if direction == "input" and width and name not in configured and shape.cores < count:
                low = width // count * shape.cores
                top.assign(f"{wire}[{width - 1}:{low}]", zero(width - low))
        top.instance(module, module, ports)


def _place_share(top: ModuleWriter, shape: TileShape) -> None:
    """Place what gives the cores the config port; until they run the loader has it."""
    for name, bits in ask_bits(shape).items():
        top.wire(f"ask_{name}", shape.cores * bits)
    top.wire("ask_ready", shape.cores)
    ports: dict[str, str | None] = {"clk": "clk", "rst": "rst"}
    ports |= {name: f"ask_{name}" for name in ("valid", "write", "address", "data", "ready")}
    for name, bits in _ANSWER.items():
        top.wire(f"ask_{name}", shape.cores * bits)
        top.assign(f"ask_{name}", f"{{{shape.cores}{{net_config_{name}}}}}")
    for direction, name, width in config_ports(shape):
        signal = name.removeprefix("config_")
        if direction == "input":
            top.wire(f"share_{signal}", width)
            ports[f"port__{signal}"] = f"share_{signal}"
            top.assign(f"net_{name}", f"run ? share_{signal} : {name}")
        else:
            ports[f"port__{signal}"] = f"net_{name}"
            top.assign(name, f"net_{name}")
    top.instance(SHARE, SHARE, ports)


def _tile_ports(shape: TileShape, core: int) -> Iterator[tuple[str, str | None]]:
    for name in ("clk", "rst", "run", "cycle", "barrier_low", "barrier_high"):
        yield name, name
    for name in ("valid", "all", "core", "address", "data"):
        yield f"load_{name}", f"load_{name}"
    yield "number", f"{shape.core_bits}'d{core}"
    for name, bits in {**ask_bits(shape), "ready": 1, **_ANSWER}.items():
        yield f"config__{name}", part(f"ask_{name}", core, bits)
    widths = {name: width for _, name, width in top_ports(shape.packets)}
    for end, wire in PACKETS:
        name = f"{end}_{wire}"
        bits = (widths[name] or 1) // len(shape.packets.topology.nodes)
        yield f"{end}__{wire}", part(name, core, bits)
    widths = {name: width for _, name, width in top_ports(shape.barriers)}
    for name in (*port_members(shape), *flit_members(shape)):
        width = widths.get(name)
        if width:
            yield name, part(name, core, width // len(shape.barriers.topology.nodes))
    for name, bits in stream_wires(shape):
        yield stream_pin(name), part(name, core, bits)
    for name, bits in observed().items():
        yield name, part(name, core, bits)
