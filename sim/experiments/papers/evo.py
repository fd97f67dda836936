"""Paper EVO: schedules of collectives by evolutionary algorithms."""

from collections.abc import Callable
from itertools import pairwise

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Ports, Rules, Task
from syncfabric.models.collectives.verdict import examine
from syncfabric.sim.draw.schedule import schedule_figure
from syncfabric.sim.experiments.frame import Axes, Experiment, Work, experiment
from syncfabric.sim.experiments.papers.evo_runs import (
    Entry,
    Method,
    detours,
    make_runs,
    shortest,
    straightened,
    task_on,
)

LIMIT = 5.0
"""Seconds of a run, and five times as many an entry: all end in minutes on two processors."""
SIZE = "nodes of the hypercube"
SIZES = (8, 16, 32, 64, 128)

TABLE_2: dict[str, tuple[Method, dict[int, tuple[int, int]]]] = {
    "OAB": ("mboa", {8: (2, 100), 16: (2, 100), 32: (2, 100), 64: (3, 70), 128: (3, 50)}),
    "OAS": ("mboa", {8: (3, 100), 16: (4, 100), 32: (7, 90), 64: (11, 90), 128: (19, 90)}),
    "AAB": ("hgsa", {8: (3, 100), 16: (4, 100), 32: (7, 100), 64: (11, 80), 128: (19, 0)}),
    "AAS": ("mboa", {8: (4, 60), 16: (8, 30), 32: (16, 10), 64: (32, 0), 128: (64, 0)}),
}
"""The method, and for each size the lower bound and how often it was reached, per cent."""

FOOTNOTES = {("OAB", 64): 100, ("OAB", 128): 100}
"""How often HGSA reached what MBOA did not always reach, per cent."""


@experiment(
    "evo-table2",
    "lower bounds, and how often they are reached, on all-port hypercubes",
    "paper EVO, Table 2",
    runs=10,
    time_limit=LIMIT,
    axes=(Axes(SIZE, "runs that reach the lower bound, %", across_base=2),),
    caption="The paper's runs took up to hours; ours end at the limit of a run.",
)
def table2(work: Work) -> None:
    """Let the paper's methods look for schedules with as many steps as the lower bound."""
    for kind, (method, entries) in TABLE_2.items():
        for size in SIZES:
            _cube_entry(work, kind, size, method, *entries[size])


def task(kind: str, size: int) -> Task:
    """Return what is scheduled: with store and forward if all broadcast, as in section 3."""
    rules = Rules(switching="store-and-forward") if kind == "AAB" else Rules()
    return task_on(f"hypercube-{size}", kind, rules)


def _cube_entry(work: Work, kind: str, size: int, method: Method, steps: int, rate: int) -> None:
    what, name = f"{kind} on hypercube-{size}", method.upper()
    wanted = task(kind, size)
    work.report(f"{what}: lower bounds")
    bound = lower_bounds(wanted)[0]
    words = bound.argument.words()
    work.claim(f"{what}: lower bound, steps", steps, bound.value, words, by_formula=True)
    entry = make_runs(work, method, wanted, bound.value)
    _rate(work, f"{what}, {name}: runs that reach it, %", rate, entry)
    work.point(f"{kind} {name}, paper", size, rate)
    work.point(f"{kind} {name}, ours", size, entry.rate)
    if (kind, size) in FOOTNOTES:
        other = make_runs(work, "hgsa", wanted, bound.value)
        _rate(work, f"{what}, HGSA: runs that reach it, %", FOOTNOTES[kind, size], other)
    if not entry.evaluations:
        found = shortest(work, wanted, what)
        work.claim(f"{what}, auto: steps", None, found.steps, found.why)


def _rate(work: Work, what: str, paper: int, entry: Entry) -> None:
    work.claim(what, paper, entry.rate, entry.note(paper), aim="more")


TABLE_3: tuple[tuple[str, Ports, tuple[int, int], tuple[int, int]], ...] = (
    ("mesh-4x4", 1, (15, 100), (17, 60)),
    ("mesh-4x4", "all", (8, 100), (17, 25)),
    ("coated-mesh-4x4", 1, (15, 100), (17, 20)),
)
"""Steps, and how often they were reached in per cent: AAB by HGSA, AAS by MBOA."""

STRICT = Rules(1, "strict", "store-and-forward")


@experiment(
    "evo-table3",
    "AAB and AAS on the 4x4 mesh and the coated mesh",
    "paper EVO, Table 3",
    runs=20,
    time_limit=LIMIT,
)
def table3(work: Work) -> None:
    """Find the fewest steps, and let the paper's methods look for the paper's steps."""
    for name, ports, aab, aas in TABLE_3:
        _mesh_entry(work, task_on(name, "AAB", Rules(ports, switching="store-and-forward")), *aab)
        _mesh_entry(work, task_on(name, "AAS", Rules(ports)), *aas)
    what = "AAB on mesh-4x4, 1 port, each copy counting"
    found = shortest(work, task_on("mesh-4x4", "AAB", STRICT), what)
    work.claim(f"{what}: steps", None, found.steps, found.why)


