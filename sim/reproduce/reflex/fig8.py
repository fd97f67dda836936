"""Fig. 8: Reflex and Tile Spin with one core late, in LogGP; with ``--rtl`` on our hardware."""

from __future__ import annotations

from syncfabric.models.timing.barriers import reflex_late_ns, reflex_ns
from syncfabric.models.timing.memory_barriers import tile_spin_late_ns
from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.reflex import hardware
from syncfabric.sim.reproduce.reflex.tile64 import (
    REFLEX,
    TREE,
    WIRES,
    cycle_ns,
    diameter,
    memory,
    network,
    ours,
    sizes,
)
from syncfabric.sim.reproduce.reflex.words import at_sizes, slashed

__all__ = ["late"]

SPIN = "Tile Spin"
BEND = 16
"""Cores up to which the paper has both perform well."""
SEVERE, STRAIGHT = 2.0, 1.1
"""Slopes over those before from which on scaling drops severely, and up to which it goes on."""
FARTHEST = 65_536
ASSUMED = "the text gives no algorithm; here waiting cores' reads take all of the flag's home"


def late(work: Work) -> None:
    """Fig. 8: one core comes when all others have waited long."""
    stn, shared, added = network(work.values), memory(work.values), ours(work.values)
    cores = sizes(int(work.values["cores"]))
    worst = f"{REFLEX}, the root late (worst)"
    mean = f"{REFLEX}, mean over the late core"
    curves = {
        SPIN: {n: tile_spin_late_ns(n, diameter(n), shared) for n in cores},
        worst: {n: reflex_late_ns(n, 0, stn) for n in cores},
        mean: {n: sum(reflex_late_ns(n, i, stn) for i in range(n)) / n for n in cores},
        # A late member reads what waits for it, and the last wire up is its own: nothing is saved.
        TREE: {n: added[TREE](n) for n in cores},
        WIRES: {n: added[WIRES](n) for n in cores},
    }
    for name, curve in curves.items():
        work.curve(name, curve.items())
    work.by_formula = True  # of LogGP, with times that are assumed
    last = cores[-1]
    spin, ring = curves[SPIN], curves[worst]
    work.claim(
        "Reflex is faster than Tile Spin", "yes", at_sizes({n: ring[n] < spin[n] for n in cores})
    )
    busy = (n for n in range(2, FARTHEST) if n * shared.g > shared.access_ns(diameter(n)))
    first = next(busy, None)
    wanted = shared.access_ns(diameter(BEND)) / BEND / cycle_ns(work.values)
    work.claim(
        "cores up to which Tile Spin scales well",
        BEND,
        None if first is None else first - 1,
        f"{ASSUMED}, where P g is more than an access takes; memory_g = {wanted:.3g} puts it there",
    )
    if last > BEND:
        for name, curve, words in (
            (SPIN, spin, "drops severely"),
            (REFLEX, ring, "continues to scale"),
        ):
            before = (curve[BEND] - curve[4]) / (BEND - 4)
            after = (curve[last] - curve[BEND]) / (last - BEND)
            bend = after / before if before else 1.0
            work.claim(
                f"{name}, ns a core more from {BEND} to {last:,} cores over 4 to {BEND}",
                words,
                bend,
                ASSUMED if name == SPIN else "a straight line",
                holds=bend >= SEVERE if name == SPIN else bend <= STRAIGHT,
                partly=bend > STRAIGHT and name == SPIN,
            )
    level = reflex_ns(last, stn)
    work.claim(
        f"Reflex with one core late over all together, {last:,} cores: the worst",
        "above 1",
        ring[last] / level,
        "does not come out: with a late root it takes as long as all together, with others less",
    )
    work.claim(
        f"the same, mean over the late core, {last:,} cores", None, curves[mean][last] / level
    )
    for name, curve in curves.items():
        work.claim(f"{name}, ns, {last:,} cores", None, curve[last])
    work.by_formula = False
    if work.rtl:
        _on_hardware(work)


def _on_hardware(work: Work) -> None:
    """Add what one late core costs, the worst over which one."""
    wishes: list[hardware.Wish] = [("late", int(work.values["jitter"])), ("together", 0)]
    found = hardware.cycles(work, hardware.ALL, wishes)
    cores = [side * side for side in hardware.SIDES]
    said = slashed(cores)
    for name, rows in found.items():
        for n, (alone, _) in zip(cores, rows, strict=True):
            work.point(f"{name}, RTL", n, alone * 1_000 / work.clock_mhz)
        text = slashed(alone for alone, _ in rows)
        words = f"{name}, RTL: cycles at {said} cores, one late, the worst"
        work.claim(words, None, text, f"drawn at {work.clock_mhz:g} MHz")
        ratio = rows[-1][0] / rows[-1][1]
        work.claim(f"{name}, RTL: one late over all together, {cores[-1]} cores", "above 1", ratio)
