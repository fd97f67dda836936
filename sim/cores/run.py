"""Running a program on a many-core system, from its plan to its result."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from syncfabric.models.errors import SpecError, ToolError
from syncfabric.models.messages import Op
from syncfabric.models.messages.boot import BootGroup, boot_block
from syncfabric.models.messages.static import LoaderWord
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, StaticGroupPlan, make_plan
from syncfabric.models.planning.set_up_writes import set_up_entries
from syncfabric.models.planning.static_images import SETTLING, role_of, static_writes
from syncfabric.sim.cores.bench import Step, step_line
from syncfabric.sim.cores.events import Events, read_events
from syncfabric.sim.cores.program import Program
from syncfabric.sim.cores.result import CoresResult, result_of
from syncfabric.sim.cores.system import build_system, shape_of
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.simulators import Built, Icarus, Verilator

__all__ = [
    "BOOT_SYMBOL",
    "LIMIT",
    "SIMULATORS",
    "boot_groups",
    "check_run",
    "entries_taken",
    "play",
    "run_program",
    "script_text",
]

BOOT_SYMBOL = "sf_boot"
"""Where a program wants to be told its core's groups."""

LIMIT = 10_000_000
"""Cycles that a program may take, unless it is said otherwise."""

_SETTLE = 64
"""Cycles from the last write of a set-up until the cores run, and two a node."""

SIMULATORS: dict[str, Callable[[], Verilator | Icarus]] = {
    "verilator": Verilator.find,
    "icarus": Icarus.find,
}
"""How to find what runs programs, by the name that a user gives it."""


def check_run(sim: str, limit: int) -> None:
    """Refuse a simulator or a limit that cannot be.

    Raises
    ------
    SpecError
        With the value, the reason and the remedy.
    """
    if not 1 <= limit < 1 << 32:
        raise SpecError(f"limit = {limit}: a program runs for 1 to {(1 << 32) - 1} cycles")
    if sim not in SIMULATORS:
        raise SpecError(f"sim = {sim!r}: programs run under {' or '.join(SIMULATORS)}")


def run_program(
    spec: NetworkSpec,
    program: Program,
    *,
    cores: int,
    sim: str = "verilator",
    limit: int = LIMIT,
    progress: Progress = silent,
) -> tuple[CoresResult, Events]:
    """Run a compiled program on the first nodes of a network, all groups set up.

    Parameters
    ----------
    spec : NetworkSpec
        The network, its groups those of `with_world`.
    program : Program
        Of all cores.
    cores : int
    sim : {"verilator", "icarus"}
    limit : int
        Cycles after which it ends, over or not.
    progress : Progress

    Returns
    -------
    CoresResult
    Events
        Everything that happened.

    Raises
    ------
    SpecError
        There is no such system, or simulator.
    PlanError
        The groups do not fit.
    ToolError
        Something that is needed is missing.
    """
    check_run(sim, limit)
    shape = shape_of(spec.network, cores, program.memory_bytes >> 10)
    plan = make_plan(spec)
    simulator = SIMULATORS[sim]()
    script = script_text(plan, program, _boot(plan, program, cores), limit)
    built = build_system(shape, simulator, progress)
    begin = time.perf_counter()
    with stage(progress, "simulate"):
        events = play(built, simulator, script, cores)
    seconds = time.perf_counter() - begin
    return result_of(plan, program, events, cores, sim, built.seconds, seconds), events


def _boot(plan: BarrierPlan, program: Program, cores: int) -> dict[int, tuple[int, bytes]]:
    """Return what each core is told of its groups, and where."""
    symbol = program.symbols.get(BOOT_SYMBOL)
    if symbol is None:
        return {}
    groups = boot_groups(plan, sends_flits=program.sends_flits)
    network, taken = plan.spec.network, {}
    if not isinstance(network, StaticSpec):
        taken = dict.fromkeys(network.shape.managers, entries_taken(plan, network.shape.routers))
    return {
        core: (
            symbol.address,
            boot_block(groups, core, symbol.size, cores=cores, taken=taken.get(core, ())),
        )
        for core in range(cores)
    }


