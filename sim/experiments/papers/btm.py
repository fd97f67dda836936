"""Paper BTM's figures: latency, height and traffic of barrier trees beside the CS tree's."""

from __future__ import annotations

from math import log

import numpy as np

from syncfabric.models.planning.btm import local_root
from syncfabric.models.schemes.mesh import tree_nodes
from syncfabric.models.timing.btm import Timing
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers.btm_groups import (
    Point,
    add_latency,
    add_traffic,
    claim_size,
    draw,
    points,
    sides,
    sizes,
    times,
)

__all__ = ["LARGE", "MEMBERS", "OVER", "SIDE", "TIMES", "nearest"]

SIDE = Parameter("side", 32, 2, 128, "nodes on a side of the mesh")
LARGE = Parameter("large_side", 64, 2, 128, "nodes on a side of the larger mesh")
MEMBERS = Parameter("members", 1024, 2, 16384, "members of the groups that claims are about")
T_S = Parameter("t_s", 1000.0, 0, 100_000, "start-up of a message, ns; paper 1,000 to 10,000")
T_P = Parameter("t_p", 5.0, 0, 1000, "propagation over a link, ns; paper 5 to 15")
T_RN = Parameter("t_rn", 5.0, 0, 1000, "routing at a node outside the tree, ns; paper 5 to 15")
T_RM = Parameter("t_rm", 30.0, 0, 10_000, "routing at a member, ns; paper 30 to 60")
TIMES = (T_S, T_P, T_RN, T_RM)
RTL_SIDE = Parameter("rtl_side", 8, 4, 16, "nodes on a side of the largest mesh of --rtl")
SIZE = "group size, members"
OVER = "latency of CS over BTM's"
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
    wanted = [(side, n) for side in sides(work) for n in sizes(side)]
    wanted += [(side, size) for side in sides(work)]
    found = sorted(points(work, wanted), key=lambda point: (point.side, point.size))
    for point in found:
        work.point(f"BTM, {point.mesh}", point.size, float(np.mean(point.heights)))
        work.point(f"CS, {point.mesh}", point.size, float(np.mean(point.cs_heights)))
    for scheme, paper in PUBLISHED.items():
        if 64 in sides(work):
            work.point(f"{scheme}, 64x64, paper", 64**2, paper)
    for side in sides(work):
        _height_claims(work, [point for point in found if point.side == side], size)


def _height_claims(work: Work, found: list[Point], size: int) -> None:
    """Claim what the text says of one mesh."""
    full, mesh = found[-1], found[-1].mesh
    what = f"height with all {full.size} members, {mesh}"
    for scheme, heights in (("BTM", full.heights), ("CS", full.cs_heights)):
        paper = PUBLISHED[scheme] if full.side == 64 else None
        work.claim(f"{what}, {scheme}", paper, float(np.mean(heights)))
    bound = log(full.size, 4) + 1
    held = max(full.heights) <= bound
    power = full.side.bit_count() == 1
    note = "" if power else "Theorem 1 is for sides that are powers of two"
    work.claim(
        f"height of BTM within log4 n + 1 = {bound:.3g}, all nodes of {mesh} (Theorem 1)",
        "yes" if power else None,
        "yes" if held else "no",
        note,
    )
    _grows(work, [point for point in found if SMALL <= point.size <= size], mesh)


