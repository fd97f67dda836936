"""Fig. 6 on our hardware: the same barriers, and ours, measured on the RTL."""

from __future__ import annotations

from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.reflex import hardware
from syncfabric.sim.reproduce.reflex.tile64 import REFLEX, TREE, WIRES
from syncfabric.sim.reproduce.reflex.words import at_sizes, slashed

__all__ = ["HOPS", "on_hardware"]

HOPS = "one for the notify, one for the release: the paper leaves out the release"
"""Why a core more costs two hops."""


def on_hardware(work: Work) -> None:
    """Add what arrivals in one cycle take, and barriers in a loop."""
    cycle = 1_000 / work.clock_mhz
    found = hardware.cycles(work, hardware.ALL, [("together", 0)])
    cores = [side * side for side in hardware.SIDES]
    said = slashed(cores)
    for name, rows in found.items():
        ns = (cycles * cycle for (cycles,) in rows)
        work.curve(f"{name}, RTL", zip(cores, ns, strict=True))
        text = slashed(cycles for (cycles,) in rows)
        words = f"{name}, RTL: cycles at {said} cores, all together"
        work.claim(words, None, text, f"drawn at {work.clock_mhz:g} MHz")
    ring = [cycles for (cycles,) in found[REFLEX]]
    udn = [cycles for (cycles,) in found["UDN/STN"]]
    work.claim(
        "Reflex is faster than UDN/STN, RTL",
        "yes",
        at_sizes({n: a < b for n, a, b in zip(cores, ring, udn, strict=True)}),
        "a message costs its software no cycles there, and the root takes one a cycle",
    )
    slope = (ring[-1] - ring[0]) / (cores[-1] - cores[0])
    work.claim("Reflex, RTL: hops that a core more costs", 1, slope, HOPS)
    names = (REFLEX, TREE, WIRES)
    loops = hardware.cycles(work, names, [("back_to_back", 0)])
    for name, rows in loops.items():
        text = slashed(cycles for (cycles,) in rows)
        work.claim(f"{name}, RTL: cycles at {said} cores, in a loop", None, text)
    period = [cycles for (cycles,) in loops[REFLEX]]
    slope = (period[-1] - period[0]) / (cores[-1] - cores[0])
    work.claim("Reflex in a loop, RTL: hops that a core more costs", 1, slope)
