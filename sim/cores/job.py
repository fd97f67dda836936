"""From a C file and a network to a result: what ``syncfabric cores`` does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from syncfabric.models.errors import OutputError, SpecError
from syncfabric.models.messages.core import MOST_CORES
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.cores.barriers import lost_cycles
from syncfabric.sim.cores.compile import MEMORY_KIB, compile_program
from syncfabric.sim.cores.disassemble import barrier_routines
from syncfabric.sim.cores.events import Events
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.run import LIMIT, check_run, run_program
from syncfabric.sim.cores.system import (
    HARDWARE,
    changes,
    fitting,
    shape_of,
    with_channels,
    with_world,
)
from syncfabric.sim.output import check_file, write_file
from syncfabric.sim.progress import Progress, silent

__all__ = ["SOFTWARE_DEFAULT", "CoresJob"]

SOFTWARE_DEFAULT = "dissemination"
"""The barrier of a network that has none in hardware, unless another is asked for."""


@dataclass(frozen=True)
class CoresJob:
    """What is asked for.

    Parameters
    ----------
    spec : NetworkSpec
    source : Path
        The C file.
    cores : int, optional
        By default all nodes, at most 64.
    barrier : str, optional
        What ``sf_barrier`` is made of; by default the network's own in hardware.
    sim : {"verilator", "icarus"}
    memory_kib, limit : int
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
        """Compile, build, run and draw.

        Raises
        ------
        SyncfabricError
            Something asked for cannot be, or is missing; nothing has been built then.
        """
        nodes = len(self.spec.network.topology.nodes)
        cores = min(nodes, MOST_CORES) if self.cores is None else self.cores
        check_run(self.sim, self.limit)
        if self.trace is None and (self.begin or self.end is not None):
            raise SpecError("from and to choose the cycles of --trace; give --trace FILE.svg")
        if self.trace is not None:
            self._check_trace(self.trace)
        spec = with_channels(self.spec)
        shape_of(spec.network, cores, self.memory_kib, spec.source)
        barrier = self.barrier
        if barrier is None:
            barrier = next(iter(fitting(spec.network)), SOFTWARE_DEFAULT)
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
        from syncfabric.sim.cores.timeline import timeline
        from syncfabric.sim.draw.canvas import format_of, picture
        from syncfabric.sim.draw.cores import timeline_figure

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
        from syncfabric.sim.draw.canvas import format_of

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
