"""Fig. 9: trees of 1024 nodes to which 1000 random joins and leaves happen.

Each event is a join or a leave, as likely as each other; any node but the root may leave. The
distances of a node that joins are drawn like all others. Paper ADAPT, section 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from statistics import mean

import numpy as np

from syncfabric.models.broadcast.tree import Goal, Policy, Tree
from syncfabric.sim.reproduce.adapt.networks import drawn
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["EVENTS", "FARTHEST", "NODES", "ends", "to_the_cost_before", "to_the_initial_cost"]

NODES = 1024
EVENTS = 1000
FARTHEST = (10, 30, 50)

NO_SWAPS = "no swaps"
PATH = "position/path"
POSITION = "position/position"
NEAR, AROUND = 0.55, 0.6
"""Up to which a share is "nearly half", and partly."""
NEARLY = "both: nearly half"
LABELS = (NO_SWAPS, PATH, POSITION)


def to_the_initial_cost(work: Work) -> None:
    """Swap until a tree costs no more than when it was built."""
    _run(work, "initial")


def to_the_cost_before(work: Work) -> None:
    """Swap until a tree costs no more than before the event."""
    _run(work, "before")


def _run(work: Work, goal: Goal) -> None:
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
