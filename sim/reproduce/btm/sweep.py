"""The speedup over the ranges that paper BTM gives for its times (section 4.1), one at a time.

Then over all corners of these ranges: the paper says that BTM is faster over a wide range.
"""

from __future__ import annotations

from itertools import product

from syncfabric.sim.reproduce.btm.groups import Point, claim_size, points, sides, sizes, times
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["RANGES", "ranges"]

RANGES: dict[str, tuple[float, float]] = {
    "t_s": (1000, 10_000),
    "t_p": (5, 15),
    "t_rn": (5, 15),
    "t_rm": (30, 60),
}
STEPS = 10


def ranges(work: Work) -> None:
    """Run the experiment."""
    size = claim_size(work)
    wanted = [(side, n) for side in sides(work) for n in sorted({*sizes(side), size})]
    found = list(points(work, wanted))
    for point in found:
        if point.size == size:
            _one_at_a_time(work, point)
    for side in sides(work):
        _corners(work, [point for point in found if point.side == side])


def _one_at_a_time(work: Work, point: Point) -> None:
    for name, (low, high) in RANGES.items():
        gains = []
        for step in range(STEPS + 1):
            timing = times(work, **{name: low + (high - low) * step / STEPS})
            gains.append(point.speedup(timing))
            work.point(f"{name}, {point.mesh}", 100 * step / STEPS, gains[-1])
        work.claim(
            f"speedup from {name} = {low:g} to {high:g} ns, {point.size} members, {point.mesh}",
            None,
            gains[-1],
            f"at {high:g} ns; {gains[0]:.3f} at {low:g} ns",
        )


def _corners(work: Work, found: list[Point]) -> None:
    """Claim the least and greatest speedup over all corners and sizes of one mesh."""
    corners = [
        (point.speedup(times(work, **dict(zip(RANGES, corner, strict=True)))), point.size, corner)
        for point in found
        for corner in product(*RANGES.values())
    ]
    least, greatest = min(corners), max(corners)
    for words, (gain, size, corner) in (("least", least), ("greatest", greatest)):
        where = ", ".join(f"{n} {v:g}" for n, v in zip(RANGES, corner, strict=True))
        paper = "above 1" if words == "least" else None
        work.claim(
            f"BTM over the ranges of all times: {words} speedup, {found[0].mesh}",
            paper,
            gain,
            f"{size} members, {where} ns",
        )
