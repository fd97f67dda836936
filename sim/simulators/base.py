"""The records that pass between building and running, whatever the simulator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Design:
    """What to build.

    Parameters
    ----------
    top : str
        Name of the module at the top.
    sources : sequence of Path
        Verilog or SystemVerilog files, in the order of compilation.
    no_inline : sequence of str
        Modules that Verilator shall compile once and call, instead of flattening every instance.
    defines : mapping of str to str
        Preprocessor macros.
    trace : bool
        Make it possible for a run to write a waveform, as VCD: Verilator's FST needs headers of
        lz4 and zlib, which a fresh machine has not.
    """

    top: str
    sources: Sequence[Path]
    no_inline: Sequence[str] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    trace: bool = False


@dataclass(frozen=True)
class Built:
    """A design, built and ready to run; it lies in the cache and is not to be changed.

    Parameters
    ----------
    simulator : str
        Name of the simulator that built it.
    design : Design
        What it was built from.
    program : Path
        The executable, or what the simulator executes.
    cached : bool
        It had been built before.
    seconds : float
        Time that this call to build took.
    data : Path, optional
        A file for the program to read: what other networks with the same program have otherwise.
    """

    simulator: str
    design: Design
    program: Path
    cached: bool
    seconds: float
    data: Path | None = None


LINT_OFF = ("UNOPTFLAT",)
"""Warnings that say nothing about a design: that a loop through parts of a bus costs speed."""


@dataclass(frozen=True)
class Model:
    """A design, and its C++ class.

    Parameters
    ----------
    prefix : str
        Name of the class.
    design : Design
    """

    prefix: str
    design: Design

    @property
    def named(self) -> list[str]:
        """Options that say what the design is."""
        defines = [f"-D{name}={value}" for name, value in self.design.defines.items()]
        return ["--top-module", self.design.top, *defines]

    @property
    def configuration(self) -> str:
        """The configuration file: what to silence, and not to flatten."""
        lines = ["`verilator_config"]
        lines += [f"lint_off -rule {rule}" for rule in LINT_OFF]
        lines += [f'no_inline -module "{module}"' for module in self.design.no_inline]
        return "\n".join(lines) + "\n"