def _mesh_entry(work: Work, task: Task, steps: int, rate: int) -> None:
    ports = "all ports" if task.rules.ports == "all" else f"{task.rules.ports} port"
    what = f"{task.collective.kind} on {task.topology.name}, {ports}"
    found = shortest(work, task, what)
    method: Method = "hgsa" if task.collective.broadcast else "mboa"
    entry = make_runs(work, method, task, steps)
    if entry.evaluations and (found.steps is None or found.steps > steps):
        note = f"by {method.upper()}, not by auto; {found.why}"
        work.claim(f"{what}: steps", steps, steps, note)
    else:
        work.claim(f"{what}: steps", steps, found.steps, found.why, aim="less")
    _rate(work, f"{what}, {method.upper()}: runs that reach {steps} steps, %", rate, entry)


TABLE_4 = (
    "073 104 156 21 23 267 340 432 45 512 654 701 762",
    "012 07 10 265 321 34 451 437 54 567 623 73 704 76",
    "01 12 15 107 234 26 32 40 456 543 670 621 765",
    "04 015 076 123 210 345 326 37 43 540 51 56 62 65 67 70",
)
"""The vertices of every path, a step a line."""


def printed_schedule() -> Schedule:
    """Return the schedule that the table prints."""
    octagon = named("octagon-8")
    words = [[tuple(map(int, word)) for word in line.split()] for line in TABLE_4]
    steps = [[((path[0], path[-1]), path) for path in line] for line in words]
    return Schedule.of(octagon, collective("AAS", octagon), Rules(), steps)


@experiment("evo-table4", "the printed AAS schedule of the Octagon, checked", "paper EVO, Table 4")
def table4(work: Work) -> None:
    """Check the printed schedule with the independent checker."""
    schedule = printed_schedule()
    verdict = examine(schedule)
    report, bound = verdict.report, verdict.bound
    assert bound is not None
    work.claim("steps", 4, len(schedule.steps), by_formula=True)
    work.claim("messages printed, of 8 · 7 pairs", 56, schedule.messages, by_formula=True)
    work.claim("pairs served", 56, report.served)
    work.claim("conflicts that the checker finds", 0, report.count)
    for conflict in report.conflicts:
        work.claim("defect", None, conflict.words())
    work.claim("hops of the longest path", 2, report.longest)
    work.claim("hops that a path is longer than a shortest one", 0, report.detour)
    note = f"the paper's is too low: {bound.argument.words()}"
    work.claim("lower bound of steps", 3, bound.value, note, holds=bound.value == 3, partly=True)
    work.confirm("optimal", verdict.optimal)
    work.drawing = lambda: schedule_figure(schedule)


EIGHT = tuple(range(1, 9))
"""Processors in a row that straddle routers: 1, 2, 2, 2, 1."""
OTHERS = (*range(9, 16), 0)
ALL = tuple(range(16))

GROUPS = {
    "8 to the same 8": (EIGHT, EIGHT),
    "8 to the other 8": (EIGHT, OTHERS),
    "8 to all 16": (EIGHT, ALL),
    "all 16 to all 16": (ALL, ALL),
}
"""Senders and receivers."""

TABLE_5 = {
    "8 to the same 8": {"MNB": (7, 7), "MNS": (7, 10)},
    "8 to the other 8": {"MNB": (8, 8), "MNS": (8, 10)},
    "8 to all 16": {"MNB": (8, 8), "MNS": (11, 15)},
    "all 16 to all 16": {"MNB": (15, 15), "MNS": (15, 17)},
}
"""Lower bound and steps."""

NON_MINIMAL = {("8 to the same 8", "MNS"): 7}
"""Steps with non-minimal paths, where the paper gives them."""

RULES = {"MNB": Rules(1, switching="store-and-forward"), "MNS": Rules(1)}
HOPS = 1
"""That non-minimal paths may be longer."""


@experiment(
    "evo-table5",
    "many-to-many collectives on the fat Octagon",
    "paper EVO, Table 5",
    time_limit=LIMIT,
)
def table5(work: Work) -> None:
    """Find the fewest steps, with minimal and with non-minimal paths."""
    octagon = named("fat-octagon-16")
    for words, printed in TABLE_5.items():
        for kind, (low, high) in printed.items():
            what = f"{kind}, {words}"
            made = collective(kind, octagon, *GROUPS[words])
            found = shortest(work, Task(octagon, made, RULES[kind]), what)
            tight, above = found.bound == low, found.bound > low
            note = f"more than the paper's: {found.argument}" if above else found.argument
            bound = f"{what}: lower bound, steps"
            work.claim(bound, low, found.bound, note, holds=tight, partly=above)
            work.claim(f"{what}: steps", high, found.steps, found.why, aim="less")
            what += f", paths of {HOPS} hop more allowed"
            found = shortest(work, Task(octagon, made, RULES[kind], HOPS), what)
            paper = NON_MINIMAL.get((words, kind))
            work.claim(f"{what}: steps", paper, found.steps, found.why, aim="less")


