"""Building a board's simulation, and keeping it on a pseudo-terminal."""

import os
import subprocess
import tempfile
import tty
from importlib.resources import files
from pathlib import Path

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.assemble.board import board_top, board_verilog, repeated_modules
from syncfabric.sim.front import Front
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.simulators.base import Built, Design
from syncfabric.sim.simulators.verilator import Verilator

BIT_CYCLES = 4
"""Clock cycles of a bit: the fewest, as each costs time."""

MOST_NODES = 64
"""Nodes of a network whose top is compiled in a few minutes, and runs at a useful pace."""

_NAME, _MAIN = "network", "board.cpp"


def build_board(
    spec: AnySpec,
    *,
    meters: int = 1,
    simulator: Verilator | None = None,
    progress: Progress = silent,
) -> Built:
    """Compile a board's top with a program around it, or take it from the cache.

    Parameters
    ----------
    spec : AnySpec
        The network.
    meters : int
        Groups that can be measured at the same time.
    simulator : Verilator, optional
        What compiles it; by default what is found.
    progress : Progress
        Called with the stage of the build.

    Raises
    ------
    SpecError
        The network is too large.
    ToolError
        Verilator or the C++ compiler is missing.
    """
    nodes = len(spec.topology.nodes)
    if nodes > MOST_NODES:
        raise SpecError(
            f"nodes = {nodes:,}: a simulated board has at most {MOST_NODES}; syncfabric run "
            "simulates larger networks, without a host"
        )
    tool = Verilator.find() if simulator is None else simulator
    with stage(progress, "emit"):
        text = board_verilog(spec, _NAME, Front("uart", meters, BIT_CYCLES))
    repeated = repeated_modules(spec)
    with tempfile.TemporaryDirectory() as name:
        source, main = Path(name, f"{_NAME}.v"), Path(name, _MAIN)
        source.write_text(text)
        main.write_text(files("syncfabric.sim.board").joinpath(_MAIN).read_text())
        with stage(progress, "build"):
            built = tool.build_native(
                [Design(board_top(_NAME), [source], no_inline=repeated)], main
            )
    return built


class SimulatedBoard:
    """A board that runs, and the terminal on which it listens. Use it as a context manager.

    Parameters
    ----------
    built : Built
        From `build_board`.

    Attributes
    ----------
    port : str
        Path of the terminal: what a board's serial port would be.
    """

    def __init__(self, built: Built) -> None:
        inside, self._outside = os.openpty()
        # No echo, and no byte changed, for any program. It stays open: a port does not go away
        # when a program has closed it.
        tty.setraw(self._outside)
        self.port = os.ttyname(self._outside)
        self._process = subprocess.Popen(
            [str(built.program), str(inside), str(BIT_CYCLES)],
            stdin=subprocess.PIPE,
            pass_fds=[inside],
            start_new_session=True,  # Ctrl-C is for us; the program ends when we do
        )
        os.close(inside)

    def __enter__(self) -> "SimulatedBoard":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        os.close(self._outside)

    def wait(self) -> int:
        """Wait until the program ends by itself, which it does not unless it fails."""
        return self._process.wait()
