"""Multicast and unicast over BTIN, over the paper's ranges of its parameters.

Paper BTIN, section 5.1, has the ranges of the times, and section 5.2 those of f; its figures take
the least times. The c is the network's own: f = 50 % is a tree (see ``fig8``).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from syncfabric.models.timing.btin import PacketTiming
from syncfabric.sim.reproduce.btin.latency import Latencies, members_of, times_of
from syncfabric.sim.reproduce.btin.networks import Drawn, check, drawn_of, survey
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["CONNECTIVITIES", "RANGES", "ranges"]

RANGES = {
    "t_s": (2000.0, 4000.0, 6000.0, 8000.0, 10_000.0),
    "t_p": (20.0, 25.0, 30.0, 35.0, 40.0),
    "t_r": (300.0, 350.0, 400.0, 450.0, 500.0),
}
CONNECTIVITIES = (0.5, 0.7, 0.75, 0.8, 0.9)
OTHERS = ("multicast", "unicast")


def ranges(work: Work) -> None:
    """One parameter at a time, and all together."""
    usual, times = drawn_of(work), times_of(work)
    size = members_of(work, usual.nodes)
    kinds = {f: replace(usual, connectivity=f) for f in {*CONNECTIVITIES, usual.connectivity}}
    for drawn in kinds.values():
        check(drawn)
    found = {f: _latencies(work, kinds[f], size, times) for f in sorted(kinds)}
    here = found[usual.connectivity]
    for name, values in RANGES.items():
        default = float(work.values[name])
        for value in sorted({*values, default}):
            one = replace(here, times=times_of(work, **{name: value}))
            _points(work, name, value / default if default else value, one, size)
    for f, one in found.items():
        _points(work, "f", f / usual.connectivity, one, size)
    _claims(work, found, size)


def _latencies(work: Work, drawn: Drawn, size: int, times: PacketTiming) -> Latencies:
    return Latencies(survey(work, drawn, [size]), times, drawn.own_links_a_switch)


def _points(work: Work, name: str, x: float, found: Latencies, size: int) -> None:
    for scheme in OTHERS:
        work.point(f"{scheme}, {name}", x, found.ratio(scheme, size))


def _claims(work: Work, found: dict[float, Latencies], size: int) -> None:
    """Add the least and the greatest ratio over all values together, and where they are."""
    combinations = [dict(zip(RANGES, v, strict=True)) for v in product(*RANGES.values())]
    work.by_formula = True  # of multicast, which was fitted
    least: list[float] = []
    for scheme in OTHERS:
        ratios: dict[str, float] = {}
        for f, one in found.items():
            for changed in combinations:
                there = replace(one, times=times_of(work, **changed))
                at = ", ".join(f"{name} = {value:g}" for name, value in changed.items())
                ratios[f"f = {f:g}, {at}"] = there.ratio(scheme, size)
        for words, choose in (("least", min), ("greatest", max)):
            place = choose(ratios, key=lambda at: ratios[at])
            claim = f"{scheme} over BTIN, {size} members: {words} over all ranges"
            work.claim(claim, None, ratios[place], place)
        least.append(min(ratios.values()))
    work.confirm(
        "BTIN is better for a wide range of network conditions",
        min(least) > 1,
        f"at least {min(least):.1f} times as fast in {len(found) * len(combinations)} combinations",
    )
