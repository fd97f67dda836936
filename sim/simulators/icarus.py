"""Icarus Verilog: slow, with unknown values, and a second opinion on every build."""

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from syncfabric.models.cache import fingerprint
from syncfabric.models.errors import ToolError
from syncfabric.sim.simulators.base import Built, Design
from syncfabric.sim.simulators.cache import Cache
from syncfabric.sim.simulators.process import run_tool, version_line

MISSING = "Icarus Verilog is not on PATH; install it with: apt-get install iverilog"

DUMP = """\
module syncfabric_dump;
    string file;
    initial if ($value$plusargs("syncfabric_waves=%s", file)) begin
        $dumpfile(file);
        $dumpvars(0, {top});
    end
endmodule
"""


@dataclass(frozen=True)
class Icarus:
    """Icarus Verilog on this machine.

    Parameters
    ----------
    compiler, runtime : str
        Paths of ``iverilog`` and ``vvp``.
    version : str
        What the compiler says of itself.
    """

    compiler: str
    runtime: str
    version: str
    name: str = "icarus"

    @classmethod
    def find(cls) -> "Icarus":
        """Find it on ``PATH``.

        Raises
        ------
        ToolError
            It is not there.
        """
        compiler, runtime = shutil.which("iverilog"), shutil.which("vvp")
        if compiler is None or runtime is None:
            raise ToolError(MISSING)
        return cls(compiler, runtime, version_line([compiler, "-V"]))

    def build(self, design: Design) -> Built:
        """Compile a design for ``vvp``, or take it from the cache.

        Raises
        ------
        ToolError
            Icarus refused the design; the message ends with its last lines.
        """
        begin = time.perf_counter()
        flags = ["-g2012", "-Wall", "-Wno-timescale", "-s", design.top]
        flags += [f"-D{name}={value}" for name, value in design.defines.items()]
        settings = {"version": self.version, "flags": flags, "trace": design.trace}

        def make(scratch: Path, result: Path) -> None:
            commands, files = (
                scratch / "commands.f",
                [str(path.resolve()) for path in design.sources],
            )
            output = str(result / "bench.vvp")
            commands.write_text("+timescale+1ns/1ps\n")
            extra = []
            if design.trace:
                dump = scratch / "dump.v"
                dump.write_text(DUMP.format(top=design.top))
                extra = ["-s", "syncfabric_dump", str(dump)]
            run_tool(
                "Icarus Verilog",
                [self.compiler, *flags, "-f", str(commands), "-o", output, *files, *extra],
                result / "build.log",
                folder=scratch,
                environment=os.environ,
            )

        folder, cached = Cache().get(fingerprint(settings, design.sources), make)
        seconds = time.perf_counter() - begin
        return Built(self.name, design, folder / "bench.vvp", cached, seconds)

    def command(
        self, built: Built, *, waves: Path | None = None, plusargs: Sequence[str]
    ) -> list[str]:
        """Give the command line that runs a build.

        Parameters
        ----------
        built : Built
        waves : Path, optional
            Waveform to write; only of a design built with `trace`.
        plusargs : sequence of str
            Further arguments of the simulation, each with its ``+``.
        """
        dump = [f"+syncfabric_waves={waves}"] if waves else []
        return [
            *(self.runtime, "-n", str(built.program), "-vcd" if waves else "-none"),
            *plusargs,
            *dump,
        ]
