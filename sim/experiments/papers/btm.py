"""Paper BTM's figures: latency, height and traffic of barrier trees beside the CS tree's."""

from math import log

import numpy as np

from syncfabric.models.timing.btm import Timing
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers.btm_groups import (
    LARGE,
    MEMBERS,
    OVER,
    SIDE,
    TIMES,
    Point,
    add_latency,
    add_traffic,
    claim_size,
    points,
    sides,
)

RTL_SIDE = Parameter("rtl_side", 8, 4, 16, "nodes on a side of the largest mesh of --rtl")
SIZE = "group size, members"
RATIO = Axes(SIZE, OVER, across_base=2, prefix="CS over BTM, ")
CURVES = "The text of the paper gives no numbers of its curves"
START_UPS = "Latencies by the paper's formulas, two start-ups of software (t_s) in each."

SMALL = 32
"""Members from which on a group is not "very small"."""
PUBLISHED = {"BTM": 7, "CS": 64}
"""The paper's heights with all nodes of 64x64."""
STRAIGHT = 0.98
"""R² from which on points are on a line."""


@experiment(
    "btm-fig4",
    "height of barrier trees and CS trees against the size of the group",
    "paper BTM, Fig. 4",
    runs=100,
    axes=(Axes(SIZE, "mean height, edges between members", across_base=2),),
    caption=f"{CURVES}: only the heights with all nodes of 64x64.",
    parameters=(SIDE, LARGE, MEMBERS),
)
def heights(work: Work) -> None:
    """Fig. 4: mean height of both trees, members alone counted.

    Source: section 4.2 and Theorem 1. Heights count edges: with levels, Theorem 1 fails.
    """
    size = claim_size(work)
    found = points(work, size)
    for _, of_mesh in sorted(found.items()):
        for point in of_mesh.values():
            work.point(f"BTM, {point.mesh}", point.size, float(np.mean(point.heights)))
            work.point(f"CS, {point.mesh}", point.size, float(np.mean(point.cs_heights)))
    for scheme, paper in PUBLISHED.items():
        if 64 in found:
            work.point(f"{scheme}, 64x64, paper", 64**2, paper)
    for of_mesh in found.values():
        _height_claims(work, list(of_mesh.values()), size)


def _height_claims(work: Work, found: list[Point], size: int) -> None:
    """Claim what the text says of one mesh, and of groups that are not very small."""
    full, mesh = found[-1], found[-1].mesh
    for scheme, heights in (("BTM", full.heights), ("CS", full.cs_heights)):
        paper = PUBLISHED[scheme] if full.side == 64 else None
        words = f"height with all {full.size} members, {mesh}, {scheme}"
        work.claim(words, paper, float(np.mean(heights)))
    bound, power = log(full.size, 4) + 1, full.side.bit_count() == 1
    work.claim(
        f"height of BTM within log4 n + 1 = {bound:.3g}, all nodes of {mesh} (Theorem 1)",
        "yes" if power else None,
        "yes" if max(full.heights) <= bound else "no",
        "" if power else "Theorem 1 is for sides that are powers of two",
    )
    grown = [point for point in found if SMALL <= point.size <= size]
    if len(grown) < 3:
        return
    n = np.array([point.size for point in grown], dtype=float)
    ours = np.array([np.mean(point.heights) for point in grown])
    others = np.array([np.mean(point.cs_heights) for point in grown])
    ends = f"{grown[-1].size} over {grown[0].size} members, {mesh}"
    note = f"{ours[0]:.3g} to {ours[-1]:.3g} while groups grow {n[-1] / n[0]:g} times"
    words = f"height of BTM almost independent of the group: {ends}"
    work.claim(words, 1, float(ours[-1] / ours[0]), note)
    work.claim(f"height of CS: {ends}", None, float(others[-1] / others[0]))
    straight = float(np.corrcoef(n, others)[0, 1] ** 2)
    words = f"height of CS grows linearly with the group, {mesh}"
    work.confirm(words, straight >= STRAIGHT, f"R² {straight:.3f} of a line")


