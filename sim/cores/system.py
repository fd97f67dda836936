"""A many-core system: what it is made of, and the program that simulates it."""

import enum
import tempfile
from collections.abc import Iterator, Set
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from syncfabric.models.errors import SpecError, about
from syncfabric.models.messages.core import Activity
from syncfabric.models.networks.spec import AnySpec, GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.networks.table import WholePlace
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.plan import make_plan
from syncfabric.rtl.cores.shape import PACKETS, TileShape
from syncfabric.sim.assemble.cores import plain_mesh, system_ports, system_verilog
from syncfabric.sim.cores import tiles
from syncfabric.sim.cores.picorv32 import picorv32_file
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.simulators import Simulator
from syncfabric.sim.simulators.base import Built, Design
from syncfabric.sim.simulators.verilator import Verilator
from syncfabric.sim.words import count

HARDWARE: dict[str, tuple[str, ...]] = {
    "engine": (),
    "reflex": ("ring",),
    "reflex-tree": ("tree",),
}
"""Planners of each barrier in hardware; that of engines has whatever planners its network has."""

FLITS = {
    "reflex-software": HARDWARE["reflex"],
    "reflex-tree-software": HARDWARE["reflex-tree"],
}
"""The same of barriers that programs make over routes, by sending and taking flits."""

STUCK_CYCLES = 20_000
"""Cycles in which no core does anything, after which a system is stuck."""
RESET_CYCLES = 8


class Step(enum.IntEnum):
    """What a line of the script does with its numbers."""

    LOAD_ALL, LOAD, CONFIG, POLL, IDLE, RUN = range(6)


def step_line(step: Step, *numbers: int) -> str:
    """Return a line of the script, which a bench performs before the cores run.

    ``LOAD_ALL`` has word address and word; ``LOAD`` core, word address and word; ``CONFIG``
    target, address and word; ``POLL`` target, address, mask and the word that is waited for;
    ``IDLE`` cycles; ``RUN``, the last, the limit in cycles and the addresses between which a
    barrier in software is.
    """
    padded = (*numbers, 0, 0, 0, 0)[:4]
    return " ".join(f"{number:x}" for number in (step, *padded)) + "\n"


_BENCH, _MAIN = "core_bench", "system.cpp"
_PROGRAM = {
    "syncfabric.sim.cores": (_MAIN,),
    "syncfabric.sim.fabric": ("bits.h", "evaluate.h"),
}


Groups: TypeAlias = tuple[GroupSpec, ...]


class _OnEngines:
    """A system on a network that carries its packets, too."""

    barriers: tuple[str, ...] = ("engine",)

    def beside(self, network: Any) -> MeshSpec | None:
        """Return the mesh of packets beside the network, if there is one."""
        return None

    def channels(self, network: Any) -> Any:
        """Return the network with the channels that packets and acknowledgements need."""
        needed = 4 if network.shape.datelines else 2
        return network if network.channels >= needed else network.changed(channels=needed)

    def changes(self, before: Any, after: Any) -> Iterator[str]:
        """Yield what a system's network has that the one that was asked for has not."""
        if after != before:
            channels, share = after.channels, {2: "one", 4: "two"}
            yield (
                f"channels = {channels}: packets travel on {share[channels]}, their"
                f" acknowledgements on the other{'s' * (channels > 2)}"
            )

    def others(self, groups: Groups, everyone: Set[WholePlace]) -> Groups:
        """Return the groups that a system has beside a new one of all cores."""
        return groups


class _OnStatic(_OnEngines):
    """A system on a static network, and on a mesh of its packets beside it."""

    barriers = ("reflex", "reflex-tree", *FLITS)

    def beside(self, network: Any) -> MeshSpec:
        return plain_mesh(network)

    def channels(self, network: Any) -> Any:
        return network

    def changes(self, before: Any, after: Any) -> Iterator[str]:
        yield "packets travel on a mesh of their own beside the static network"

    def others(self, groups: Groups, everyone: Set[WholePlace]) -> Groups:
        """Leave out those of all cores: what their barrier is made of is chosen anew."""
        return tuple(group for group in groups if set(group.members) != everyone)


_KINDS = {"mesh": _OnEngines(), "irregular": _OnEngines(), "static": _OnStatic()}


def fitting(network: AnySpec) -> tuple[str, ...]:
    """Return the barriers that a network has itself, those in hardware first."""
    return _KINDS[network.kind].barriers


def with_channels(spec: NetworkSpec) -> NetworkSpec:
    """Return a network with the channels that packets and acknowledgements need.

    They are two, and four with datelines, at which both go over to a channel of their own.
    """
    network = _KINDS[spec.network.kind].channels(spec.network)
    return spec.model_copy(update={"network": network})


