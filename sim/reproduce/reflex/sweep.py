"""From how many cores on Reflex is slower than dissemination by messages, as one time grows."""

from __future__ import annotations

from dataclasses import replace

from syncfabric.models.timing.barriers import crossover, dissemination_ns, reflex_ns, udn_stn_ns
from syncfabric.models.timing.loggp import PRESETS
from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.reflex.tile64 import diameter

__all__ = ["crossovers", "least_cores"]

MACHINES = ("tile64", "infiniband")
FIELDS = ("L", "o", "h")
"""Times that both barriers depend on; g and G are in neither."""
FACTORS = tuple(2.0**power for power in range(-4, 9))
GAPS = (0.25, 0.5, 0.75, 1.0, 2.0)
"""Over the g that is assumed, two hops: what decides between Reflex and UDN/STN."""


def crossovers(work: Work) -> None:
    """Draw from where on dissemination is ahead, and tell of UDN/STN."""
    work.by_formula = True  # of LogGP, with times that are assumed
    most = int(work.values["cores"])
    cases = [(machine, name) for machine in MACHINES for name in FIELDS]
    jobs = [
        (machine, name, factor, "dissemination", most)
        for machine, name in cases
        for factor in FACTORS
    ]
    found = iter(work.map(least_cores, jobs))
    for machine, name in cases:
        at = {factor: next(found) for factor in FACTORS}
        for factor, least in at.items():
            if least is not None:
                work.point(f"{machine}, {name}", factor, least)
        for factor in (FACTORS[0], 1.0, FACTORS[-1]):
            work.claim(
                f"{machine}, {name} x {factor:g}: Reflex slower than dissemination from",
                None,
                at[factor],
                f"looked for up to {most:,}" if at[factor] is None else "",
            )
    jobs = [("tile64", "g", factor, "UDN/STN", most) for factor in GAPS]
    for factor, least in zip(GAPS, work.map(least_cores, jobs), strict=True):
        work.claim(
            f"tile64, g x {factor:g}: Reflex slower than UDN/STN from",
            None,
            least,
            f"looked for up to {most:,}" if least is None else "",
        )


def least_cores(machine: str, name: str, factor: float, rival: str, most: int) -> int | None:
    """Return from how many cores on Reflex is slower than another, one time multiplied.

    On TILE64 ways are the diameter of the squarest mesh; in a cluster L is from end to end.
    """
    preset = PRESETS[machine]
    loggp = replace(preset, **{name: factor * getattr(preset, name)})

    def other(cores: int) -> float:
        way = diameter(cores) if machine == "tile64" else 0
        known = dissemination_ns if rival == "dissemination" else udn_stn_ns
        return known(cores, way, loggp)

    return crossover(lambda cores: reflex_ns(cores, loggp), other, most)
