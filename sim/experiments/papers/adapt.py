"""Paper ADAPT: broadcast trees that adapt to slower links, joins and leaves; and beyond it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from statistics import mean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.broadcast.balanced_path import balanced_path, completion_ns, least_cost
from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout, parent
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.strategies import STRATEGIES, Found, Strategy, search, trials
from syncfabric.models.broadcast.tree import Goal, Policy, Tree
from syncfabric.models.timing.loggp import INFINIBAND, LogGP
from syncfabric.sim.experiments.frame import Axes, Work, experiment

NODES = 1024
"""Of the trees of the paper."""
FACTOR = "cost factor: hops added to one link"
FARTHEST_WORDS = "greatest distance between two nodes, hops"
CURVES = "The text of the paper gives no numbers of its curves"
NO_SWAPS = "no swaps"


def drawn(rng: np.random.Generator, nodes: int, farthest: int) -> NDArray[np.int64]:
    """Return a symmetric matrix of distances from 1 to ``farthest``."""
    upper = np.triu(rng.integers(1, farthest + 1, (nodes, nodes)), 1)
    matrix: NDArray[np.int64] = upper + upper.T
    return matrix


@dataclass
class SlowLink:
    """A tree by Balanced-Path on a drawn network, one of its links, and what is added to it."""

    costs: MatrixCosts
    before: Layout
    """Never changed; its costs are shared, so it must not be asked for those of the link."""
    child: int
    """The position below the link."""

    @classmethod
    def draw(cls, seed: int, nodes: int, farthest: int = 10) -> SlowLink:
        """Return that of a seed. Distances are integers from 1, and all links are as likely."""
        rng = np.random.default_rng(seed)
        costs = MatrixCosts(drawn(rng, nodes, farthest))
        before = Layout(costs, balanced_path(costs, np.arange(nodes), 0))
        return cls(costs, before, int(rng.integers(1, nodes)))

    def counting(self, start_up: StartUp) -> SlowLink:
        """Return the same with start-ups in the tree's cost; to be called before ``slow``."""
        return replace(self, before=Layout(self.costs, self.before.at, start_up))

    def slow(self, factor: int) -> Layout:
        """Return the tree with ``factor`` added to the link, and change the costs so."""
        cost = self.before.link(self.child) + factor
        node, above = (int(self.before.at[x]) for x in (self.child, parent(self.child)))
        self.costs.change(node, {above: cost})
        raised = self.before.copy()
        raised.price(self.child, cost)
        return raised

    def swap(self, strategy: Strategy, raised: Layout) -> tuple[Layout, Found]:
        """Return the tree after a strategy's swap; without a search if its cost did not rise."""
        after = raised.copy()
        if raised.cost <= self.before.cost:
            return after, Found(0, None)
        blocks = trials(strategy, after, parent(self.child), self.child)
        return after, search(after, blocks, self.before.cost)

    def rebuild(self) -> Layout:
        """Return what Balanced-Path makes of the costs as they are now."""
        nodes = np.arange(self.before.size)
        return Layout(self.costs, balanced_path(self.costs, nodes, 0))


# Figs. 7 and 8 (section 5.1): distances from 1 to 10 hops, and the factor is added to one link of
# the tree. A topology and its link are the same at all factors.
FACTORS = (5, 10, 15, 20, 25, 30, 35, 40)
TINY = 1e-9
"""In place of no steps, with which there is no gain either."""

Means = dict[Strategy, NDArray[np.float64]]
"""Of each strategy, of shape (factors)."""


