"""Fig. 8: latency at three connectivities of the switches.

Paper BTIN, section 5.2. At its f = 50 % the network of 75 switches has 22 links, too few to connect
them: it gets the 74 of a tree. There the c that f asks for, f k - p / q = 0.59, is not that of the
network, 1.97: both are shown.
"""

from __future__ import annotations

from syncfabric.sim.reproduce.btin.hardware import hardware
from syncfabric.sim.reproduce.btin.latency import (
    NAMES,
    Latencies,
    add_ratios,
    members_of,
    published,
    times_of,
)
from syncfabric.sim.reproduce.btin.networks import Drawn, drawn_of, survey
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["connectivities"]

PAPER = {"low": 8.7, "middle": 4.1, "high": 3.2}
"""Multicast over BTIN at each connectivity."""


def connectivities(work: Work) -> None:
    """Fig. 8."""
    kinds = {name: drawn_of(work, connectivity=name) for name in PAPER}
    measured = [drawn_of(work, "rtl_", name) for name in PAPER] if work.rtl else []
    found = {name: _latencies(work, drawn) for name, drawn in kinds.items()}
    for one in found.values():
        for scheme in ("btin", "multicast"):
            label = f"{NAMES[scheme]} ({_percent(one.survey.drawn)})"
            for size in one.survey.sizes:
                work.point(label, size, one.mean(scheme, size))
    size = members_of(work, kinds["low"].nodes)
    work.by_formula = True  # of multicast, which was fitted
    ratios = {
        name: _ratio_claim(work, found[name], size, published(work, value))
        for name, value in PAPER.items()
    }
    most = {
        scheme: max(one.mean(scheme, size) for one in found.values())
        / min(one.mean(scheme, size) for one in found.values())
        for scheme in ("btin", "multicast")
    }
    work.confirm(
        "the greater the connectivity, the greater that ratio",
        ratios["low"] < ratios["middle"] < ratios["high"],
        "the paper's own 8.7, 4.1 and 3.2 say no",
    )
    work.confirm(
        "BTIN is less sensitive to connectivity than multicast",
        most["btin"] < most["multicast"],
        f"slowest over fastest: {most['btin']:.1f} and {most['multicast']:.1f}",
    )
    faster = all(one.ratio("multicast", s) > 1 for one in found.values() for s in one.survey.sizes)
    work.confirm("BTIN is faster than multicast at all three, and all sizes", faster)
    work.by_formula = False
    for drawn in measured:
        _measure(work, drawn)


def _percent(drawn: Drawn) -> str:
    return f"{100 * drawn.connectivity:g} %"


def _latencies(work: Work, drawn: Drawn) -> Latencies:
    sizes = sorted({*drawn.sizes, members_of(work, drawn.nodes)})
    return Latencies(survey(work, drawn, sizes), times_of(work), drawn.links_a_switch)


def _ratio_claim(work: Work, found: Latencies, size: int, paper: float | None) -> float:
    """Add the ratio at a connectivity, and that with the network's own c if it has more links."""
    drawn = found.survey.drawn
    asked, links = drawn.links_asked, drawn.links
    ratio = found.ratio("multicast", size)
    curve = {n: found.ratio("multicast", n) for n in found.survey.sizes}
    add_ratios(work, _percent(drawn), curve, size, paper)
    words = f"multicast over BTIN, {size} members, connectivity {_percent(drawn)}"
    if links == asked:
        work.claim(words, paper, ratio)
        return ratio
    note = f"impossible as stated: {asked} links cannot connect {drawn.switches} switches"
    work.claim(words, paper, ratio, f"{note}; with {links}, and the c of {asked}")
    own = Latencies(found.survey, found.times, drawn.own_links_a_switch)
    work.claim("the same with the network's own c", None, own.ratio("multicast", size))
    height = found.survey.mean("height", size)
    work.claim("height of BTIN on that network", None, height)
    return ratio


def _measure(work: Work, drawn: Drawn) -> None:
    """Add what the RTL takes, at the assumed clock."""
    cycles: dict[tuple[str, int], int] = {}
    for one in hardware(work, drawn):
        cycles[one.scheme, one.members] = one.cycles
        if one.scheme != "unicast":
            label = f"{NAMES[one.scheme]} ({drawn.size}; {_percent(drawn)}), RTL"
            work.point(label, one.members, one.cycles / work.clock_mhz)
    every = drawn.nodes
    btin, multicast = (cycles[scheme, every] for scheme in ("btin", "multicast"))
    where = f"all {every} members of ({drawn.size}), connectivity {_percent(drawn)}, RTL"
    work.claim(f"BTIN, {where} at {work.clock_mhz:g} MHz, µs", None, btin / work.clock_mhz)
    work.claim(f"multicast over BTIN, {where}", None, multicast / btin)
