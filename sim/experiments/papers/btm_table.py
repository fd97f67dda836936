"""Paper BTM's Table 1, counted; and the speedup over the ranges of all times."""

from itertools import product
from math import ceil, log

import numpy as np

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.schemes.comparison import schemes_for
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.btm import Timing
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers.btm_groups import (
    LARGE,
    MEMBERS,
    OVER,
    SIDE,
    TIMES,
    Point,
    claim_size,
    count,
    draw,
    points,
    sides,
)

NAMES = {"hp": "HP", "brcp": "BRCP", "cs": "CS", "btm": "BTM"}
START_UPS = {"hp": 2, "brcp": 6, "cs": 2, "btm": 2}
"""The paper's, of one barrier."""
START_UPS_ALONE = Timing(t_s=1, t_p=0, t_rn=0, t_rm=0)
"""With these a latency is the number of start-ups that follow each other."""
EXPONENTS = {"hp": 1.0, "brcp": 1.0, "cs": 0.5, "btm": 0.0}
"""Of the group's size in the paper's upper bounds; 0 for a logarithm."""
NOTES = {
    "brcp": "a complete mesh has worms along a row, then a column; in one row it is 1",
    "btm": "a logarithm: the paper's log4 n",
}
SKEWED = 2
"""Times the least height from which on a tree counts as skewed."""
EDGE = 8
"""Side of the mesh whose heights the text gives."""


@experiment(
    "btm-table1",
    "set-up, start-ups, height and growth of HP, BRCP, CS and BTM, counted",
    "paper BTM, Table 1",
    runs=100,
    axes=(Axes("members: all nodes of a mesh", "latency less start-ups, ns", 2, 10),),
    caption="The paper's table has bounds of growth and no points.",
    parameters=(
        SIDE,
        LARGE,
        Parameter("members", 64, 2, 16384, "members of the groups that are set up"),
        *TIMES,
    ),
)
def characteristics(work: Work) -> None:
    """Table 1: what HP, BRCP, the CS tree and BTM take, counted.

    Source: sections 3.1 and 3.3. How the other schemes are read stands in ``models.schemes.mesh``.
    """
    size = claim_size(work)
    _set_up(work, size)
    _heights(work)
    _growth(work)
    _skew(work, size)


def _set_up(work: Work, size: int) -> None:
    """Count messages, nodes and start-ups of random groups."""
    side = sides(work)[0]
    columns = list(NAMES)
    jobs = [(name, side, size, work.seed, work.runs) for name in columns]
    for name, rows in zip(columns, work.map(random_costs, jobs), strict=True):
        messages, nodes, start_ups = (float(np.mean(column)) for column in zip(*rows, strict=True))
        group = f"{NAMES[name]}, {size} members, {side}x{side}"
        outside = nodes - size
        work.claim(
            f"routers of nonmembers are set up, {group}",
            "yes" if name == "cs" else "no",
            "yes" if outside else "no",
            f"{outside:g} on average" if outside else "",
        )
        said = {"cs": "large", "btm": "small (none)"}.get(name, "small")
        holds = messages == 0 if name == "btm" else (messages > size) == (name == "cs")
        work.claim(f"messages to set up, {group}", said, messages, holds=holds)
        note = ""
        if name == "brcp":
            note = "a reading of ours in three steps each way; a complete mesh needs 4"
        what = f"start-ups in turn, {group}"
        work.claim(what, START_UPS[name], start_ups, note, by_formula=True)


def random_costs(
    name: str, side: int, size: int, seed: int, runs: int
) -> list[tuple[int, int, float]]:
    """Return set-up messages, set-up nodes and start-ups of random groups in one scheme."""
    found = []
    for run in range(seed, seed + runs):
        cost = _cost(name, side, draw(side, size, run), START_UPS_ALONE)
        found.append((cost.setup_messages, cost.setup_nodes, cost.latency_ns))
    return found


def _cost(name: str, side: int, members: list[Node], timing: Timing) -> Cost:
    (scheme,) = schemes_for("mesh", [name])
    return scheme.cost(MeshSpec(kind="mesh", width=side, height=side), members, timing)


def _heights(work: Work) -> None:
    """Claim the heights that the text gives, and the lower bound that it prints."""
    timing = work.times(Timing)
    nodes = list(Mesh(EDGE, EDGE).nodes)
    for name, paper in (("btm", 4), ("cs", 8)):
        height = _cost(name, EDGE, nodes, timing).height
        work.claim(f"height of {NAMES[name]}, all nodes of {EDGE}x{EDGE}", paper, height)
    star = [(2, 2), (3, 2), (2, 3), (1, 2), (2, 1)]
    work.claim(
        f"least height of BTM with {len(star)} members, ceil(log4 n)",
        ceil(log(len(star), 4)),
        build_tree(star).height,
        "a member with one on each side; in edges the least is ceil(log4(3 n + 1)) - 1",
    )


