"""What a user holds: a network that plans, emits, builds and runs itself.

>>> from syncfabric import Network
>>> net = Network.load("fig1")
>>> net.plan().group(1).height
2
"""

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncfabric.models.errors import OutputError, SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim import output as files
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.reserved import check_module_name
from syncfabric.sim.results import GroupResult, RunResult

if TYPE_CHECKING:
    from syncfabric.models.planning.plan import GroupPlan

__all__ = ["SIMULATORS", "Network", "Plan"]

SIMULATORS = ("verilator", "icarus", "model")
"""What can run a network; ``model`` is the golden model by itself."""

PathLike = str | Path


class Plan(BarrierPlan):
    """A barrier plan that shows itself in a notebook, and draws itself into files."""

    def draw(self, path: PathLike) -> Path:
        """Draw all trees into one ``.svg`` or ``.png`` file.

        Raises
        ------
        OutputError
            The file's name ends otherwise, it cannot be written, or the mesh is too large.
        """
        from syncfabric.sim.draw import check_picture, picture, plan_figure

        kind = check_picture(path, self.spec.network.mesh)
        files.check_file(path, "picture")
        return files.write_file(path, picture(plan_figure(self), kind))

    def _repr_svg_(self) -> str | None:
        from syncfabric.sim.draw import plan_figure, show

        return show(self.spec.network.mesh, lambda: plan_figure(self))


