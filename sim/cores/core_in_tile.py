"""A core in a tile: the ports that it has whatever its network, and the core placed."""

from __future__ import annotations

from syncfabric.rtl.cores.barrier_port import port_members
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.system_words import flit_members
from syncfabric.rtl.cores.tile import observed
from syncfabric.sim.assemble.cores import PACKETS, ask_bits
from syncfabric.sim.assemble.verilog import ModuleWriter
from syncfabric.sim.fabric import tile

__all__ = ["CORE", "core_ports", "place_core"]

CORE = "core_tile"


def core_ports(shape: TileShape) -> tile.Ports:
    """Return the ports of a core, and of whoever loads and watches it."""
    return {
        "number": ("input", shape.core_bits),
        "run": ("input", 1),
        "cycle": ("input", 64),
        "barrier_low": ("input", 32),
        "barrier_high": ("input", 32),
        "load_valid": ("input", 1),
        "load_all": ("input", 1),
        "load_core": ("input", shape.core_bits),
        "load_address": ("input", (shape.memory_words - 1).bit_length()),
        "load_data": ("input", 32),
        **{name: ("output", bits) for name, bits in observed().items()},
        "arrive": ("output", shape.registers),
        "released": ("output", shape.registers),
    }


def place_core(top: ModuleWriter, shape: TileShape) -> None:
    """Place the core; its wires to the node are named like its ports."""
    packets = shape.packets
    widths = {"valid": packets.channels, "credit": packets.channels}
    widths["flit"] = packets.layout.flit.width
    for way, wire in PACKETS:
        top.wire(f"{way}_{wire}", widths[wire])
    members = port_members(shape) | flit_members(shape)
    for name, member in members.items():
        if name not in ("arrive", "released"):
            top.wire(name, int(member.shape))  # no bits: no wire
    names = ["clk", "rst", "number", "run", "cycle", "barrier_low", "barrier_high"]
    names += (f"load_{name}" for name in ("valid", "all", "core", "address", "data"))
    ports: dict[str, str | None] = {name: name for name in (*names, *observed())}
    ports |= {name: name for name, member in members.items() if member.shape}
    asks = (*ask_bits(shape), "ready", "error", "rdata")
    ports |= {f"config__{name}": f"ask_{name}" for name in asks}
    ports |= {f"{way}__{wire}": f"{way}_{wire}" for way, wire in PACKETS}
    top.instance(CORE, "core", ports)
