"""A many-core system: what it is made of, and the program that simulates it."""

from __future__ import annotations

import tempfile
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from syncfabric.models.errors import SpecError, ToolError
from syncfabric.models.networks.spec import AnySpec, GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.networks.wires import WIRE_PLANNER
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.sim.assemble.cores import plain_mesh, repeated_modules, system_verilog
from syncfabric.sim.cores.bench import BENCH, CLOCKED, bench_verilog
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.simulators import Built, Design, Icarus, Verilator

__all__ = ["HARDWARE", "build_system", "fitting", "shape_of", "with_world"]

HARDWARE: dict[str, tuple[str, tuple[str, ...]]] = {
    "btm": ("mesh", ("btm", "shortest", "cs")),
    "btin": ("irregular", ("btin", "updown")),
    "wires": ("", (WIRE_PLANNER,)),
    "reflex": ("static", ("ring",)),
    "reflex-tree": ("static", ("tree",)),
}
"""Kind of network of each barrier in hardware (any, if empty), and planners; the first is used."""

_MAIN = "bench.cpp"


def fitting(network: AnySpec) -> tuple[str, ...]:
    """Return the barriers in hardware that a network has."""
    if isinstance(network, StaticSpec):
        return ("reflex", "reflex-tree")
    kinds = [name for name, (kind, _) in HARDWARE.items() if kind == network.kind]
    has = kinds if network.has_messages else []
    return (*has, "wires") if network.wire_plane is not None else tuple(has)


def with_world(spec: NetworkSpec, cores: int, barrier: str) -> NetworkSpec:
    """Return a network with a group of all cores for a barrier in hardware.

    Parameters
    ----------
    spec : NetworkSpec
        The network; if it has such a group, it is returned as it is.
    cores : int
        The first nodes have one.
    barrier : str
        A barrier in software needs no such group.

    Raises
    ------
    SpecError
        The network has not this kind of barrier, or no room for the group.
    """
    if barrier not in HARDWARE:
        return spec
    there = fitting(spec.network)
    if barrier not in there:
        raise SpecError(
            f"barrier = {barrier!r} does not go with network {spec.name}: its barriers in hardware "
            f"are {', '.join(there) or 'none'}; choose one of them, or one in software"
        )
    planners = HARDWARE[barrier][1]
    everyone = {spec.network.topology.node(core) for core in range(cores)}
    if any(set(group.members) == everyone and group.planner in planners for group in spec.groups):
        return spec
    used = {group.id for group in spec.groups}
    free = next((number for number in range(256) if number not in used), None)
    if free is None:
        raise SpecError(f"network {spec.name}: all group numbers are taken; remove a group")
    world = GroupSpec(id=free, members=tuple(sorted(everyone)), planner=planners[0])
    return NetworkSpec(name=spec.name, network=spec.network, groups=(*spec.groups, world))


def shape_of(network: AnySpec, cores: int, memory_kib: int) -> TileShape:
    """Return what the tiles of a system are built for.

    Raises
    ------
    SpecError
        There is no such system.
    """
    beside = plain_mesh(network) if isinstance(network, StaticSpec) else None
    shape = TileShape(cores=cores, memory_kib=memory_kib, barriers=network, beside=beside)
    shape.check()
    return shape


def build_system(
    shape: TileShape, simulator: Verilator | Icarus, progress: Progress = silent
) -> Built:
    """Compile a system and its bench, or take it from the cache.

    Raises
    ------
    ToolError
        The core's Verilog, the simulator or its compiler is missing.
    """
    core = _core_file()
    progress("emit", 0, 1)
    texts = {"system.v": system_verilog(shape), "bench.v": bench_verilog(shape)}
    progress("emit", 1, 1)
    progress("build", 0, 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in texts.items():
            (folder / file).write_text(text)
        sources = [*(folder / file for file in texts), core]
        if isinstance(simulator, Icarus):
            built = simulator.build(Design(CLOCKED, sources))
        else:
            main = folder / _MAIN
            main.write_text(files("syncfabric.sim.cores").joinpath(_MAIN).read_text())
            design = Design(BENCH, sources, no_inline=repeated_modules(shape))
            built = simulator.build_native([design], main)
    progress("build", 1, 1)
    return built


def _core_file() -> Path:
    """Return PicoRV32's Verilog."""
    package = find_spec("pythondata_cpu_picorv32")
    if package is None or not package.submodule_search_locations:
        raise ToolError(
            "the package pythondata-cpu-picorv32, which has the cores' Verilog, is not installed; "
            "install it with: pip install 'syncfabric[cores]'"
        )
    return Path(package.submodule_search_locations[0]) / "verilog" / "picorv32.v"