FASTER_BY_SIDE = {32: 1.4, 64: 1.7}
"""The paper's factors, by the side of the mesh, at 1024 members."""
SHORTER = {32: 40, 64: 70}
"""What the abstract makes of them, in per cent."""


@experiment(
    "btm-fig5",
    "barrier latency on both trees against the size of the group",
    "paper BTM, Fig. 5",
    runs=100,
    axes=(Axes(SIZE, "mean latency, ns", across_base=2), RATIO),
    caption=f"{CURVES}: only the ratios with 1024 members. {START_UPS}",
    parameters=(SIDE, LARGE, MEMBERS, *TIMES, RTL_SIDE),
    rtl=True,
)
def latency(work: Work) -> None:
    """Fig. 5: mean latency of both trees.

    Source: section 4.2, abstract and section 5. The worst path's d and h are of one member.
    """
    size, timing = claim_size(work), work.times(Timing)
    found = points(work, size)
    every = [point for _, of_mesh in sorted(found.items()) for point in of_mesh.values()]
    _add_curves(work, every, timing)
    known = size == 1024 and timing == Timing()
    for side, of_mesh in found.items():
        point = of_mesh[size]
        ours, other = point.btm_ns(timing), point.cs_ns(timing)
        group = f"{size} members, {point.mesh}"
        factor = FASTER_BY_SIDE.get(side) if known else None
        if factor is not None:
            work.point(f"CS over BTM, {point.mesh}, paper", size, factor)
        work.claim(f"BTM is faster than CS, times, {group}", factor, other / ours)
        work.claim(
            f"BTM's latency is shorter, %, {group}",
            SHORTER.get(side) if known else None,
            100 * (other / ours - 1),
            f"the speedup less one; the latency itself is {100 * (1 - ours / other):.0f} % shorter",
        )
    for of_mesh in found.values():
        run, last = [point for n, point in of_mesh.items() if n <= size], of_mesh[size]
        first = next((point for point in run if point.size >= SMALL), run[0])
        ends = f"{size} over {first.size} members, {last.mesh}"
        words = f"latency of BTM almost independent of the group: {ends}"
        work.claim(words, 1, last.btm_ns(timing) / first.btm_ns(timing))
        words = f"latency of CS is saturated from small groups on: {ends}"
        work.claim(words, 1, last.cs_ns(timing) / first.cs_ns(timing))
    if len(found) > 1:
        gains = [of_mesh[size].speedup(timing) for _, of_mesh in sorted(found.items())]
        work.confirm("the gain grows with the mesh", gains[-1] > gains[0])
    least = min(every, key=lambda point: point.speedup(timing))
    work.claim(
        "BTM is faster at all sizes: the least speedup",
        "above 1",
        least.speedup(timing),
        f"{least.size} members, {least.mesh}",
    )
    add_latency(work, timing)


def _add_curves(work: Work, found: list[Point], timing: Timing, t_rm: str = "") -> None:
    """Add latencies and speedups, named by their mesh, or by their t_rm."""
    for point in found:
        own, ratio = (f" ({t_rm})", f"{t_rm} ns") if t_rm else (f", {point.mesh}", point.mesh)
        work.point(f"BTM{own}", point.size, point.btm_ns(timing))
        work.point(f"CS{own}", point.size, point.cs_ns(timing))
        work.point(f"CS over BTM, {ratio}", point.size, point.speedup(timing))


BTM, UNION, NEAREST = "BTM", "CS, union of ways", "CS, ways joined early"


