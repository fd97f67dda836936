"""What the C++ around a system's tiles must know of it: the file ``system.h``."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.messages.core import Activity
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import (
    AnySpec,
    EngineSpec,
    IrregularSpec,
    MeshSpec,
    StaticSpec,
    of_registers,
)
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.sim.assemble.irregular import dateline_bits
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.cores import engine_tiles
from syncfabric.sim.cores.bench import RESET_CYCLES, STUCK_CYCLES, Step
from syncfabric.sim.cores.tiles import PLAIN

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
    if isinstance(spec, EngineSpec):
        set_up, carried = engine_tiles.constants(spec), engine_tiles.joins(spec)
        lines += engine_tiles.definitions(spec)
    else:
        set_up, carried = _constants(of_registers(spec)), _joins(shape)
        lines += ["#define HAS_SWITCHES"] * (switches > 0)
    if isinstance(spec, StaticSpec):
        lines.append("#define HAS_LOADER")
    lines += ["#define SET_UP_TILES \\", *(f"    {line} \\" for line in set_up), ""]
    lines += ["#define CARRY_LINKS \\", *(f"    {line} \\" for line in carried), ""]
    return "\n".join(lines) + "\n"


def _constants(spec: AnySpec) -> Iterator[str]:
    """Yield what tells each tile who it is."""
    for i, node in enumerate(spec.topology.nodes):
        yield f"tiles[{i}]->index = {i};"
        if not isinstance(spec, IrregularSpec):
            x, y = node
            yield f"HAS_PLACE(tiles[{i}]->x = {x}, tiles[{i}]->y = {y};)"
        if not isinstance(spec, StaticSpec) and node in spec.manager_nodes:
            number = spec.manager_nodes.index(node)
            yield f"tiles[{i}]->manager = 1, tiles[{i}]->manager_index = {number};"
    if isinstance(spec, IrregularSpec):
        from syncfabric.models.planning.updown import routing_tables

        bits = spec.layout.port_bits
        for s, (row, dateline) in enumerate(
            zip(routing_tables(spec), dateline_bits(spec), strict=True)
        ):
            yield f"switches[{s}]->number = {s}, switches[{s}]->target = {len(spec.nodes) + s};"
            yield f"switches[{s}]->dateline = {dateline};"
            for to, port in enumerate(row):
                yield f"put(switches[{s}]->routes, {to * bits}, {bits}, {max(port, 0)});"


def _joins(shape: TileShape) -> Iterator[str]:
    spec = of_registers(shape.barriers)
    if isinstance(spec, IrregularSpec):
        yield from _irregular(spec)
        return
    yield from _grid(spec, spec.topology, "")
    if shape.beside is not None:
        yield from _grid(shape.beside, spec.topology, PLAIN)


def _grid(spec: MeshSpec | StaticSpec, mesh: Mesh, prefix: str) -> Iterator[str]:
    """Yield the links of a grid, both ways."""
    for i, node in enumerate(mesh.nodes):
        for port in (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH):
            other = mesh.neighbour(node, port)
            if other is not None:
                begin = f"tiles[{i}]->{prefix}{port.name.lower()}_out"
                end = f"tiles[{mesh.index(other)}]->{prefix}{port.opposite.name.lower()}_in"
                yield _join(spec, begin, end)


def _irregular(spec: IrregularSpec) -> Iterator[str]:
    network = spec.topology
    for s in range(spec.switches):
        for port in range(spec.ports):
            across = network.across(s, port)
            if across is not None:
                end = f"switches[{across[0]}]->in_{across[1]}"
                yield _join(spec, f"switches[{s}]->out_{port}", end)
    for i, (switch, port) in enumerate(spec.nodes):
        yield _join(spec, f"switches[{switch}]->out_{port}", f"tiles[{i}]->downlink")
        yield _join(spec, f"tiles[{i}]->uplink", f"switches[{switch}]->in_{port}")


def _join(spec: AnySpec, begin: str, end: str) -> str:
    """Return what carries a link's wires over: forward, and those against it back."""
    wires = link_wires(spec)
    return " ".join(
        f"{begin}_{wire} = {end}_{wire};"
        if wire in wires.back
        else f"{end}_{wire} = {begin}_{wire};"
        for wire in wires
    )
