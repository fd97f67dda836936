"""The rounds as rank 0 plays them: broadcasts, repairs, and a tree that follows the latencies."""

from __future__ import annotations

import time
from statistics import median

import numpy as np

from syncfabric.models.broadcast.layout import parent
from syncfabric.models.broadcast.policy import Policy
from syncfabric.models.broadcast.tree import Tree
from syncfabric.sim.ranks.broadcast.caller import Caller, Latencies, Pair, matching
from syncfabric.sim.ranks.broadcast.member import ROOT, Member
from syncfabric.sim.ranks.broadcast.post import Kind
from syncfabric.sim.ranks.broadcast.results import Lost, Row
from syncfabric.sim.ranks.broadcast.script import Slow

__all__ = ["Root"]

EACH = 4
"""Broadcasts a round along each tree; the median counts."""
TRIES = 5
"""Times that a rank which answers, but does not get the data, is sent it."""


class Root:
    """Rank 0.

    Parameters
    ----------
    member : Member
    policy : Policy
        Of the tree.
    """

    def __init__(self, member: Member, policy: Policy) -> None:
        self.member, self.caller = member, Caller(member)
        self.script, self.timeout = member.setting.script, member.setting.timeout
        self.latencies = Latencies()
        self.rows: list[Row] = []
        self.lost: list[Lost] = []
        self.tree = self._first_tree(policy)

    def run(self) -> None:
        """Play all rounds, and end all ranks."""
        for turn in range(self.script.rounds):
            self.rows.append(self._round(turn))
        self._end()

    def _first_tree(self, policy: Policy) -> Tree:
        """Measure every pair, and build the tree."""
        members = [ROOT, *self.script.at_first()]
        for number in range(len(members) | 1):
            self._measure(matching(members, number))
        costs = np.zeros((self.script.ranks, self.script.ranks))
        for a in members:
            for b in members:
                costs[a, b] = self._cost(a, b) if a != b else 0.0
        return Tree(costs, root=ROOT, nodes=members, policy=policy)

    def _round(self, turn: int) -> Row:
        said = [self._slow_down(slow) for slow in self.script.slows if slow.turn == turn]
        self._tell_round()
        joins = (e.rank for e in self.script.events if e.fate == "join" and e.turn == turn)
        said += [self._join(rank) for rank in joins]
        order, cost = self.tree.nodes, self.tree.cost
        adaptive: list[float] = []
        fixed: list[float] = []
        for number in range(EACH):
            # Which of them goes first changes, so that neither has the warmer caches.
            for own in (True, False) if number % 2 else (False, True):
                ranks = self.tree.nodes if own else tuple(sorted(self.tree.nodes))
                if len(ranks) > 1:
                    seconds = self._broadcast(turn, ranks, said)
                    (adaptive if own else fixed).extend(seconds)
        swaps = self._adapt(turn)
        return Row(turn, order, cost, _median(adaptive), _median(fixed), swaps, tuple(said))

    def _tell_round(self) -> None:
        """Tell all ranks which links are slow, and that the root is there."""
        self.caller.tell(Kind.ROUND, self.member.slow, range(1, self.script.ranks))

    def _slow_down(self, slow: Slow) -> str:
        pair = slow.pair
        if pair is None:
            paths = self.tree.paths()
            position = self.tree.position(max(paths, key=lambda leaf: paths[leaf]))
            while parent(position):
                position = parent(position)
            pair = (ROOT, self.tree.nodes[position])
        self.member.slow[pair] = slow.factor
        return f"link {pair[0]}-{pair[1]} takes {slow.factor:g} times as long"

    def _join(self, rank: int) -> str:
        """Let a rank measure its way to all others, and take it into the tree."""
        members, number = self.tree.nodes, self.caller.number()
        self.caller.tell(Kind.JOIN, (number, list(members)), [rank])
        seen = self.caller.answers(Kind.SEEN, {rank}, number)
        if not seen:
            return f"rank {rank} does not join: no answer in {self.timeout:g} s"
        for other, seconds in seen[rank].items():
            self.latencies.note(_pair(rank, other), seconds)
        self.tree.join({other: self._cost(rank, other) for other in members}, node=rank)
        return f"rank {rank} joins, at position {self.tree.position(rank)}"

    def _broadcast(self, turn: int, order: tuple[int, ...], said: list[str]) -> list[float]:
        """Broadcast until all ranks that live have the data.

        Returns
        -------
        list of float
            Seconds until the root knew that all have it; none if some had to be served again.
        """
        number, start = self.caller.number(), time.monotonic()
        missing, last = self.caller.spread(number, turn, order)
        if not missing:
            return [last - start]
        missed, tries = missing, 1
        while missing:
            self._tell_round()
            there = self.caller.there(missing) if tries < TRIES else set[int]()
            for rank in sorted(missing - there):
                said.append(self._lose(rank, turn))
            missing = missing & there
            if missing:
                # They are a tree of their own, in the order of their new positions.
                again = (ROOT, *sorted(missing, key=self.tree.position))
                missing, last = self.caller.spread(number, turn, again)
                tries += 1
        if served := sorted(missed & set(self.tree.nodes)):
            ranks = ", ".join(map(str, served))
            said.append(f"sent again to {ranks}; all have it after {last - start:.3f} s")
        return []

    def _lose(self, rank: int, turn: int) -> str:
        """Take a rank that does not answer out of the tree."""
        self.tree.leave(rank)
        self.latencies.forget(rank)
        self.lost.append(Lost(rank, turn))
        return f"rank {rank} is lost: no answer in {self.timeout:g} s; the tree is repaired"

    def _adapt(self, turn: int) -> int:
        """Measure the links of the tree and some others, and tell the tree; return its swaps."""
        nodes = self.tree.nodes
        links = {_pair(nodes[parent(x)], nodes[x]) for x in range(1, len(nodes))}
        self._measure(sorted(links.union(matching(sorted(nodes), turn))))
        changes = self.latencies.changes(nodes)
        done = [self.tree.update_cost(*pair, seconds) for pair, seconds in changes]
        return sum(change.swapped is not None for change in done)

    def _measure(self, pairs: list[Pair]) -> None:
        self._tell_round()
        for pair, seconds in self.caller.measure(pairs).items():
            self.latencies.note(pair, seconds)

    def _cost(self, a: int, b: int) -> float:
        """Return what the tree is told of a pair: what never came back costs the time-out."""
        return self.latencies.tell(_pair(a, b), self.timeout)

    def _end(self) -> None:
        """End all ranks; MPI in order only if all are still there."""
        others = set(range(1, self.script.ranks))
        number = self.caller.number()
        self.caller.tell(Kind.END, number, others)
        there = self.caller.answers(Kind.HERE, others, number)
        self.member.finalize = there.keys() == others
        self.caller.tell(Kind.GO, self.member.finalize, there)
        self.member.post.flush(time.monotonic() + self.timeout)


def _pair(a: int, b: int) -> Pair:
    return (min(a, b), max(a, b))


def _median(seconds: list[float]) -> float | None:
    return median(seconds) if seconds else None
