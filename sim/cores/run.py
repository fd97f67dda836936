"""Runs a program on a many-core system: what ``syncfabric cores`` does."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch
from pathlib import Path

from syncfabric.models.errors import OutputError, SpecError, ToolError
from syncfabric.models.messages.boot import BootGroup, boot_block
from syncfabric.models.messages.core import MOST_CORES
from syncfabric.models.messages.registers import Op
from syncfabric.models.messages.static import LoaderWord
from syncfabric.models.networks.spec import AnySpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.set_up_writes import set_up_entries
from syncfabric.models.planning.static_routes import SETTLING, role_of, static_writes
from syncfabric.sim.cores.compile import MEMORY_KIB, compile_program
from syncfabric.sim.cores.events import Events, lost_cycles, read_events
from syncfabric.sim.cores.program import Program, barrier_routines
from syncfabric.sim.cores.result import CoresResult, result_of
from syncfabric.sim.cores.system import (
    HARDWARE,
    Step,
    build_system,
    changes,
    fitting,
    shape_of,
    step_line,
    with_channels,
    with_world,
)
from syncfabric.sim.output import check_file, write_file
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.results import Seconds
from syncfabric.sim.simulators import SIMULATORS, Simulator, find_simulator
from syncfabric.sim.simulators.base import Built

BOOT_SYMBOL = "sf_boot"
"""Where a program wants its core's groups."""

LIMIT = 10_000_000
"""Cycles that a program may take, unless it is said otherwise."""

_SETTLE = 64
"""Cycles from the last write of a set-up until the cores run, and two a node."""


def check_run(sim: str, limit: int) -> None:
    """Refuse a simulator or a limit that cannot be, by a `SpecError`."""
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
    limit : int
        Cycles after which it ends, over or not.

    Raises
    ------
    SpecError, PlanError, ToolError
        There is no such system or simulator, the groups do not fit, or a tool is missing.
    """
    check_run(sim, limit)
    shape = shape_of(spec.network, cores, program.memory_bytes >> 10)
    plan = make_plan(spec)
    simulator = find_simulator(sim)
    script = script_text(plan, program, _boot(plan, program, cores), limit)
    built = build_system(shape, simulator, progress)
    begin = time.perf_counter()
    with stage(progress, "simulate"):
        events = play(built, simulator, script, cores)
    seconds = Seconds(built.seconds, time.perf_counter() - begin)
    return result_of(plan, program, events, cores, sim, seconds), events


def _boot(plan: BarrierPlan, program: Program, cores: int) -> dict[int, tuple[int, bytes]]:
    """Return each core's block on its groups, and its address."""
    symbol = program.symbols.get(BOOT_SYMBOL)
    if symbol is None:
        return {}
    groups = boot_groups(plan, sends_flits=program.sends_flits)
    taken = {}
    if plan.spec.network.managed:
        shape = plan.spec.message_network.shape
        entries = [0] * shape.routers  # that groups have, by the registers of node ports
        for group in plan.engine_groups:
            for router, entry in group.placement.items():
                if not shape.entry_registers <= entry < shape.router.layout.entries:
                    entries[router] |= 1 << shape.register_of(entry) & 0xFFFF
        taken = dict.fromkeys(shape.managers, entries)
    return {
        core: (
            symbol.address,
            boot_block(groups, core, symbol.size, cores=cores, taken=taken.get(core, ())),
        )
        for core in range(cores)
    }


def boot_groups(plan: BarrierPlan, *, sends_flits: bool) -> list[BootGroup]:
    """Return the groups that are set up.

    If the program ``sends_flits``, it has a static network's rings and trees, and no agent does.
    """
    index = plan.spec.network.topology.index
    operations = {group.id: Op[group.op.upper()] for group in plan.spec.groups}
    fenced = {group.id for group in plan.spec.groups if group.fence}
    found = []
    for group in plan.groups:
        members = tuple(index(member) for member in group.members)
        op = operations[group.id]
        if sends_flits and group.static:
            roles = tuple(role_of(group, member) for member in group.members)
            registers: tuple[int | None, ...] = (None,) * len(members)
            flits = group.flits or 0
        else:
            registers = tuple(group.places.get(member) for member in group.members)
            roles, flits = (), 0
        fence = group.id in fenced
        found.append(BootGroup(group.id, members, registers, op, roles, flits, fence))
    return found


def script_text(
    plan: BarrierPlan, program: Program, blocks: Mapping[int, tuple[int, bytes]], limit: int
) -> str:
    """Return the script of a run, which the bench performs: load, set up, and run.

    Parameters
    ----------
    plan : BarrierPlan
        Groups to set up.
    program : Program
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
    lines += _set_up_steps(plan.spec.network, plan, agents=not program.sends_flits)
    settle = _SETTLE + 8 * len(plan.spec.network.topology.nodes)
    lines += [step_line(Step.IDLE, settle), step_line(Step.RUN, limit, *program.barrier)]
    return "".join(lines)


def _words(address: int, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield word addresses and words; what a word has besides is 0."""
    start = address & 3
    padded = bytes(start) + data + bytes(-(start + len(data)) % 4)
    for place in range(0, len(padded), 4):
        yield (address - start + place) // 4, int.from_bytes(padded[place : place + 4], "little")