CORNER, EDGE, INNER = 0, 1, 5
SOURCES = {"a corner": CORNER, "an edge node": EDGE, "an inner node": INNER}
FIG_7_STEPS = 5
"""Steps, from a node that sends three messages in each of them: one on an edge."""


@experiment(
    "evo-fig7",
    "OAS on the 4x4 mesh, with minimal and with non-minimal paths",
    "paper EVO, Fig. 7",
    time_limit=LIMIT,
)
def fig7(work: Work) -> None:
    """Scatter from each kind of node, with minimal paths and with longer ones."""
    mesh = named("mesh-4x4")
    minimal: dict[int, int] = {}
    for kind, extra in (("minimal", 0), ("non-minimal", 2)):
        for words, source in SOURCES.items():
            what = f"OAS from {words}, {kind} paths"
            wanted = Task(mesh, collective("OAS", mesh, (source,)), Rules(), extra)
            found = shortest(work, wanted, what)
            if not extra:
                minimal[source] = found.tried
            paper = FIG_7_STEPS if extra and source == EDGE else None
            work.claim(f"{what}: steps", paper, found.steps, found.why, aim="less")
            if paper is not None and found.schedule is not None:
                _picture(work, wanted, found.schedule, what)
                more = minimal[source] > found.tried
                work.confirm(f"{what}: minimal ones alone need more steps", more)


def _picture(work: Work, task: Task, found: Schedule, what: str) -> None:
    """Draw what the figure shows: one message a channel in every step, few on longer paths."""
    work.report(f"{what}: as few of them as can be")
    schedule = straightened(work, task, found)
    work.drawing = lambda: schedule_figure(schedule)
    sent = sorted(map(len, schedule.steps))
    work.claim(f"{what}: messages in every step, at least", 3, sent[0])
    work.claim(f"{what}: messages on a longer path", None, detours(schedule))


UNREAD = "the paper's values are in a picture only, and not in its text"


FIG_9, FIG_10 = (8, 16, 32, 64), (8, 16, 32)
"""Nodes of the hypercubes."""


def _evaluations(
    name: str, kind: str, place: str
) -> Callable[[Callable[[Work], None]], Experiment]:
    return experiment(
        name,
        f"evaluations until {TABLE_2[kind][0].upper()} finds {kind} on hypercubes",
        f"paper EVO, {place}",
        runs=20,
        time_limit=LIMIT,
        axes=(Axes(SIZE, "mean evaluations", across_base=2, up_base=10),),
        caption="The paper's values are in a picture only, not in its text: none are shown.",
    )


@_evaluations("evo-fig9", "AAB", "Fig. 9")
def fig9(work: Work) -> None:
    """Let HGSA look for AAB."""
    _curve(work, "AAB", FIG_9)


@_evaluations("evo-fig10", "AAS", "Fig. 10")
def fig10(work: Work) -> None:
    """Let MBOA look for AAS."""
    _curve(work, "AAS", FIG_10)


def _curve(work: Work, kind: str, sizes: tuple[int, ...]) -> None:
    method = TABLE_2[kind][0]
    means: list[float] = []
    seconds: list[float] = []
    label = f"{kind} by {method.upper()}"
    for size in sizes:
        wanted = task(kind, size)
        entry = make_runs(work, method, wanted, lower_bounds(wanted)[0].value)
        note = f"{len(entry.evaluations)} of {entry.runs} runs found it"
        work.claim(f"{label} on hypercube-{size}: mean evaluations", None, entry.mean, note)
        if entry.mean is not None:
            work.point(label, size, entry.mean)
            means.append(entry.mean)
            seconds += entry.seconds
    if len(means) < 2:
        return
    factors = [high / low for low, high in pairwise(means)]
    work.confirm(f"{label}: every doubling takes more evaluations", min(factors) > 1, UNREAD)
    work.claim(f"{label}: times more evaluations a doubling, at most", None, max(factors))
    what, paper = f"{label}: time of a run", "few seconds to several hours"
    words, long = f"{min(seconds):.2g} s to {max(seconds):.2g} s", max(seconds) >= 1
    work.claim(what, paper, words, "another machine", holds=long, partly=True)


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
"""Methods to scale the Octagon. Two Octagons with a bridge node have 15 nodes."""
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
    "methods to scale the Octagon: bisection, ports, and steps of AAS and AAB",
    "paper EVO, section 4, Fig. 8",
    time_limit=LIMIT,
)
def octagon(work: Work) -> None:
    """Compare the methods to scale the Octagon that the text describes."""
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
