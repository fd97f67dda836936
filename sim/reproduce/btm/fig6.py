"""Fig. 6: links that messages pass, in both phases together.

Source: paper BTM, section 4.2. What the CS tree's ways share decides; see ``models.schemes.mesh``
for the variant that joins them early, beside the union of all X-Y ways.
"""

from __future__ import annotations

import numpy as np

from syncfabric.models.planning.btm import local_root
from syncfabric.models.schemes.mesh import tree_nodes
from syncfabric.sim.reproduce.btm.groups import claim_size, draw, points, sides, sizes
from syncfabric.sim.reproduce.btm.hardware import add_traffic
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["traffic"]

BTM, UNION, NEAREST = "BTM", "CS, union of ways", "CS, ways joined early"


def traffic(work: Work) -> None:
    """Run the experiment."""
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
        _claims(work, f"{side}x{side}", rows, size)
    add_traffic(work)


def _claims(work: Work, mesh: str, rows: dict[str, dict[int, float]], size: int) -> None:
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