@singledispatch
def _set_up_steps(network: AnySpec, plan: BarrierPlan, *, agents: bool) -> Iterator[str]:
    """Yield what sets the groups up from reset, as software would by the config port."""
    for kind, target, address, value in set_up_entries(plan):
        if kind:
            yield step_line(Step.POLL, target, address, value >> 16, value & 0xFFFF)
        else:
            yield step_line(Step.CONFIG, target, address, value)


@_set_up_steps.register
def _(network: StaticSpec, plan: BarrierPlan, *, agents: bool) -> Iterator[str]:
    groups = plan.static_groups
    beside = {} if agents else {out: port for one in groups for out, port in one.routes().items()}
    writes = static_writes(network, groups if agents else (), beside) if groups else ()
    for target, address, word in writes:
        yield step_line(Step.CONFIG, target, address, word)
        if target == network.layout.loader and address == LoaderWord.STROBE:
            yield step_line(Step.IDLE, SETTLING)


def play(built: Built, simulator: Simulator, script: str, cores: int) -> Events:
    """Run a built system with a script; a `ToolError` if the simulator fails."""
    with tempfile.TemporaryDirectory(prefix="syncfabric-") as name:
        folder = Path(name)
        (folder / "script.txt").write_text(script)
        plusargs = [f"+script={folder / 'script.txt'}", f"+events={folder / 'events.txt'}"]
        command = simulator.command(built, plusargs=plusargs)
        done = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise ToolError(f"the simulation failed: {said[-1] if said else done.returncode}")
        return read_events(folder / "events.txt", cores)


@dataclass(frozen=True)
class CoresJob:
    """What is asked for.

    Parameters
    ----------
    source : Path
        The C file.
    cores : int, optional
        By default all nodes, at most 64.
    barrier : str, optional
        What ``sf_barrier`` is made of; by default the network's own in hardware.
    trace : Path, optional
        Picture to draw, ``.svg`` or ``.png``.
    begin, end : int
        Cycles that are drawn, the last not included; by default all.
    defines : tuple of str
        Macros, as ``NAME=VALUE`` or ``NAME``.
    """

    spec: NetworkSpec
    source: Path
    cores: int | None = None
    barrier: str | None = None
    sim: str = "verilator"
    memory_kib: int = MEMORY_KIB
    limit: int = LIMIT
    trace: Path | None = None
    begin: int = 0
    end: int | None = None
    defines: tuple[str, ...] = ()

    def run(self, progress: Progress = silent) -> CoresResult:
        """Compile, build, run and draw; a `SyncfabricError` before anything is built."""
        nodes = len(self.spec.network.topology.nodes)
        cores = min(nodes, MOST_CORES) if self.cores is None else self.cores
        check_run(self.sim, self.limit)
        if self.trace is None and (self.begin or self.end is not None):
            raise SpecError("from and to choose the cycles of --trace; give --trace FILE.svg")
        if self.trace is not None:
            self._check_trace(self.trace)
        spec = with_channels(self.spec)
        shape_of(spec.network, cores, self.memory_kib, spec.source)
        barrier = self.barrier or fitting(spec.network)[0]
        spec = with_world(spec, cores, barrier)
        program = compile_program(
            self.source,
            spec=spec,
            barrier=barrier,
            memory_kib=self.memory_kib,
            defines=dict(_define(text) for text in self.defines),
        )
        result, events = run_program(
            spec, program, cores=cores, sim=self.sim, limit=self.limit, progress=progress
        )
        code = () if barrier in HARDWARE else barrier_routines(program)
        result = replace(result, barrier=barrier, code=code, changes=changes(self.spec, spec))
        if self.trace is not None:
            self._draw(self.trace, result, make_plan(spec), events)
        return result

    def _draw(self, trace: Path, result: CoresResult, plan: BarrierPlan, events: Events) -> None:
        from syncfabric.sim.cores.events import timeline
        from syncfabric.sim.draw.charts import timeline_figure
        from syncfabric.sim.draw.page import format_of, picture

        if self.begin >= max(1, result.cycles):
            raise SpecError(
                f"from = {self.begin}: the program ended in cycle {result.cycles}; choose an "
                "earlier cycle"
            )
        end = result.cycles if self.end is None else min(self.end, result.cycles)
        shown = replace(result, lost=lost_cycles(events, self.begin, end))
        title = f"{self.source.name}, barrier {result.barrier}"
        figure = timeline_figure(shown, timeline(plan, events), title, self.begin, end)
        write_file(trace, picture(figure, format_of(trace)))

    def _check_trace(self, trace: Path) -> None:
        from syncfabric.sim.draw.page import format_of

        format_of(trace)
        check_file(trace, "picture")
        if trace.resolve() == self.source.resolve():
            raise OutputError(f"picture {trace} is the program; name another file")
        if self.end is not None and self.end <= self.begin:
            raise SpecError(f"to = {self.end}: it must be above from, which is {self.begin}")


def _define(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not name:
        raise SpecError(f"define {text!r} has no name; give it as NAME=VALUE")
    return name, value