@experiment(
    "adapt-fig7",
    "gain of the four strategies to swap nodes after a link of a broadcast tree got slower",
    "paper ADAPT, Fig. 7",
    runs=1000,
    axes=(Axes(FACTOR, "mean gain, share of the increased cost"),),
    caption=f"{CURVES}: only the highest gain at factor 40.",
)
def gains(work: Work) -> None:
    """Fig. 7, mean gain: (increased cost - new cost) / increased cost."""
    gain, _ = _means(work)
    _add_curves(work, "", gain)
    last = {strategy: float(gain[strategy][-1]) for strategy in STRATEGIES}
    work.point("highest gain, paper", FACTORS[-1], 0.8)
    work.claim("highest mean gain at factor 40, %", 80, 100 * max(last.values()))
    work.confirm("the gain grows with the factor", bool((np.diff(gain["path"]) > 0).all()))
    least = [min(STRATEGIES, key=lambda s: float(gain[s][k])) for k in range(len(FACTORS))]
    _claim_of_one(work, "Family gains least, at all factors", "family", least)
    for strategy, value in last.items():
        work.claim(f"mean gain of {strategy} at factor 40, %", None, 100 * value)


@experiment(
    "adapt-fig8",
    "steps and benefit of the four strategies to swap nodes",
    "paper ADAPT, Fig. 8",
    runs=1000,
    axes=(
        Axes(FACTOR, "mean steps: swaps tried", None, 10, prefix="steps of "),
        Axes(FACTOR, "benefit: mean gain a step", prefix="benefit of "),
    ),
    caption=f"{CURVES}.",
)
def steps(work: Work) -> None:
    """Fig. 8, mean steps, and benefit: mean gain / mean steps."""
    gain, step = _means(work)
    benefit = {strategy: gain[strategy] / np.maximum(step[strategy], TINY) for strategy in gain}
    for name, means in (("steps", step), ("benefit", benefit)):
        _add_curves(work, f"{name} of ", means)
    fewest = np.maximum(step["family"], step["path"])
    many = bool((np.minimum(step["leaf"], step["position"]) > fewest).all())
    work.confirm("Leaf and Position take more steps, at all factors", many)
    best = [max(STRATEGIES, key=lambda s: float(benefit[s][k])) for k in range(len(FACTORS))]
    _claim_of_one(work, "Path has the greatest benefit, at all factors", "path", best)
    for strategy in STRATEGIES:
        work.claim(f"mean steps of {strategy} at factor 40", None, float(step[strategy][-1]))
        value = float(benefit[strategy][-1])
        work.claim(f"benefit of {strategy} at factor 40", None, value)


def _claim_of_one(work: Work, claim: str, one: Strategy, found: list[Strategy]) -> None:
    """Claim that it is the same strategy at all factors, and note those where it is another."""
    pairs = zip(FACTORS, found, strict=True)
    others = [f"{strategy} at {factor}" for factor, strategy in pairs if strategy != one]
    work.confirm(claim, not others, ", ".join(others), partly=len(others) < len(found))


def _means(work: Work) -> tuple[Means, Means]:
    """Return mean gains and mean steps."""
    found = np.mean(list(work.map(topology, [(seed, NODES) for seed in work.seeds])), axis=0)
    gain, step = ({s: found[k, :, place] for place, s in enumerate(STRATEGIES)} for k in range(2))
    return gain, step


def topology(seed: int, nodes: int) -> tuple[list[list[float]], list[list[int]]]:
    """Return gains and steps on one topology, by factor and strategy.

    Parameters
    ----------
    seed : int
        Of the topology and its link.
    nodes : int
    """
    link = SlowLink.draw(seed, nodes)
    gain, step = [], []
    for factor in FACTORS:
        raised = link.slow(factor)
        swapped = [link.swap(strategy, raised) for strategy in STRATEGIES]
        gain.append([(raised.cost - after.cost) / raised.cost for after, _ in swapped])
        step.append([found.steps for _, found in swapped])
    return gain, step


def _add_curves(work: Work, prefix: str, means: Means) -> None:
    for strategy in STRATEGIES:
        work.curve(prefix + strategy, zip(FACTORS, means[strategy].tolist(), strict=True))


EVENTS = 1000
FARTHEST = (10, 30, 50)
PATH, POSITION = "position/path", "position/position"
NEAR, AROUND = 0.55, 0.6
"""Up to which a share is "nearly half", and partly."""
NEARLY = "both: nearly half"
CHURN = (
    Axes(FARTHEST_WORDS, "mean cost of a tree, hops"),
    Axes(FARTHEST_WORDS, "cost over that without swaps", prefix="over no swaps, "),
)
HALF = f"{CURVES}, but the words: nearly half of the cost without swaps."


