"""The PLL of an ECP5: dividers for a clock, and its instance.

Source: Lattice, ECP5 and ECP5-5G Family Data Sheet (FPGA-DS-02012), sysCLOCK PLL timing.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from syncfabric.models.errors import SpecError

_DIVIDERS = range(1, 129)
_LEAST_PHASE, _LEAST_OUT, _MOST_OUT = 3.125, 3.125, 400.0
_LEAST_VCO, _MIDDLE_VCO, _MOST_VCO = 400.0, 600.0, 800.0
_NEAR = 1e-3
"""Part by which a clock may miss what was asked."""


@dataclass(frozen=True)
class Pll:
    """A PLL's dividers; it feeds back its first output, and its second is the clock.

    Parameters
    ----------
    reference : float
        Clock that comes in, in MHz.
    before, feedback, first, second : int, 1 to 128
        Dividers of the reference, of what is fed back, and of the two outputs.
    """

    reference: float
    before: int
    feedback: int
    first: int
    second: int

    @property
    def oscillator(self) -> float:
        """Frequency of the oscillator inside, in MHz."""
        return self.reference / self.before * self.feedback * self.first

    @property
    def clock(self) -> float:
        """The clock, in MHz."""
        return self.oscillator / self.second

    def verilog(self) -> str:
        """Return the instance, from ``clock`` to ``clk`` and ``locked``."""
        settings = {
            "CLKI_DIV": self.before,
            "CLKFB_DIV": self.feedback,
            "FEEDBK_PATH": '"CLKOP"',
            "CLKOP_ENABLE": '"ENABLED"',
            "CLKOP_DIV": self.first,
            "CLKOP_CPHASE": self.first - 1,
            "CLKOP_FPHASE": 0,
            "CLKOS_ENABLE": '"ENABLED"',
            "CLKOS_DIV": self.second,
            "CLKOS_CPHASE": self.second - 1,
            "CLKOS_FPHASE": 0,
            "OUTDIVIDER_MUXA": '"DIVA"',
            "OUTDIVIDER_MUXB": '"DIVB"',
            "PLLRST_ENA": '"DISABLED"',
            "INTFB_WAKE": '"DISABLED"',
            "STDBY_ENABLE": '"DISABLED"',
            "DPHASE_SOURCE": '"DISABLED"',
        }
        ports = {"CLKI": "clock", "CLKOP": "fed_back", "CLKFB": "fed_back", "CLKOS": "clk"}
        ports |= {"LOCK": "locked", "CLKINTFB": ""}
        low = ("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PLLWAKESYNC", "ENCLKOP", "ENCLKOS")
        ports |= dict.fromkeys(low, "1'b0")
        ports |= dict.fromkeys(("PHASEDIR", "PHASESTEP", "PHASELOADREG"), "1'b1")
        return (
            f'  (* FREQUENCY_PIN_CLKI = "{self.reference:g}" *)\n'
            f'  (* FREQUENCY_PIN_CLKOS = "{self.clock:g}" *)\n'
            '  (* ICP_CURRENT = "12" *) (* LPF_RESISTOR = "8" *)\n'
            f"  EHXPLLL #({_joined(settings)}) pll ({_joined(ports)});"
        )


def find_pll(reference: float, clock: float) -> Pll:
    """Return the dividers that come nearest to a clock.

    Parameters
    ----------
    reference : float
        Clock that comes in, in MHz.
    clock : float
        In MHz.

    Raises
    ------
    SpecError
        None comes within a thousandth of it.
    """
    if not math.isfinite(clock):
        raise SpecError(f"freq must be a number of MHz, not {clock}")

    def miss(pll: Pll) -> tuple[float, bool, float, int]:
        # What the same divider makes is the plain method; the middle of its range an oscillator's
        # best place.
        off = round(abs(pll.clock - clock), 6)
        return (
            off,
            pll.first != pll.second,
            abs(pll.oscillator - _MIDDLE_VCO),
            pll.before,
        )

    best = min(_plls(reference, clock), key=miss)
    if abs(best.clock - clock) > _NEAR * clock:
        raise SpecError(
            f"freq = {clock:g} MHz: the PLL cannot make that of {reference:g} MHz; "
            f"the nearest is {best.clock:.6g}"
        )
    return best


def _plls(reference: float, clock: float) -> Iterator[Pll]:
    """Yield for all feedbacks the output divider that comes nearest."""
    for before in _DIVIDERS:
        phase = reference / before
        if phase < _LEAST_PHASE:
            break
        for feedback in _DIVIDERS:
            if not _LEAST_OUT <= phase * feedback <= _MOST_OUT:
                continue
            for first in _DIVIDERS:
                oscillator = phase * feedback * first
                if oscillator > _MOST_VCO:
                    break
                if oscillator < _LEAST_VCO:
                    continue
                least = -(-oscillator // _MOST_OUT)
                second = min(max(round(oscillator / max(clock, 1e-9)), least), _DIVIDERS[-1])
                yield Pll(reference, before, feedback, first, int(second))


def _joined(pairs: Mapping[str, object]) -> str:
    return "\n    " + ",\n    ".join(f".{name}({value})" for name, value in pairs.items()) + "\n  "
