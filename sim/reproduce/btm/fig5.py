"""Fig. 5: mean latency of both trees.

Source: paper BTM, section 4.2, abstract and section 5. The worst way's d and h are of one member.
"""

from __future__ import annotations

from syncfabric.models.timing.btm import Timing
from syncfabric.sim.reproduce.btm.groups import Point, claim_size, points, sides, sizes, times
from syncfabric.sim.reproduce.btm.hardware import add_latency
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["latency"]

FASTER = {32: 1.4, 64: 1.7}
"""The paper's factors, by the side of the mesh, at 1024 members."""
SHORTER = {32: 40, 64: 70}
"""What the abstract makes of them, in per cent."""
SMALL = 32
"""Members from which on a group is not "very small"."""


def latency(work: Work) -> None:
    """Run the experiment."""
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
        factor = FASTER.get(point.side) if known else None
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