@experiment(
    "adapt-fig9",
    "cost of trees after 1000 joins and leaves, searching down to their initial cost",
    "paper ADAPT, Fig. 9",
    runs=100,
    axes=CHURN,
    caption=HALF,
)
def to_the_initial_cost(work: Work) -> None:
    """Swap until a tree costs no more than when it was built."""
    _churn(work, "initial")


@experiment(
    "adapt-fig9-before",
    "cost of trees after 1000 joins and leaves, searching down to the cost before each event",
    "paper ADAPT, Fig. 9",
    runs=100,
    axes=CHURN,
    caption=HALF,
)
def to_the_cost_before(work: Work) -> None:
    """Swap until a tree costs no more than before the event."""
    _churn(work, "before")


def _churn(work: Work, goal: Goal) -> None:
    """Fig. 9: trees of 1024 nodes to which 1000 random joins and leaves happen (section 5.2).

    Each event is a join or a leave, as likely as each other; any node but the root may leave. The
    distances of a node that joins are drawn like all others.
    """
    jobs = [(seed, f, goal, NODES, EVENTS) for f in FARTHEST for seed in work.seeds]
    done = work.map(ends, jobs)
    for farthest in FARTHEST:
        found = list(islice(done, work.runs))
        cost = {label: mean(end[label] for end in found) for label in found[0]}
        for label, value in cost.items():
            work.point(label, farthest, value)
        for label in (PATH, POSITION):
            ratio = cost[label] / cost[NO_SWAPS]
            what = f"cost with {label} over that with no swaps, distances to {farthest}"
            note, near = f"the paper: nearly half; {NEAR} at most", ratio <= NEAR
            work.claim(what, 0.5, ratio, note, holds=near, partly=ratio <= AROUND)
            work.point(f"over no swaps, {label}, ours", farthest, ratio)
        work.point(f"over no swaps, {NEARLY}, paper", farthest, 0.5)
        what = f"position/position is cheaper than position/path, distances to {farthest}"
        work.confirm(what, cost[POSITION] < cost[PATH])


def ends(seed: int, farthest: int, goal: Goal, nodes: int, events: int) -> dict[str, float]:
    """Return what a tree costs at the end, by its policy.

    Parameters
    ----------
    seed : int
        Of the network and its events.
    farthest : int
        The greatest distance.
    goal : str
        Until when nodes are swapped.
    nodes, events : int
    """
    rng = np.random.default_rng(seed)
    matrix = drawn(rng, nodes + events, farthest)
    # Of each event the node that joins or leaves: those that are in the tree leave.
    there, free, script = list(range(1, nodes)), nodes, []
    for _ in range(events):
        if rng.random() < 0.5:
            there.append(free)
            script.append(free)
            free += 1
        else:
            script.append(there.pop(int(rng.integers(len(there)))))
    policies = {
        NO_SWAPS: Policy(join=None, leave=None),
        PATH: Policy(join="position", leave="path", goal=goal),
        POSITION: Policy(join="position", leave="position", goal=goal),
    }
    found = {}
    for label, policy in policies.items():
        tree = Tree(matrix, nodes=range(nodes), policy=policy)
        for node in script:
            if node in tree:
                tree.leave(node)
            else:
                tree.join(node=node)
        found[label] = tree.cost
    return found


BYTES = 1024
SMALL = 16
BEYOND = (10, 20, 40)
"""Factors."""
REBUILT = "rebuilt"
"""By Balanced-Path, with the costs as they are then."""
BY_TIME: tuple[Strategy, ...] = ("path", "position")
"""Strategies that are tried with start-ups counted, too, where there are some."""
MEASURES: dict[str, LogGP | None] = {
    "path cost": None,
    "time at 0.1 µs a unit": INFINIBAND,
    "time at 10 µs a unit": replace(INFINIBAND, h=10_000),
}
"""The cost of the costliest path, as in the paper; and the time in which the last node has a
message of 1 KiB under LogGP, where a parent sends to its children one after another, with links of
0.1 µs and of 10 µs a unit of distance. Paper ADAPT has no times. The first is a hop of the preset
``infiniband``; the second, a hundred times that, is assumed, for links between sites. For times,
Path and Position are also tried on trees whose cost is the time itself."""

