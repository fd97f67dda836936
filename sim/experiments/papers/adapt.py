"""Paper ADAPT: broadcast trees that adapt to slower links, joins and leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.broadcast.balanced_path import balanced_path
from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout, parent
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.strategies import STRATEGIES, Found, Strategy, search, trials
from syncfabric.models.broadcast.tree import Goal, Policy, Tree
from syncfabric.sim.experiments.frame import Axes, Work, experiment

__all__ = ["FACTOR", "NODES", "SlowLink", "drawn", "ends", "topology"]

NODES = 1024
"""Of the trees of the paper."""
FACTOR = "cost factor: hops added to one link"
FARTHEST_WORDS = "greatest distance between two nodes, hops"
CURVES = "The text of the paper gives no numbers of its curves"
CHURN = (
    Axes(FARTHEST_WORDS, "mean cost of a tree, hops"),
    Axes(FARTHEST_WORDS, "cost over that without swaps", prefix="over no swaps, "),
)
HALF = f"{CURVES}, but the words: nearly half of the cost without swaps."


def drawn(dice: np.random.Generator, nodes: int, farthest: int) -> NDArray[np.int64]:
    """Return a symmetric matrix of distances from 1 to ``farthest``."""
    upper = np.triu(dice.integers(1, farthest + 1, (nodes, nodes)), 1)
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
        dice = np.random.default_rng(seed)
        costs = MatrixCosts(drawn(dice, nodes, farthest))
        before = Layout(costs, balanced_path(costs, np.arange(nodes), 0))
        return cls(costs, before, int(dice.integers(1, nodes)))

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
    "gain of the four ways to swap nodes after a link of a broadcast tree got slower",
    "paper ADAPT, Fig. 7",
    runs=1000,
    axes=(Axes(FACTOR, "mean gain, share of the increased cost"),),
    caption=f"{CURVES}: only the highest gain at factor 40.",
)
def gains(work: Work) -> None:
    """Fig. 7, mean gain: (increased cost - new cost) / increased cost."""
    gain, _ = _means(work)
    _add_curves(work, "", gain)
    highest = max(float(values[-1]) for values in gain.values())
    work.point("highest gain, paper", FACTORS[-1], 0.8)
    work.claim("highest mean gain at factor 40, %", 80, 100 * highest)
    path = gain["path"]
    work.confirm("the gain grows with the factor", bool((np.diff(path) > 0).all()))
    least = [min(STRATEGIES, key=lambda s: float(gain[s][k])) for k in range(len(FACTORS))]
    _claim_of_one(work, "Family gains least, at all factors", "family", least)
    last = {strategy: float(gain[strategy][-1]) for strategy in STRATEGIES}
    for strategy, value in last.items():
        work.claim(f"mean gain of {strategy} at factor 40, %", None, 100 * value)


@experiment(
    "adapt-fig8",
    "steps and benefit of the four ways to swap nodes",
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
    many = all(
        (step[slow] > step[fast]).all()
        for slow in ("leaf", "position")
        for fast in ("family", "path")
    )
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
    holds, partly = not others, len(others) < len(found)
    work.confirm(claim, holds, ", ".join(others), partly=partly)


def _means(work: Work) -> tuple[Means, Means]:
    """Return mean gains and mean steps."""
    jobs = [(seed, NODES) for seed in work.seeds]
    found = np.mean(list(work.map(topology, jobs)), axis=0)
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

NO_SWAPS = "no swaps"
PATH = "position/path"
POSITION = "position/position"
NEAR, AROUND = 0.55, 0.6
"""Up to which a share is "nearly half", and partly."""
NEARLY = "both: nearly half"
LABELS = (NO_SWAPS, PATH, POSITION)


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
    _run(work, "initial")


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
    _run(work, "before")


def _run(work: Work, goal: Goal) -> None:
    """Fig. 9: trees of 1024 nodes to which 1000 random joins and leaves happen (section 5.2).

    Each event is a join or a leave, as likely as each other; any node but the root may leave. The
    distances of a node that joins are drawn like all others.
    """
    jobs = [(seed, f, goal, NODES, EVENTS) for f in FARTHEST for seed in work.seeds]
    done = work.map(ends, jobs)
    for farthest in FARTHEST:
        found = list(islice(done, work.runs))
        cost = {label: mean(end[label] for end in found) for label in LABELS}
        for label, value in cost.items():
            work.point(label, farthest, value)
        for label in (PATH, POSITION):
            ratio = cost[label] / cost[NO_SWAPS]
            what = f"cost with {label} over that with no swaps, distances to {farthest}"
            note, near = f"the paper: nearly half; {NEAR} at most", ratio <= NEAR
            work.claim(what, 0.5, ratio, note, holds=near, partly=ratio <= AROUND)
            work.point(f"over no swaps, {label}, ours", farthest, ratio)
        work.point(f"over no swaps, {NEARLY}, paper", farthest, 0.5)
        work.confirm(
            f"position/position is cheaper than position/path, distances to {farthest}",
            cost[POSITION] < cost[PATH],
        )


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
    policies = (
        Policy(join=None, leave=None),
        Policy(join="position", leave="path", goal=goal),
        Policy(join="position", leave="position", goal=goal),
    )
    script = _Script.draw(seed, farthest, nodes, events)
    return {label: script.play(policy) for label, policy in zip(LABELS, policies, strict=True)}


@dataclass(frozen=True)
class _Script:
    """A network, and what happens on it, whatever the tree makes of it."""

    matrix: np.typing.NDArray[np.int64]
    nodes: int
    """Of the tree at the beginning."""
    events: tuple[int, ...]
    """Of each the node that joins or leaves: those that are in the tree leave."""

    @classmethod
    def draw(cls, seed: int, farthest: int, nodes: int, count: int) -> _Script:
        dice = np.random.default_rng(seed)
        matrix = drawn(dice, nodes + count, farthest)
        there, free, events = list(range(1, nodes)), nodes, []
        for _ in range(count):
            if dice.random() < 0.5:
                there.append(free)
                events.append(free)
                free += 1
            else:
                events.append(there.pop(int(dice.integers(len(there)))))
        return cls(matrix, nodes, tuple(events))

    def play(self, policy: Policy) -> float:
        """Return the cost of the tree at the end."""
        tree = Tree(self.matrix, nodes=range(self.nodes), policy=policy)
        for node in self.events:
            if node in tree:
                tree.leave(node)
            else:
                tree.join(node=node)
        return tree.cost