def entries_taken(plan: BarrierPlan, routers: int) -> list[int]:
    """Return the entries that groups have at each router, a bit each: those of node ports alone."""
    taken = [0] * routers
    for group in plan.engine_groups:
        for router, entry in group.placement.items():
            taken[router] |= 1 << entry & 0xFFFF
    return taken


def boot_groups(plan: BarrierPlan, *, sends_flits: bool) -> list[BootGroup]:
    """Return the groups that are set up.

    Parameters
    ----------
    plan : BarrierPlan
    sends_flits : bool
        The program has the rings and trees of a static network, and no agent does.
    """
    index = plan.spec.network.topology.index
    operations = {group.id: Op[group.op.upper()] for group in plan.spec.groups}
    fenced = {group.id for group in plan.spec.groups if group.fence}
    found = []
    for group in plan.groups:
        members = tuple(index(member) for member in group.members)
        op = operations[group.id]
        if sends_flits and isinstance(group, StaticGroupPlan):
            roles = tuple(role_of(group, member) for member in group.members)
            none = (None,) * len(members)
            found.append(
                BootGroup(group.id, members, none, op, roles, group.flits or 0, group.id in fenced)
            )
        else:
            registers = tuple(group.places.get(member) for member in group.members)
            found.append(BootGroup(group.id, members, registers, op, fence=group.id in fenced))
    return found


def script_text(
    plan: BarrierPlan, program: Program, blocks: Mapping[int, tuple[int, bytes]], limit: int
) -> str:
    """Return the script of a run: what the bench does before the cores run, and then.

    Parameters
    ----------
    plan : BarrierPlan
        Groups to set up.
    program : Loaded
        For all cores.
    blocks : mapping of int to (int, bytes)
        What a core has besides, and where.
    limit : int
        Cycles that the cores run at most.
    """
    lines = [
        step_line(Step.LOAD_ALL, address, word)
        for segment in program.segments
        for address, word in _words(segment.address, segment.data)
    ]
    lines += [
        step_line(Step.LOAD, core, address, word)
        for core, (place, data) in blocks.items()
        for address, word in _words(place, data)
    ]
    lines += _set_up_steps(plan, agents=not program.sends_flits)
    settle = _SETTLE + 8 * len(plan.spec.network.topology.nodes)
    lines += [step_line(Step.IDLE, settle), step_line(Step.RUN, limit, *program.barrier)]
    return "".join(lines)


def _words(address: int, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield word addresses and words; what a word has besides is 0."""
    start = address & 3
    padded = bytes(start) + data + bytes(-(start + len(data)) % 4)
    for place in range(0, len(padded), 4):
        yield (address - start + place) // 4, int.from_bytes(padded[place : place + 4], "little")


def _set_up_steps(plan: BarrierPlan, *, agents: bool) -> Iterator[str]:
    """Yield what sets the groups up from reset, as software would by the config port."""
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        groups = plan.static_groups
        beside = {} if agents else {out: way for one in groups for out, way in one.routes().items()}
        writes = static_writes(network, groups if agents else (), beside) if groups else ()
        for target, address, word in writes:
            yield step_line(Step.CONFIG, target, address, word)
            if target == network.layout.loader and address == LoaderWord.STROBE:
                yield step_line(Step.IDLE, SETTLING)
        return
    for kind, target, address, value in set_up_entries(plan):
        if kind:
            yield step_line(Step.POLL, target, address, value >> 16, value & 0xFFFF)
        else:
            yield step_line(Step.CONFIG, target, address, value)


def play(built: Built, simulator: Verilator | Icarus, script: str, cores: int) -> Events:
    """Run a built system with a script.

    Raises
    ------
    ToolError
        The simulator failed.
    """
    with tempfile.TemporaryDirectory(prefix="syncfabric-") as name:
        folder = Path(name)
        (folder / "script.txt").write_text(script)
        program = [str(built.program)]
        if isinstance(simulator, Icarus):
            program = [simulator.runtime, "-n", *program]
        files = [f"+script={folder / 'script.txt'}", f"+events={folder / 'events.txt'}"]
        done = subprocess.run(
            [*program, *files], cwd=folder, env=os.environ, capture_output=True, text=True
        )
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise ToolError(f"the simulation failed: {said[-1] if said else done.returncode}")
        return read_events(folder / "events.txt", cores)
