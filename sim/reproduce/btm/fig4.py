"""Fig. 4: mean height of both trees, members alone counted.

Source: paper BTM, section 4.2 and Theorem 1. Heights count edges: with levels, Theorem 1 fails.
"""

from __future__ import annotations

from math import log

import numpy as np

from syncfabric.sim.reproduce.btm.groups import Point, claim_size, points, sides, sizes
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["heights"]

SMALL = 32
"""Members from which on a group is not "very small"."""
PUBLISHED = {"BTM": 7, "CS": 64}
"""The paper's heights with all nodes of 64x64."""
STRAIGHT = 0.98
"""R² from which on points are on a line."""


def heights(work: Work) -> None:
    """Run the experiment."""
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
        _claims(work, [point for point in found if point.side == side], size)


def _claims(work: Work, found: list[Point], size: int) -> None:
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
