"""What a user asks of a run: checked as a whole before any work begins."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from syncfabric.models.errors import OutputError, SpecError, check_range
from syncfabric.models.networks.spec import AnySpec, NetworkSpec, StaticSpec
from syncfabric.models.patterns import UNIFORM, pattern_of
from syncfabric.sim.drive.scenario import free_gids, timeout_of
from syncfabric.sim.output import check_file, check_folder

if TYPE_CHECKING:
    from syncfabric.sim.vectors import StreamRequest

SIMULATORS = ("verilator", "icarus", "model")
"""What can run a network; ``model`` is the golden model by itself."""
MOST_SEED = (1 << 32) - 1
MOST_JITTER = 100_000
"""Cycles that a member may be late."""
MOST_THREADS = 256
"""Threads of a simulation: more than machines have cores."""


def check_simulator(sim: str) -> None:
    """Refuse what is no simulator.

    Raises
    ------
    SpecError
        With those that there are.
    """
    if sim not in SIMULATORS:
        raise SpecError(f"sim must be one of {', '.join(SIMULATORS)}, not {sim!r}")


@dataclass(frozen=True)
class Netlist:
    """A method to get the netlist of a network.

    Parameters
    ----------
    name : str
        What the user calls it.
    make : callable
        Given a network and a name, returns Verilog of a module of that name with the network's
        ports, and of the cells that it is made of. In it the links are called as in the network's
        top, and ``observe`` of the instance ``i`` there is the wire ``i.observe``.
    """

    name: str
    make: Callable[[AnySpec, str], str]


@dataclass(frozen=True)
class RunRequest:
    """A run's arguments; see ``Network.run``."""

    sim: str = "verilator"
    episodes: int = 100
    seed: int = 1
    background: float = 0.0
    waves: bool = False
    log: Path | None = None
    heat: Path | None = None
    output: Path | None = None
    long: bool = False
    churn: int = 0
    jitter: int | None = None
    netlist: Netlist | None = None
    stream: StreamRequest | None = None
    draw: Path | None = None
    pattern: str = UNIFORM
    threads: int | None = None

    @property
    def compared(self) -> bool:
        """Whether hardware is compared with the golden model."""
        return not self.long and self.sim != "model"

    def check(self, spec: NetworkSpec) -> None:
        """Refuse what cannot be done; make nothing.

        Parameters
        ----------
        spec : NetworkSpec
            What is to be run.

        Raises
        ------
        SpecError
            An argument is out of its range.
        OutputError
            A file cannot be written, or has a wrong name.
        ToolError
            The simulator is missing.
        """
        self._check_values()
        if self.background:
            named = f"background = {self.background:g}"
            spec.network.check_packets(named, "leave background out")
            pattern_of(spec.network.topology, self.pattern)
        if self.long and isinstance(spec.network, StaticSpec):
            raise SpecError(
                "long does not go with a static network: it has no traffic to make inside the "
                "design; leave long out"
            )
        if self.jitter is not None and spec.network.watchdog:
            self._check_watchdog(spec)
        if self.churn:
            check_churn(spec)
        if self.stream:
            self.stream.check(spec)
        if self.log is not None:
            if self.log.suffix.lower() != ".csv":
                raise OutputError(f"log {self.log}: its name must end in .csv")
            check_file(self.log, "log")
        for picture in (self.heat, self.draw):
            if picture is not None:
                from syncfabric.sim.draw.figures import check_picture

                check_picture(picture, spec.network)
                check_file(picture, "picture")
        if self.output is not None:
            check_folder(self.output)
        if self.sim != "model":
            from syncfabric.sim.simulators import find_simulator

            find_simulator(self.sim)

    def _check_values(self) -> None:
        check_simulator(self.sim)
        check_range("episodes", self.episodes, 1)
        check_range("seed", self.seed, 0, MOST_SEED)
        check_range("background", self.background, 0, 1, "flits a node a cycle")
        if self.jitter is not None:
            check_range("jitter", self.jitter, 0, MOST_JITTER, "cycles")
        if self.pattern != UNIFORM and not self.background:
            raise SpecError(
                f"pattern = {self.pattern}: background = 0 makes no packets; set background"
            )
        check_range("churn", self.churn, 0)
        check_threads(self.threads)
        if self.threads is not None and self.sim != "verilator":
            raise SpecError(
                f"threads = {self.threads}: verilator alone runs in threads, not {self.sim}; leave "
                "threads out"
            )
        if self.threads is not None and self.threads > 1 and self.waves:
            raise SpecError(
                f"threads = {self.threads}: a waveform is written by one thread; leave threads or "
                "waves out"
            )
        if self.netlist and (self.sim != "icarus" or self.long):
            raise SpecError(
                f"netlist = {self.netlist.name} runs under icarus alone, not under {self.sim}"
                f"{' and long' if self.long else ''}; set sim to icarus, and leave long out"
            )
        if self.draw and not self.stream:
            raise SpecError(
                f"draw = {self.draw} draws streams, and there is none; name one with stream, as "
                "stream = allreduce, or draw the load of channels with heat"
            )
        without = self.waves or self.log or self.heat or self.churn or self.jitter is not None
        if self.long and (self.sim != "verilator" or without or self.stream):
            raise SpecError(
                "long runs under verilator alone, without waves, log, heat, churn, jitter and "
                "stream"
            )

    def _check_watchdog(self, spec: NetworkSpec) -> None:
        """Refuse a jitter that lets members wait until the watchdog breaks their group off."""
        from syncfabric.models.planning.plan import make_plan

        plan = make_plan(spec)
        apart = timeout_of(plan)
        if apart is None or self.jitter is None or self.jitter <= apart:
            return
        network = spec.message_network
        entries = network.shape.router.layout.entries
        wanted = network.watchdog - (apart - self.jitter) // entries
        raise SpecError(
            f"jitter = {self.jitter}: members may be {apart} cycles apart before the watchdog ends "
            f"their group; set a smaller jitter, or watchdog = {wanted} in [network]"
        )

    def command(self, source: str) -> str:
        """Return the command line that repeats the run, its files apart."""
        words = ["syncfabric", "run", source, "--sim", self.sim, "--episodes", str(self.episodes)]
        words += ["--seed", str(self.seed), "--background", repr(float(self.background))]
        words += [] if self.pattern == UNIFORM else ["--pattern", self.pattern]
        words += ["--churn", str(self.churn)] if self.churn else []
        words += [] if self.jitter is None else ["--jitter", str(self.jitter)]
        if self.stream:
            words += ["--stream", self.stream.kind, "--words", str(self.stream.words)]
            words += ["--op", self.stream.op]
        words += ["--netlist", self.netlist.name] if self.netlist else []
        return shlex.join([*words, *(["--long"] if self.long else [])])


def check_threads(threads: int | None) -> None:
    """Refuse a number of threads that is out of its range.

    Raises
    ------
    SpecError
        With the range.
    """
    if threads is not None:
        check_range("threads", threads, 1, MOST_THREADS)


def check_churn(spec: NetworkSpec) -> None:
    """Refuse a network on which no group can come and go.

    Raises
    ------
    SpecError
        It is static, its groups are not set up by software, or they leave no room.
    """
    network = spec.message_network
    if not free_gids(spec):
        raise SpecError(
            f"churn: the groups of {spec.name} have all 256 ids, so there is none for another; "
            "remove a group"
        )
    network.check_renewal("churn")
    used = Counter(member for group in spec.groups for member in group.members)
    registers = network.port_registers
    free = sum(used[node] < registers for node in network.topology.nodes)
    if free < 2:
        raise SpecError(
            f"churn: {free} of the nodes of {spec.name} can take another group, and a group that "
            f"comes and goes has two members; set groups above {network.groups} in [network], or "
            "remove a group"
        )
