"""Paper EVO's Fig. 5, and the topologies that it names without results."""

from __future__ import annotations

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules
from syncfabric.models.collectives.verdict import examine
from syncfabric.sim.draw.schedule import schedule_figure
from syncfabric.sim.experiments.frame import Work, experiment
from syncfabric.sim.experiments.papers.evo import LIMIT, task_on
from syncfabric.sim.experiments.papers.evo_runs import shortest

FIG_5 = ((0, 0, 0), (0, 0, 2), (3, 0, 2), (0, 0, 1), (3, 0, 2), (6, 0, 2), (0, 0, 1), (0, 0, 2))
"""Of each destination: the source, the number of the shortest path, the step; none for the root."""


def printed_broadcast() -> Schedule:
    """Return the schedule of the printed chromosome: OAB on a ring of 8 by wormhole.

    No two nodes that it has send to each other are opposite ones, so each path is the only
    shortest one.
    """
    ring = named("ring-8")
    steps: list[list[tuple[tuple[int, int], tuple[int, ...]]]] = [[], []]
    for node, (source, _, step) in enumerate(FIG_5):
        if step:
            away = (node - source + 4) % 8 - 4
            turn = 1 if away > 0 else -1
            path = tuple((source + turn * hop) % 8 for hop in range(abs(away) + 1))
            steps[step - 1].append(((0, node), path))
    return Schedule.of(ring, collective("OAB", ring, (0,)), Rules(), steps)


@experiment("evo-fig5", "the printed OAB chromosome on a ring of 8, checked", "paper EVO, Fig. 5")
def fig5(work: Work) -> None:
    """Check the schedule that the printed genes mean with the independent checker."""
    schedule = printed_broadcast()
    verdict = examine(schedule)
    report, bound = verdict.report, verdict.bound
    assert bound is not None
    work.claim("genes printed, one a node", 8, len(FIG_5), by_formula=True)
    work.claim("nodes served", 7, report.served)
    work.claim("conflicts that the checker finds", 0, report.count)
    for conflict in report.conflicts:
        work.claim("defect", None, conflict.words())
    work.claim("hops that a path is longer than a shortest one", 0, report.detour)
    work.claim("steps", 2, len(schedule.steps), by_formula=True)
    note = f"the paper's (4), log of 8 to the base 3: {bound.argument.words()}"
    work.claim("lower bound of steps", 2, bound.value, note)
    work.drawing = lambda: schedule_figure(schedule)


NAMED = {
    "AMP": "amp-16",
    "twisted ladder": "twisted-ladder-16",
    "Moore graph": "moore-petersen",
    "K-ring": "k-ring-16",
}
"""The paper has investigated these, of sizes that it does not give, and prints no results."""
KINDS = ("OAB", "OAS", "AAB", "AAS")
SCALED = {
    "bridge nodes": "octagon-bridged-15",
    "a larger ring": "octagon-16",
    "several dimensions": "octagon-8x8",
}
"""Ways to scale the Octagon. Two Octagons with a bridge node have 15 nodes."""
PRINTS_NONE = "the paper names it and prints no result; this size is ours"


@experiment(
    "evo-topologies",
    "all four collectives on AMP, twisted ladder, Moore graph and K-ring",
    "paper EVO, section 4",
    time_limit=LIMIT,
)
def topologies(work: Work) -> None:
    """Find the fewest steps of each collective with all ports."""
    for words, name in NAMED.items():
        for kind in KINDS:
            _fewest(work, words, name, kind, PRINTS_NONE)


@experiment(
    "evo-octagon",
    "ways to scale the Octagon: bisection, ports, and steps of AAS and AAB",
    "paper EVO, section 4, Fig. 8",
    time_limit=LIMIT,
)
def octagon(work: Work) -> None:
    """Compare the ways to scale the Octagon that the text describes."""
    for kind, steps in (("OAB", 2), ("OAS", 3)):
        found = shortest(work, task_on("octagon-8", kind, Rules()), kind)
        work.claim(f"{kind} on octagon-8: steps", steps, found.steps, found.why, aim="less")
    per_node: dict[str, float] = {}
    degrees = {words: max(map(len, named(name).successors)) for words, name in SCALED.items()}
    for words, name in SCALED.items():
        work.claim(f"{words}, {name}: ports of a router, at most", None, degrees[words])
        for kind in ("AAB", "AAS"):
            fewest = _fewest(work, words, name, kind, "")
            if kind == "AAS" and fewest is not None:
                per_node[words] = fewest / named(name).nodes
    if len(per_node) == len(SCALED):
        ring, several = per_node["a larger ring"], per_node["several dimensions"]
        ratio = per_node["bridge nodes"] / ring
        what = "bridge nodes: AAS steps a node over those on a larger ring"
        work.claim(what, "above 1", ratio, "poor in all-to-all: a very low bisection")
        what = "several dimensions: AAS steps a node over those on a larger ring"
        work.claim(what, None, several / ring)
    work.confirm(
        "several dimensions need more ports, a larger ring does not",
        degrees["several dimensions"] > degrees["a larger ring"] == 3,
    )


def _fewest(work: Work, words: str, name: str, kind: str, note: str) -> int | None:
    """Claim the fewest steps that are found; return them, None if no schedule is found."""
    rules = Rules(switching="store-and-forward") if kind == "AAB" else Rules()
    what = f"{words}, {kind} on {name}"
    found = shortest(work, task_on(name, kind, rules), what)
    work.claim(f"{what}: steps", None, found.steps, "; ".join(filter(None, (found.why, note))))
    return found.steps
