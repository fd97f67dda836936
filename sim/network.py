"""What a user holds: a network that plans, emits, builds and runs itself.

>>> from syncfabric import Network
>>> net = Network.load("fig1")
>>> net.plan().group(1).height
2
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from syncfabric.models.networks import reader
from syncfabric.models.networks.dead import NOTHING, Dead
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.patterns import UNIFORM
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.output import check_file, check_folder, make_folder, write_file, write_folder
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.request import Netlist, RunRequest
from syncfabric.sim.results import RunResult
from syncfabric.sim.words import kind_words

if TYPE_CHECKING:
    from syncfabric.sim.front import Front
    from syncfabric.sim.vectors import StreamRequest

PathLike = str | Path


class Plan(BarrierPlan):
    """A barrier plan: ``print`` shows its tables, a notebook its picture; it draws itself."""

    def __str__(self) -> str:
        from syncfabric.sim.tables import as_text, plan_parts

        return as_text(plan_parts(self))

    def draw(self, path: PathLike) -> Path:
        """Draw all trees and rings into one ``.svg`` or ``.png`` file.

        Raises
        ------
        OutputError
            The file's name ends otherwise, it cannot be written, or the network is too large.
        """
        from syncfabric.sim.draw.figures import check_picture, plan_figure
        from syncfabric.sim.draw.page import picture

        kind = check_picture(path, self.spec.network)
        check_file(path, "picture")
        return write_file(path, picture(plan_figure(self), kind))

    def _repr_svg_(self) -> str | None:
        from syncfabric.sim.draw.figures import plan_figure, show

        return show(self.spec.network, lambda: plan_figure(self))


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
        self.source = source

    @classmethod
    def load(cls, name_or_path: PathLike, *, fences: bool = False) -> Network:
        """Read a ready-made network by its name, or any network file by its path.

        Parameters
        ----------
        name_or_path : path
        fences : bool
            Its groups may have a fence, as those of systems of cores.

        Raises
        ------
        SpecError
            There is no such network or file, or what it says is not allowed.
        """
        return cls(reader.load(name_or_path, fences=fences), str(name_or_path))

    @classmethod
    def loads(cls, text: str) -> Network:
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
        groups = len(self.spec.groups)
        return f"Network({self.name!r}, {kind_words(self.spec.network)}, {groups} groups)"

    @cached_property
    def _plan(self) -> Plan:
        return self._planned(NOTHING)

    def _planned(self, without: Dead) -> Plan:
        plan = make_plan(self.spec, without)
        # Other routes of Syncfabric's own have no cycle of channels.
        if self.spec.network.rings:
            from syncfabric.models.planning import deadlock

            deadlock.check(plan)
        return Plan(plan.spec, plan.groups, plan.without, plan.left_out)

    def plan_without(self, *dead: str) -> Plan:
        """Return a plan around dead links and nodes, as docs/faults.md names them.

        Raises
        ------
        SpecError
            There is no such link or node.
        PlanError
            Members of a group cannot reach each other any more; or as of ``plan``.
        """
        return self._planned(Dead.of(self.spec.network.topology, dead))

    def plan(self) -> Plan:
        """Return every group's tree, registers and predicted latency; made once.

        Raises
        ------
        PlanError
            A node has more groups than registers, and no backing memory.
        DeadlockError
            By the network file's routing tables, or on rings without datelines, channels could wait
            for each other in a cycle.
        """
        return self._plan

    def verilog(self, front: Front | None = None, prefix: str = "") -> str:
        """Return the network's Verilog: one file, with the top module of the network's name.

        Parameters
        ----------
        front : Front, optional
            Put this in front of it, as a top ``NAME_axi`` or ``NAME_uart`` in the same file.
        prefix : str, optional
            What the names of all other modules begin with; by default the network's name.

        Raises
        ------
        DeadlockError
            The network's channels could wait for each other in a cycle.
        SpecError
            The network is too large for a front, or the prefix is none.
        """
        from syncfabric.sim.products import network_verilog

        self.check()
        return network_verilog(self.spec, front, prefix)

    def build(
        self,
        directory: PathLike,
        *,
        front: Front | None = None,
        prefix: str = "",
        split: bool = False,
        macro: str = "",
        sva: bool = False,
        progress: Progress = silent,
    ) -> list[Path]:
        """Write Verilog, plan, registers, C headers, set-up, test bench, maps into a folder.

        Parameters
        ----------
        directory : path
            Folder to write into.
        front : Front, optional
            Put this in front of the network, as in ``verilog``.
        prefix : str, optional
            Of modules and C names, as in ``verilog``.
        split : bool, optional
            A file for each module, named like it.
        macro : str, optional
            ``router``: its module and all in it have a file of their own, and constraints.
        sva : bool, optional
            Assertions in SystemVerilog, too, in ``NAME_sva.sv``.
        progress : Progress
            Receives the progress of the build.

        Returns
        -------
        list of Path
            ``NAME.v`` or Verilog in several files, ``NAME_plan.json``, ``NAME_registers.json``,
            ``NAME_registers.h``, ``NAME.rdl``, ``NAME.sdc``, ``NAME.core``, ``NAME.f``,
            ``NAME.bender.yml``; with a front ``NAME_axi.h`` and ``NAME_axi.rdl``, or
            ``NAME_uart…``; with groups ``NAME_setup.h``, ``NAME_setup.hex``, ``NAME_tb.v``.

        Raises
        ------
        DeadlockError
            The network's channels could wait for each other in a cycle.
        SpecError
            As of ``verilog``.
        OutputError
            The folder cannot be written.
        """
        from syncfabric.sim.products import check_parts, check_prefix, network_files

        check_prefix(prefix)
        check_parts(split=split, macro=macro)
        check_folder(directory)
        with stage(progress, "plan"):
            self.check()
        with stage(progress, "emit"):
            files = network_files(self.plan(), front, prefix, split=split, macro=macro, sva=sva)
            written = write_folder(directory, files)
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
        churn: int = 0,
        jitter: int | None = None,
        netlist: Netlist | None = None,
        stream: StreamRequest | None = None,
        draw: PathLike | None = None,
        pattern: str = UNIFORM,
        threads: int | None = None,
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
            model once the groups are set up.
        churn : int, >= 0
            Groups that are set up and torn down by packets, when every group has had its barriers;
            they go on with more until the last of these is gone. Only with ``setup = "manager"``.
        jitter : int, optional
            Cycles by which the last member is late, each in turn, all others arriving together; by
            default all arrive at random within a few cycles.
        netlist : Netlist, optional
            Simulate this in place of the network's RTL (`fpga.designs`); under Icarus.
        stream : StreamRequest, optional
            What every group with ``stream = true`` performs once, beside the barriers
            (`sim.vectors`).
        draw : path, optional
            Picture of the stream: its words on each link, and over time.
        pattern : str
            Where the packets of the background go (docs/microarchitecture.md, Traffic).
        threads : int, optional
            Threads that evaluate the network under Verilator, by default as many as there are idle
            cores; they change no result.
        progress : Progress
            Receives the progress of the run.

        Raises
        ------
        SyncfabricError
            An argument is not allowed, a simulator is missing, or a file cannot be written.
        """
        at, loads, into, flow = (
            None if file is None else Path(file) for file in (log, heat, output, draw)
        )
        request = RunRequest(
            sim,
            episodes,
            seed,
            background,
            waves,
            at,
            loads,
            into,
            long,
            churn,
            jitter,
            netlist,
            stream,
            flow,
            pattern,
            threads,
        )
        return self.perform(request, progress)

    def perform(self, request: RunRequest, progress: Progress = silent) -> RunResult:
        """Do a run with arguments in one object; see ``run``.

        Raises
        ------
        SyncfabricError
            As of ``run``.
        """
        request.check(self.spec)
        with stage(progress, "plan"):
            self.check()
        products: dict[str, str] = {}
        if request.output is not None:
            from syncfabric.sim.products import network_files

            with stage(progress, "emit"):
                products = network_files(self.plan())
        if request.log is not None:
            make_folder(request.log.parent)
            if request.log.is_symlink():  # what it leads to is not to be written over
                request.log.unlink()
        result = self._drive(request, progress)
        written = [] if request.output is None else write_folder(request.output, products)
        if request.output or request.heat or request.draw:
            from syncfabric.sim.products import draw_run

            written += draw_run(self.plan(), result, request, progress)
        return replace(
            result,
            compared=request.compared,
            repeat=self.source and request.command(self.source),
            files=(*map(str, written), *result.files),
        )

    def _drive(self, request: RunRequest, progress: Progress) -> RunResult:
        if request.long:
            from syncfabric.sim.drive.long_run import long_run as drive
        else:
            from syncfabric.sim.drive.run import run as drive
        return drive(self.plan(), request, progress)

    def check(self) -> None:
        """Refuse a plan that cannot work.

        Raises
        ------
        PlanError
            A node has more groups than registers, and no backing memory.
        DeadlockError
            The network's channels could wait for each other in a cycle.
        """
        from syncfabric.models.planning import deadlock

        deadlock.check(self.plan())

    def _repr_svg_(self) -> str | None:
        from syncfabric.sim.draw.figures import network_figure, show

        return show(self.spec.network, lambda: network_figure(self.spec))
