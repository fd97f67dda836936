"""A design on its way through Verilator to a C++ class."""

from dataclasses import dataclass

from syncfabric.sim.simulators.base import Design

__all__ = ["LINT_OFF", "Model"]

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
