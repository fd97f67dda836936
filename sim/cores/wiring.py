"""What the C++ around a system's tiles must know of it: the file ``system.h``."""

from __future__ import annotations

from syncfabric.models.messages.core import Activity
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.sim.cores import engine_tiles, tiles
from syncfabric.sim.cores.bench import RESET_CYCLES, STUCK_CYCLES, Step

__all__ = ["system_header"]


def system_header(shape: TileShape) -> str:
    """Return ``system.h``: sizes, which further tiles there are, and how links join them all."""
    spec = shape.barriers
    switches = spec.switches if spec.kind == "irregular" else 0
    sizes = {
        "NODES": len(spec.topology.nodes),
        "CORES": shape.cores,
        "REGISTERS": shape.registers,
        "SWITCHES": switches,
        "STUCK_CYCLES": STUCK_CYCLES,
        "RESET_CYCLES": RESET_CYCLES,
        "CONFIG_BITS": shape.config_address_bits,
    }
    lines = ["#pragma once", "#include <cstdint>"]
    lines += [f"constexpr int {name} = {value};" for name, value in sizes.items()]
    for enum in (Step, Activity):
        names = ", ".join(f"{member.name} = {member.value}" for member in enum)
        lines.append(f"enum {enum.__name__} {{ {names} }};")
    if isinstance(spec, StaticSpec):
        set_up, carried = tiles.constants(shape), tiles.joins(shape, spec)
        lines.append("#define HAS_LOADER")
    else:
        set_up, carried = engine_tiles.constants(spec), engine_tiles.joins(spec)
        lines += engine_tiles.definitions(spec)
    lines += ["#define SET_UP_TILES \\", *(f"    {line} \\" for line in set_up), ""]
    lines += ["#define CARRY_LINKS \\", *(f"    {line} \\" for line in carried), ""]
    return "\n".join(lines) + "\n"