def _grows(work: Work, found: list[Point], mesh: str) -> None:
    """Claim how heights grow with the group, from groups that are not very small."""
    if len(found) < 3:
        return
    n = np.array([point.size for point in found], dtype=float)
    ours = np.array([np.mean(point.heights) for point in found])
    others = np.array([np.mean(point.cs_heights) for point in found])
    ends = f"{found[-1].size} over {found[0].size} members, {mesh}"
    work.claim(
        f"height of BTM almost independent of the group: {ends}",
        1,
        float(ours[-1] / ours[0]),
        f"{ours[0]:.3g} to {ours[-1]:.3g} while groups grow {n[-1] / n[0]:g} times",
    )
    work.claim(f"height of CS: {ends}", None, float(others[-1] / others[0]))
    straight = float(np.corrcoef(n, others)[0, 1] ** 2)
    work.confirm(
        f"height of CS grows linearly with the group, {mesh}",
        straight >= STRAIGHT,
        f"R² {straight:.3f} of a line",
    )


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

    Source: section 4.2, abstract and section 5. The worst way's d and h are of one member.
    """
    size, timing = claim_size(work), times(work)
    wanted = [(side, n) for side in sides(work) for n in sizes(side)]
    wanted += [(side, size) for side in sides(work)]
    found = {(p.side, p.size): p for p in points(work, wanted)}
    for _, point in sorted(found.items()):
        work.point(f"BTM, {point.mesh}", point.size, point.btm_ns(timing))
        work.point(f"CS, {point.mesh}", point.size, point.cs_ns(timing))
        work.point(f"CS over BTM, {point.mesh}", point.size, point.speedup(timing))
    chosen = [found[side, size] for side in sides(work)]
    for point in chosen:
        ours, other = point.btm_ns(timing), point.cs_ns(timing)
        who = f"{size} members, {point.mesh}"
        known = size == 1024 and timing == Timing()
        factor = FASTER_BY_SIDE.get(point.side) if known else None
        if factor is not None:
            work.point(f"CS over BTM, {point.mesh}, paper", size, factor)
        work.claim(f"BTM is faster than CS, times, {who}", factor, other / ours)
        work.claim(
            f"BTM's latency is shorter, %, {who}",
            SHORTER.get(point.side) if known else None,
            100 * (other / ours - 1),
            f"the speedup less one; the latency itself is {100 * (1 - ours / other):.0f} % shorter",
        )
    _trends(work, found, chosen)
    add_latency(work, timing)


def _trends(work: Work, found: dict[tuple[int, int], Point], chosen: list[Point]) -> None:
    """Claim what the text says of how the curves run."""
    timing = times(work)
    for last in chosen:
        run = [p for (side, n), p in sorted(found.items()) if side == last.side and n <= last.size]
        first = next((p for p in run if p.size >= SMALL), run[0])
        ends = f"{last.size} over {first.size} members, {last.mesh}"
        ratio = last.btm_ns(timing) / first.btm_ns(timing)
        work.claim(f"latency of BTM almost independent of the group: {ends}", 1, ratio)
        ratio = last.cs_ns(timing) / first.cs_ns(timing)
        work.claim(f"latency of CS is saturated from small groups on: {ends}", 1, ratio)
    if len(chosen) > 1:
        gains = [point.speedup(timing) for point in sorted(chosen, key=lambda point: point.side)]
        work.confirm("the gain grows with the mesh", gains[-1] > gains[0])
    least = min(found.values(), key=lambda point: point.speedup(timing))
    work.claim(
        "BTM is faster at all sizes: the least speedup",
        "above 1",
        least.speedup(timing),
        f"{least.size} members, {least.mesh}",
    )


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

    Source: section 4.2. What the CS tree's ways share decides; see scheme ``cs-nearest`` for the
    variant that joins them early, beside the union of all X-Y ways.
    """
    size = claim_size(work)
    wanted = [(side, n) for side in sides(work) for n in (*sizes(side), size)]
    wanted = sorted(dict.fromkeys(wanted))
    jobs = [(side, n, work.seed, work.runs) for side, n in wanted]
    early = list(work.map(nearest, jobs))
    for side in sides(work):
        rows: dict[str, dict[int, float]] = {BTM: {}, UNION: {}, NEAREST: {}}
        for point, links in zip(points(work, wanted), early, strict=True):
            if point.side == side:
                rows[BTM][point.size] = float(np.mean(point.links))
                rows[UNION][point.size] = float(np.mean(point.cs_links))
                rows[NEAREST][point.size] = float(np.mean(links))
        for scheme, values in rows.items():
            work.curve(f"{scheme}, {side}x{side}", values.items())
        _traffic_claims(work, f"{side}x{side}", rows, size)
    add_traffic(work)


def _traffic_claims(work: Work, mesh: str, rows: dict[str, dict[int, float]], size: int) -> None:
    """Claim what the text says of one mesh."""
    for other in (NEAREST, UNION):
        below = [n for n, links in rows[BTM].items() if links <= rows[other][n]]
        work.confirm(
            f"traffic of BTM above that of CS at all sizes, {mesh} ({other.partition(', ')[2]})",
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


def nearest(side: int, size: int, seed: int, runs: int) -> list[int]:
    """Return the links that each group's barrier passes where ways join early, both ways."""
    found = []
    for run in range(seed, seed + runs):
        members = draw(side, size, run)
        found.append(2 * (len(tree_nodes(members, local_root(members))) - 1))
    return found


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
        T_S,
        T_P,
        T_RN,
        Parameter("short", 20.0, 0, 10_000, "least t_rm, ns"),
        Parameter("middle", 40.0, 0, 10_000, "middle t_rm, ns"),
        Parameter("long", 60.0, 0, 10_000, "greatest t_rm, ns"),
    ),
)
def delays(work: Work) -> None:
    """Fig. 7: mean latency at three values of t_rm, the routing delay at a member (section 4.2)."""
    size, (side,) = claim_size(work), sides(work)
    found = list(points(work, [(side, n) for n in sorted({*sizes(side), size})]))
    (chosen,) = (point for point in found if point.size == size)
    chosen_times = [float(work.values[name]) for name in ("short", "middle", "long")]
    gains = []
    for t_rm in chosen_times:
        timing = times(work, t_rm=t_rm)
        for point in found:
            work.point(f"BTM ({t_rm:g})", point.size, point.btm_ns(timing))
            work.point(f"CS ({t_rm:g})", point.size, point.cs_ns(timing))
            work.point(f"CS over BTM, {t_rm:g} ns", point.size, point.speedup(timing))
        gains.append(chosen.speedup(timing))
        papers = (side, size, timing) == (32, 1024, Timing(t_rm=t_rm))
        known = FASTER_BY_T_RM.get(t_rm) if papers else None
        if known is not None:
            work.point(f"CS over BTM, {t_rm:g} ns, paper", size, known)
        what = f"BTM is faster than CS, times, t_rm = {t_rm:g} ns"
        work.claim(f"{what}, {size} members, {chosen.mesh}", known, gains[-1])
    rising = [gain for _, gain in sorted(zip(chosen_times, gains, strict=True))]
    work.confirm("the gain grows with t_rm", rising == sorted(rising))
    least = min(point.speedup(times(work, t_rm=t)) for point in found for t in chosen_times)
    work.claim("BTM is faster at every t_rm and size: the least speedup", "above 1", least)