def _growth(work: Work) -> None:
    """Claim how routing grows with the group on complete meshes, start-ups left out."""
    meshes = [side for side in (4, 8, 16, 32, 64) if side <= max(sides(work))]
    counts = [side**2 for side in meshes]
    # The paper counts nodes that look a register up: for exponents delays of links are left out.
    whole, stops = (work.times(Timing, t_s=0.0, **out) for out in ({}, {"t_p": 0.0, "t_rn": 0.0}))
    for name, title in NAMES.items():
        delays, looks = (
            [_cost(name, side, list(Mesh(side, side).nodes), times).latency_ns for side in meshes]
            for times in (whole, stops)
        )
        work.curve(title, zip(counts, delays, strict=True))
        if len(meshes) == 1:
            continue
        slope = float(np.log(looks[-1] / looks[-2]) / np.log(counts[-1] / counts[-2]))
        paper = EXPONENTS[name]
        words = f"O(n^{paper:g})" if paper else "O(log4 n)"
        where = f"{meshes[-2]}x{meshes[-2]} to {meshes[-1]}x{meshes[-1]}"
        what = f"{title}: register look-ups grow as {words}, exponent, all nodes, {where}"
        work.claim(what, paper or None, slope, NOTES.get(name, ""))


def _skew(work: Work, size: int) -> None:
    """Claim which tree is skewed: its height over the least that a 4-ary tree can have."""
    side = sides(work)[0]
    jobs = [(side, n, work.seed, work.runs) for n in dict.fromkeys((size, side**2))]
    for (_, n, *_), found in zip(jobs, work.map(count, jobs), strict=True):
        least = max(1, ceil(log(3 * n + 1, 4)) - 1)
        trees = (("CS", found["cs_heights"], "skewed"), ("BTM", found["heights"], "balanced"))
        for title, heights, said in trees:
            ratio = float(np.mean(heights)) / least
            what = f"height over the least of a 4-ary tree, {title}, {n} members"
            holds = (ratio >= SKEWED) == (said == "skewed")
            work.claim(what, said, ratio, f"skewed: {SKEWED} and more", holds=holds)
        above = all(height >= least for height in found["heights"])
        words = f"height of BTM at least ceil(log4(3 n + 1)) - 1 in all runs, {n} members"
        work.confirm(words, above)


RANGES: dict[str, tuple[float, float]] = {
    "t_s": (1000, 10_000),
    "t_p": (5, 15),
    "t_rn": (5, 15),
    "t_rm": (30, 60),
}
STEPS = 10


@experiment(
    "btm-sweep",
    "CS tree over barrier tree, over the paper's ranges of its times",
    "beyond paper BTM, section 4.1",
    runs=100,
    axes=(Axes("position in the paper's range of the time, %", OVER),),
    caption="Not in the paper, which gives the ranges alone.",
    parameters=(SIDE, LARGE, MEMBERS, *TIMES),
)
def ranges(work: Work) -> None:
    """The speedup over the ranges that the paper gives for its times, one at a time.

    Then over all corners of these ranges: the paper says that BTM is faster over a wide range.
    """
    size = claim_size(work)
    found = points(work, size)
    for of_mesh in found.values():
        _one_at_a_time(work, of_mesh[size])
    for of_mesh in found.values():
        _corners(work, list(of_mesh.values()))


def _one_at_a_time(work: Work, point: Point) -> None:
    for name, (low, high) in RANGES.items():
        gains = []
        for step in range(STEPS + 1):
            timing = work.times(Timing, **{name: low + (high - low) * step / STEPS})
            gains.append(point.speedup(timing))
            work.point(f"{name}, {point.mesh}", 100 * step / STEPS, gains[-1])
        words = f"speedup from {name} = {low:g} to {high:g} ns, {point.size} members, {point.mesh}"
        work.claim(words, None, gains[-1], f"at {high:g} ns; {gains[0]:.3f} at {low:g} ns")


def _corners(work: Work, found: list[Point]) -> None:
    """Claim the least and greatest speedup over all corners and sizes of one mesh."""
    timings = {
        corner: work.times(Timing, **dict(zip(RANGES, corner, strict=True)))
        for corner in product(*RANGES.values())
    }
    corners = [
        (point.speedup(timing), point.size, corner)
        for point in found
        for corner, timing in timings.items()
    ]
    for words, paper, best in (("least", "above 1", min), ("greatest", None, max)):
        gain, size, corner = best(corners)
        where = ", ".join(f"{n} {v:g}" for n, v in zip(RANGES, corner, strict=True))
        what = f"BTM over the ranges of all times: {words} speedup, {found[0].mesh}"
        work.claim(what, paper, gain, f"{size} members, {where} ns")