@experiment(
    "btm-fig6",
    "links that the messages of one barrier pass on both trees",
    "paper BTM, Fig. 6",
    runs=100,
    axes=(Axes(SIZE, "links passed in a barrier", across_base=2, up_base=10),),
    caption=f"{CURVES}.",
    parameters=(SIDE, LARGE, MEMBERS, RTL_SIDE),
    rtl=True,
)
def traffic(work: Work) -> None:
    """Fig. 6: links that messages pass, in both phases together.

    Source: section 4.2. What the CS tree's paths share decides; see scheme ``cs-nearest`` for the
    variant that joins them early, beside the union of all X-Y paths.
    """
    size = claim_size(work)
    for side, of_mesh in points(work, size).items():
        mesh = f"{side}x{side}"
        rows = {
            BTM: {n: float(np.mean(point.links)) for n, point in of_mesh.items()},
            UNION: {n: float(np.mean(point.cs_links)) for n, point in of_mesh.items()},
            NEAREST: {n: float(np.mean(point.nearest_links)) for n, point in of_mesh.items()},
        }
        for scheme, values in rows.items():
            work.curve(f"{scheme}, {mesh}", values.items())
        for other in (NEAREST, UNION):
            below = [n for n, links in rows[BTM].items() if links <= rows[other][n]]
            work.confirm(
                f"traffic of BTM above that of CS at all sizes, {mesh} ({other[4:]})",
                not below,
                f"not at {', '.join(map(str, below))} members" if below else "",
                partly=len(below) < len(rows[BTM]),
            )
        for scheme, values in rows.items():
            rises = bool((np.diff(list(values.values())) > 0).all())
            work.confirm(f"traffic grows with the group, {scheme}, {mesh}", rises)
        for other in (NEAREST, UNION):
            ratio = rows[BTM][size] / rows[other][size]
            work.claim(f"traffic of BTM over that of {other}, {size} members, {mesh}", None, ratio)
    add_traffic(work)


FASTER_BY_T_RM = {20.0: 1.3, 40.0: 1.6, 60.0: 1.8}
"""The paper's factors, by t_rm, for 1024 members on 32x32."""


@experiment(
    "btm-fig7",
    "latency at three routing delays of a member",
    "paper BTM, Fig. 7",
    runs=100,
    axes=(Axes(SIZE, "mean latency, ns", across_base=2), RATIO),
    caption=f"In brackets: t_rm, ns. {CURVES}: only the ratios with 1024 members. {START_UPS}",
    parameters=(
        SIDE,
        MEMBERS,
        *TIMES[:3],
        Parameter("short", 20.0, 0, 10_000, "least t_rm, ns"),
        Parameter("middle", 40.0, 0, 10_000, "middle t_rm, ns"),
        Parameter("long", 60.0, 0, 10_000, "greatest t_rm, ns"),
    ),
)
def delays(work: Work) -> None:
    """Fig. 7: mean latency at three values of t_rm, the routing delay at a member (section 4.2)."""
    size, (side,) = claim_size(work), sides(work)
    found = points(work, size)[side]
    timings = [
        work.times(Timing, t_rm=float(work.values[name])) for name in ("short", "middle", "long")
    ]
    gains = []
    for timing in timings:
        t_rm, own = timing.t_rm, f"{timing.t_rm:g}"
        _add_curves(work, list(found.values()), timing, own)
        gains.append((t_rm, found[size].speedup(timing)))
        papers = (side, size, timing) == (32, 1024, Timing(t_rm=t_rm))
        known = FASTER_BY_T_RM.get(t_rm) if papers else None
        if known is not None:
            work.point(f"CS over BTM, {own} ns, paper", size, known)
        words = f"BTM is faster than CS, times, t_rm = {own} ns, {size} members, {side}x{side}"
        work.claim(words, known, gains[-1][1])
    rising = [gain for _, gain in sorted(gains)]
    work.confirm("the gain grows with t_rm", rising == sorted(rising))
    least = min(point.speedup(timing) for point in found.values() for timing in timings)
    work.claim("BTM is faster at every t_rm and size: the least speedup", "above 1", least)