Best = Literal["a rebuilt tree", "the best tree"]
"""What the others are compared with."""
Ratios = dict[str, dict[str, list[float]]]
"""By measure, label and factor."""


def _axes(words: str) -> tuple[Axes, ...]:
    """Return axes for each measure, in the unit of what it is compared with."""
    return tuple(Axes(FACTOR, f"{name}, {words}", prefix=f"{name}, ") for name in MEASURES)


@experiment(
    "adapt-rebuild",
    "swaps against rebuilding the tree, in path cost and in time under LogGP",
    "beyond paper ADAPT",
    runs=100,
    axes=_axes("over a rebuilt tree"),
    caption="Not in the paper.",
)
def rebuild(work: Work) -> None:
    """Against rebuilding a tree of 1024 nodes."""
    _compare(work, NODES, "a rebuilt tree")


@experiment(
    "adapt-optimum",
    "swaps and rebuilding against the best tree of 16 nodes, in path cost and under LogGP",
    "beyond paper ADAPT",
    runs=100,
    axes=_axes("over the best tree"),
    caption="Not in the paper.",
)
def optimum(work: Work) -> None:
    """Against the best tree of 16 nodes."""
    _compare(work, SMALL, "the best tree")


def _compare(work: Work, nodes: int, best: Best) -> None:
    """Measure every strategy, no swaps and a rebuilt tree over what is best."""
    found = list(work.map(ratios, [(seed, nodes, best) for seed in work.seeds]))
    for words in MEASURES:
        for label in found[0][words]:
            means = np.mean([one[words][label] for one in found], axis=0).tolist()
            work.curve(f"{words}, {label}", zip(BEYOND, means, strict=True))
            work.claim(f"{words}, {label} over {best}, factor {BEYOND[-1]}", None, means[-1])


def ratios(seed: int, nodes: int, best: Best) -> Ratios:
    """Return every strategy's tree, that without swaps and the rebuilt one over what is best.

    Parameters
    ----------
    seed : int
        Of the topology and its link.
    nodes : int
    best : str
        What they are compared with.
    """
    link = SlowLink.draw(seed, nodes)
    counting = {
        words: link.counting(_start_up(machine))
        for words, machine in MEASURES.items()
        if machine is not None
    }
    over: Ratios = {words: {} for words in MEASURES}
    for factor in BEYOND:
        raised = link.slow(factor)
        known: dict[str, Layout] = {s: link.swap(s, raised)[0] for s in STRATEGIES}
        known |= {NO_SWAPS: raised, REBUILT: link.rebuild()}
        for words, machine in MEASURES.items():
            if best == "the best tree":
                bound = _least(machine, link.costs)
            else:
                bound = _measure(machine, known[REBUILT])
            found = dict(known)
            if words in counting:
                slow = counting[words].slow(factor)
                for strategy in BY_TIME:
                    found[f"{strategy} by time"] = counting[words].swap(strategy, slow)[0]
            for label, tree in found.items():
                over[words].setdefault(label, []).append(_measure(machine, tree) / bound)
    return over


def _measure(machine: LogGP | None, layout: Layout) -> float:
    return layout.cost if machine is None else completion_ns(layout, machine, BYTES)


def _start_up(machine: LogGP) -> StartUp:
    """Return what messages cost besides their links, in units of distance."""
    return StartUp.under(machine, BYTES).per(machine.h)


def _least(machine: LogGP | None, costs: MatrixCosts) -> float:
    if machine is None:
        return least_cost(costs, 0)
    return least_cost(costs, 0, _start_up(machine)) * machine.h