class Network:
    """A network and its process groups.

    Parameters
    ----------
    spec : NetworkSpec
        What it is.
    source : str, optional
        The name or path that it was loaded by, for commands that repeat a run.
    """

    def __init__(self, spec: NetworkSpec, source: str | None = None) -> None:
        self.spec = spec
        self.source = source or spec.name

    @classmethod
    def load(cls, name_or_path: PathLike) -> "Network":
        """Read a ready-made network by its name, or any network file by its path.

        Raises
        ------
        SpecError
            There is no such network or file, or what it says is not allowed.
        """
        return cls(reader.load(name_or_path), str(name_or_path))

    @classmethod
    def loads(cls, text: str) -> "Network":
        """Read a network from the text of a network file.

        Raises
        ------
        SpecError
            What it says is not allowed.
        """
        return cls(reader.loads(text))

    @property
    def name(self) -> str:
        """Name of the network."""
        return self.spec.name

    def __repr__(self) -> str:
        return f"Network({self.name!r}, {self.spec.network.mesh}, {len(self.spec.groups)} groups)"

    @cached_property
    def _plan(self) -> Plan:
        plan = make_plan(self.spec)
        return Plan(plan.spec, plan.groups)

    def plan(self) -> Plan:
        """Return every group's tree, registers and predicted latency; made once.

        Raises
        ------
        PlanError
            A node has more groups than registers, and no backing memory.
        """
        return self._plan

    def verilog(self) -> str:
        """Return the network's Verilog: one file, with the top module of the network's name.

        Raises
        ------
        DeadlockError
            The network's channels could wait for each other in a cycle.
        SpecError
            The network's name cannot be that of a Verilog module.
        """
        self._check()
        return self._verilog()

    def build(self, directory: PathLike, *, progress: Progress = silent) -> list[Path]:
        """Write Verilog, plan, register images and C header into a folder.

        Returns
        -------
        list of Path
            ``NAME.v``, ``plan.json``, ``registers.json``, ``NAME_registers.h``.

        Raises
        ------
        DeadlockError
            The network's channels could wait for each other in a cycle.
        OutputError
            The folder cannot be written.
        """
        files.check_folder(directory)
        progress("plan", 0, 1)
        self._check()
        progress("plan", 1, 1)
        progress("emit", 0, 1)
        written = files.write_folder(directory, dict(self._products()))
        progress("emit", 1, 1)
        return written

    def run(
        self,
        sim: str = "verilator",
        episodes: int = 100,
        seed: int = 1,
        background: float = 0.0,
        *,
        waves: bool = False,
        log: PathLike | None = None,
        heat: PathLike | None = None,
        output: PathLike | None = None,
        long: bool = False,
        progress: Progress = silent,
    ) -> RunResult:
        """Run barriers in every group, and compare hardware and golden model in every cycle.

        Parameters
        ----------
        sim : {"verilator", "icarus", "model"}
            What runs the hardware; ``"model"`` runs the golden model by itself.
        episodes : int, >= 1
            Barriers of each group.
        seed : int, >= 0
            Seed of everything random.
        background : float, 0 to 1
            Ordinary traffic, in flits a node a cycle.
        waves : bool
            Write a waveform, into ``output`` or the current folder.
        log : path, optional
            CSV file of every packet and synchronization message.
        heat : path, optional
            Picture (``.svg`` or ``.png``) of the load of every channel.
        output : path, optional
            Folder for Verilog, plan, registers and pictures.
        long : bool
            Make traffic and checks inside the simulated design: faster, and without the golden
            model.
        progress : Progress
            Is told how far the run is.

        Raises
        ------
        SyncfabricError
            An argument is not allowed, a simulator is missing, or a file cannot be written.
        """
        _check_run(sim, episodes, seed, background)
        self._check_outputs(log, heat, output)
        progress("plan", 0, 1)
        self._check()
        plan = self.plan()
        progress("plan", 1, 1)
        products: dict[str, str] = {}
        if output is not None:
            progress("emit", 0, 1)
            products = dict(self._products())
            progress("emit", 1, 1)
        if log is not None:
            files.make_folder(Path(log).parent)
        if long:
            from syncfabric.sim.fabric.long_run import long_run as drive
        else:
            from syncfabric.sim.drive.run import run as drive
        result = drive(
            plan,
            sim=sim,
            episodes=episodes,
            seed=seed,
            background=background,
            waves=waves,
            log=None if log is None else Path(log),
            heat=heat is not None,
            output=None if output is None else Path(output),
            progress=progress,
        )
        repeat = self._command(sim, episodes, seed, background, long=long)
        groups = tuple(map(_completed, result.groups, plan.groups))
        compared = not long and sim != "model"
        result = replace(result, groups=groups, repeat=repeat, compared=compared)
        written = [] if output is None else files.write_folder(output, products)
        written += self._draw(result, heat, output, progress)
        return replace(result, files=(*map(str, written), *result.files))

    def _check(self) -> None:
        from syncfabric.models.planning import deadlock

        deadlock.check(self.plan())

    def _check_outputs(
        self, log: PathLike | None, heat: PathLike | None, output: PathLike | None
    ) -> None:
        from syncfabric.sim.draw import check_picture

        if log is not None:
            if Path(log).suffix.lower() != ".csv":
                raise OutputError(f"log {log}: its name must end in .csv")
            files.check_file(log, "log")
        if heat is not None:
            check_picture(heat, self.spec.network.mesh)
            files.check_file(heat, "picture")
        if output is not None:
            files.check_folder(output)

    def _verilog(self) -> str:
        from syncfabric.sim.assemble.mesh import ROUTER, verilog

        check_module_name(self.spec.module, frozenset({ROUTER}))
        return verilog(self.spec.network, self.spec.module)

    def _products(self) -> Iterator[tuple[str, str]]:
        """Make the files of a build, by name."""
        from syncfabric.models.planning import images

        plan = self.plan()
        yield f"{self.name}.v", self._verilog()
        yield "plan.json", _json(plan.to_json())
        yield "registers.json", _json(images.registers_json(plan))
        yield f"{self.name}_registers.h", images.c_header(plan.spec)

    def _draw(
        self, result: RunResult, heat: PathLike | None, output: PathLike | None, progress: Progress
    ) -> Iterator[Path]:
        """Draw what a run was asked for; yield the files."""
        from syncfabric.sim.draw import LARGEST, check_picture, group_figure, heat_figure, picture

        plan, mesh = self.plan(), self.spec.network.mesh
        groups = plan.groups if output and max(mesh.width, mesh.height) <= LARGEST else ()
        total, done = 2 * len(groups) + (heat is not None), 0
        for group in groups:
            for kind in ("svg", "png"):
                progress("draw", done, total)
                path = Path(output or ".", f"{self.name}_group{group.id}.{kind}")
                yield files.write_file(path, picture(group_figure(plan, group), kind))
                done += 1
        if heat is not None:
            progress("draw", done, total)
            title = f"{self.name} · load of channels"
            line = f"{result.cycles:,} cycles · background {result.traffic.offered:g}"
            figure = heat_figure(mesh, result.loads or (), title=title, line=line)
            yield files.write_file(heat, picture(figure, check_picture(heat, mesh)))
        if total:
            progress("draw", total, total)

    def _command(self, sim: str, episodes: int, seed: int, background: float, *, long: bool) -> str:
        words = ["syncfabric", "run", self.source, "--sim", sim, "--episodes", str(episodes)]
        words += ["--seed", str(seed), "--background", f"{background:g}"]
        return shlex.join([*words, *(["--long"] if long else [])])

    def _repr_svg_(self) -> str | None:
        from syncfabric.sim.draw import network_figure, show

        return show(self.spec.network.mesh, lambda: network_figure(self.spec))


def _check_run(sim: str, episodes: int, seed: int, background: float) -> None:
    if sim not in SIMULATORS:
        raise SpecError(f"sim must be one of {', '.join(SIMULATORS)}, not {sim!r}")
    if episodes < 1:
        raise SpecError(f"episodes must be 1 or more, not {episodes}")
    if not 0 <= seed < 1 << 32:
        raise SpecError(f"seed must be 0..{(1 << 32) - 1}, not {seed}")
    if not 0 <= background <= 1:
        raise SpecError(f"background must be 0 to 1 flits a node a cycle, not {background:g}")
    if sim != "model":
        from syncfabric.sim.simulators import find_simulator

        find_simulator(sim)


def _completed(result: GroupResult, plan: "GroupPlan") -> GroupResult:
    """Add to a group's result what its plan knows."""
    return replace(
        result,
        root=plan.root,
        planner=plan.planner,
        bound_btm=plan.bound_btm,
        bound_links=plan.longest_path,
    )


def _json(value: dict[str, Any]) -> str:
    """Write an object with a line for each field, and for each entry of a list."""
    fields = []
    for name, content in value.items():
        text = json.dumps(content)
        if isinstance(content, list) and content:
            entries = ",\n".join(f"  {json.dumps(entry)}" for entry in content)
            text = f"[\n{entries}\n ]"
        fields.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(fields) + "\n}\n"