def with_world(spec: NetworkSpec, cores: int, barrier: str) -> NetworkSpec:
    """Return a network with a group of all cores for a barrier of its own.

    Parameters
    ----------
    spec : NetworkSpec
        The network; if it has such a group, it is returned as it is.
    cores : int
        The first nodes have one.
    barrier : str
        A barrier over messages needs no such group.

    Raises
    ------
    SpecError
        The network has not this kind of barrier, or no room for the group.
    """
    planned = HARDWARE | FLITS
    if barrier not in planned:
        return spec
    there = fitting(spec.network)
    if barrier not in there:
        raise SpecError(
            f"barrier = {barrier!r} does not go with network {spec.name}: its own barriers are "
            f"{', '.join(there)}; choose one of them, or one over messages"
        )
    planners = planned[barrier] or spec.network.planners
    nodes = tuple(spec.network.topology.node(core) for core in range(cores))
    everyone = set(nodes)
    if any(set(group.members) == everyone and group.planner in planners for group in spec.groups):
        return spec
    used = {group.id for group in spec.groups}
    free = next((number for number in range(256) if number not in used), None)
    if free is None:
        raise SpecError(f"network {spec.name}: all group numbers are taken; remove a group")
    others = _KINDS[spec.network.kind].others(spec.groups, everyone)
    world = GroupSpec(id=free, members=nodes, planner=planners[0])
    return NetworkSpec(
        name=spec.name, network=spec.network, groups=(*others, world), source=spec.source
    )


def changes(before: NetworkSpec, after: NetworkSpec) -> tuple[str, ...]:
    """Return how a system of cores differs from the network that was asked for, in words."""
    found = [*_KINDS[after.network.kind].changes(before.network, after.network)]
    for group in before.groups:
        if group not in after.groups:
            found.append(f"group {group.id} is left out: the group of all cores takes its place")
    for group in after.groups:
        if group not in before.groups:
            nodes, planner = count(len(group.members), "core"), group.planner
            found.append(f"group {group.id} is added: all {nodes}, planner {planner}")
    return tuple(found)


def shape_of(network: AnySpec, cores: int, memory_kib: int, source: str = "") -> TileShape:
    """Return what the tiles of a system are built for; ``source`` is the network's file.

    Raises
    ------
    SpecError
        There is no such system.
    """
    beside = _KINDS[network.kind].beside(network)
    shape = TileShape(cores=cores, memory_kib=memory_kib, barriers=network, beside=beside)
    shape.check()
    with about(source):
        shape.check_network()
    packets = NetworkSpec(name="packets", network=shape.packets, groups=(), source=source)
    requests = range(PACKETS, shape.acks)
    deadlock.check(make_plan(packets), replies=dict.fromkeys(requests, shape.acks))
    return shape


def build_system(shape: TileShape, simulator: Simulator, progress: Progress = silent) -> Built:
    """Compile a system and its bench, or take it from the cache.

    Raises
    ------
    ToolError
        The core's Verilog, the simulator or its compiler is missing.
    """
    core = picorv32_file()
    with stage(progress, "emit"):
        if isinstance(simulator, Verilator):
            texts = tiles.system_tiles(shape)
        else:
            bench = files("syncfabric.sim.cores").joinpath("bench.v").read_text()
            texts = {"system": system_verilog(shape), "bench": bench}
    with stage(progress, "build"), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = [folder / f"{module}.v" for module in texts]
        for source, text in zip(sources, texts.values(), strict=True):
            source.write_text(text)
        if not isinstance(simulator, Verilator):
            defines = {name: str(value) for name, value in _sizes(shape).items()}
            return simulator.build(Design(_BENCH, [*sources, core], defines=defines))
        for package, names in _PROGRAM.items():
            for name in names:
                (folder / name).write_text(files(package).joinpath(name).read_text())
        (folder / "system.h").write_text(_system_header(shape))
        headers = [folder / name for name in ("system.h", *_PROGRAM["syncfabric.sim.fabric"])]
        designs = [  # each tile is compiled once
            Design(module, [source, core] if module == tiles.TILE else [source])
            for module, source in zip(texts, sources, strict=True)
        ]
        return simulator.build_native(designs, folder / _MAIN, headers=headers)


def _sizes(shape: TileShape) -> dict[str, int]:
    """Return the numbers that the benches must know."""
    spec = shape.barriers
    widths = {name: width or 1 for _, name, width in system_ports(shape)}
    return {
        "NODES": len(spec.topology.nodes),
        "CORES": shape.cores,
        "REGISTERS": shape.registers,
        "SWITCHES": len(spec.outside),
        "STUCK_CYCLES": STUCK_CYCLES,
        "RESET_CYCLES": RESET_CYCLES,
        "CORE_BITS": shape.core_bits,
        "ADDRESS_BITS": widths["load_address"],
        "TARGET_BITS": widths["config_node"],
        "CONFIG_BITS": shape.config_address_bits,
        **{member.name: member.value for enum in (Step, Activity) for member in enum},
    }


def _system_header(shape: TileShape) -> str:
    """Return ``system.h``: sizes, which further tiles there are, and how links join them all."""
    lines = ["#pragma once", "#include <cstdint>"]
    lines += [f"constexpr int {name} = {value};" for name, value in _sizes(shape).items()]
    lines += tiles.definitions(shape)
    return "\n".join(lines) + "\n"
