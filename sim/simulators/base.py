"""What every simulator offers, and the records that pass between building and running."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Protocol

from syncfabric.models.errors import ToolError, how_to_install

__all__ = ["LINT_OFF", "Built", "Design", "Model", "Simulator", "cocotb_config"]


@dataclass(frozen=True)
class Design:
    """What to build.

    Parameters
    ----------
    top : str
        Name of the module at the top.
    sources : sequence of Path
        Verilog or SystemVerilog files, in the order of compilation.
    public : sequence of str
        Signals of the top module that a bench reads or writes: names, or patterns with ``*``.
        Name its ports one by one where the top has many wires of its own, because a public
        signal is one that Verilator cannot optimise away. Icarus shows every signal anyway.
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
    public: Sequence[str] = ("*",)
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
    """

    simulator: str
    design: Design
    program: Path
    cached: bool
    seconds: float


class Simulator(Protocol):
    """A simulator as found on this machine."""

    @property
    def name(self) -> str:
        """What a user calls it."""

    @property
    def version(self) -> str:
        """Its own report of its version, one line."""

    @property
    def bench_environment(self) -> Mapping[str, str]:
        """Variables that cocotb wants under this simulator and under no other."""

    def build(self, design: Design) -> Built:
        """Build a design to be run by a cocotb bench, or take it from the cache.

        Raises
        ------
        ToolError
            The simulator refused the design; the message ends with its last lines.
        """

    def command(self, built: Built, *, waves: Path | None, plusargs: Sequence[str]) -> list[str]:
        """Give the command line that runs a build with cocotb loaded.

        Parameters
        ----------
        built : Built
        waves : Path or None
            Waveform to write; only of a design built with `trace`.
        plusargs : sequence of str
            Further arguments of the simulation, each with its ``+``.
        """


LINT_OFF = ("CASEINCOMPLETE", "CMPCONST", "UNOPTFLAT", "UNUSEDSIGNAL", "WIDTHEXPAND", "WIDTHTRUNC")
"""Lint classes that Amaranth's Verilog trips, and that say nothing about it."""


@dataclass(frozen=True)
class Model:
    """A design, its C++ class, and which of its signals others may reach.

    Parameters
    ----------
    prefix : str
        Name of the class.
    design : Design
    public : bool
        Show what the design says is public, for VPI.
    """

    prefix: str
    design: Design
    public: bool

    @property
    def named(self) -> list[str]:
        """Options that say what the design is."""
        defines = [f"-D{name}={value}" for name, value in self.design.defines.items()]
        return ["--top-module", self.design.top, *defines]

    @property
    def configuration(self) -> str:
        """The configuration file: what to silence, to show, and not to flatten."""
        design = self.design
        lines = ["`verilator_config"]
        lines += [f"lint_off -rule {rule}" for rule in LINT_OFF]
        if self.public:
            lines += [
                f'public_flat_rw -module "{design.top}" -var "{signal}"' for signal in design.public
            ]
        lines += [f'no_inline -module "{module}"' for module in design.no_inline]
        return "\n".join(lines) + "\n"


def cocotb_config() -> ModuleType:
    """Give the module in which cocotb says where its files lie.

    Raises
    ------
    ToolError
        cocotb is not installed.
    """
    try:
        import cocotb_tools.config  # an extra: imported only by who simulates
    except ImportError as error:
        raise ToolError(f"cocotb is not installed; {how_to_install('sim')}") from error
    return cocotb_tools.config
