"""Broadcasts between ranks of MPI along a tree that follows their latencies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from statistics import median
from threading import Timer
from typing import TYPE_CHECKING, Any

import numpy as np

from syncfabric.models.broadcast.layout import parent
from syncfabric.models.broadcast.policy import Policy
from syncfabric.models.broadcast.tree import Tree
from syncfabric.sim.ranks.broadcast.member import ROOT, Member, Setting
from syncfabric.sim.ranks.broadcast.post import Data, Kind
from syncfabric.sim.ranks.broadcast.results import Broadcasts, Lost, Row, Wrong
from syncfabric.sim.ranks.broadcast.script import Slow
from syncfabric.sim.ranks.payloads import (
    Times,
    first_wrong,
    library_words,
    now,
    processors,
    slowest,
)

if TYPE_CHECKING:
    from syncfabric.models.broadcast.strategies import Strategy

Pair = tuple[int, int]
"""Two ranks, the lower one first."""

GAIN = 0.5
"""How far a measurement moves the figure: halfway from the old one."""
CHANGED = 0.25
"""Relative change of a figure that updates it in the tree."""


class Latencies:
    """The figure of each pair, in seconds, and the one that the tree was built with."""

    def __init__(self) -> None:
        self._smooth: dict[Pair, float] = {}
        self._adopted: dict[Pair, float] = {}

    def note(self, pair: Pair, measured: float) -> None:
        """Take a measurement: an exponentially weighted mean, the first one as it is."""
        old = self._smooth.get(pair, measured)
        self._smooth[pair] = old + GAIN * (measured - old)

    def adopt(self, pair: Pair, unknown: float) -> float:
        """Return the figure that the tree uses from now on; ``unknown`` if none was measured."""
        self._adopted[pair] = self._smooth.get(pair, unknown)
        return self._adopted[pair]

    def changes(self, members: Iterable[int]) -> list[tuple[Pair, float]]:
        """Adopt and return the figures between these ranks that have changed.

        The lowest come first, so a swap finds the paths around those that have risen.
        """
        inside = set(members)
        found = []
        for pair, value in self._smooth.items():
            adopted = self._adopted.get(pair, 0.0)
            if inside.issuperset(pair) and abs(value - adopted) > CHANGED * adopted:
                found.append((pair, value))
        self._adopted |= dict(found)
        return sorted(found, key=lambda change: change[1])

    def forget(self, rank: int) -> None:
        """Remove the figures of a rank that has left."""
        for known in (self._smooth, self._adopted):
            for pair in [pair for pair in known if rank in pair]:
                del known[pair]


def matching(ranks: Sequence[int], number: int) -> list[Pair]:
    """Return disjoint pairs of ranks; N - 1 of them in turn (N if odd) hold every pair once.

    The circle method of tournaments: one stays, the others go round.
    """
    places: list[int | None] = [*ranks, *([None] * (len(ranks) % 2))]
    turn = number % max(1, len(places) - 1)
    circle = places[:1] + places[1 + turn :] + places[1 : 1 + turn]
    half = len(circle) // 2
    pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
    return [pair_of(a, b) for a, b in pairs if a is not None and b is not None]


def pair_of(a: int, b: int) -> Pair:
    """Return two ranks as a pair."""
    return (min(a, b), max(a, b))


EACH = 4
"""Broadcasts a round along each tree; the median counts."""
TRIES = 5
"""Times that a rank which answers, but does not get the data, is sent it."""


class Root:
    """Rank 0: it asks, it broadcasts, and it waits no longer than a time.

    Parameters
    ----------
    member : Member
        What it does as every rank does; it goes on with that while it waits.
    policy : Policy
        Of the tree.
    """

    def __init__(self, member: Member, policy: Policy) -> None:
        self.member, self.post = member, member.post
        self.script, self.timeout = member.setting.script, member.setting.timeout
        self.latencies = Latencies()
        self.rows: list[Row] = []
        self.lost: list[Lost] = []
        self.wrong: list[Wrong] = []
        self.checked = 0
        self._numbers = count(1)
        """Of questions and broadcasts."""
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
        self._send_round()
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
                    (adaptive if own else fixed).extend(self._broadcast(turn, ranks, said))
        swaps = self._adapt(turn)
        took = [median(seconds) if seconds else None for seconds in (adaptive, fixed)]
        return Row(turn, order, cost, took[0], took[1], swaps, tuple(said))

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
        """Let a rank measure its cost to all others, and take it into the tree."""
        members, number = self.tree.nodes, next(self._numbers)
        self._send(Kind.JOIN, (number, list(members)), [rank])
        seen = self._answers(Kind.SEEN, {rank}, number)
        if not seen:
            return f"rank {rank} does not join: no answer in {self.timeout:g} s"
        for other, seconds in seen[rank].items():
            self.latencies.note(pair_of(rank, other), seconds)
        self.tree.join({other: self._cost(rank, other) for other in members}, node=rank)
        return f"rank {rank} joins, at position {self.tree.position(rank)}"

    def _broadcast(self, turn: int, order: tuple[int, ...], said: list[str]) -> list[float]:
        """Broadcast until all ranks that live have the data.

        Returns
        -------
        list of float
            Seconds until the root knew that all have it; none if some had to be served again.
        """
        start = time.monotonic()
        number = next(self._numbers)
        missing, last = self._spread(number, turn, order)
        if not missing:
            return [last - start]
        missed, tries = missing, 1
        while missing:
            self._send_round()
            there = self._there(missing) if tries < TRIES else set[int]()
            for rank in sorted(missing - there):
                self.tree.leave(rank)
                self.latencies.forget(rank)
                self.lost.append(Lost(rank, turn))
                lost = f"rank {rank} is lost: no answer in {self.timeout:g} s"
                said.append(f"{lost}; the tree is repaired")
            missing = missing & there
            if missing:
                # They are a tree of their own, in the order of their new positions.
                again = (ROOT, *sorted(missing, key=self.tree.position))
                missing, last = self._spread(number, turn, again)
                tries += 1
        if served := sorted(missed & set(self.tree.nodes)):
            ranks = ", ".join(map(str, served))
            said.append(f"sent again to {ranks}; all have it after {last - start:.3f} s")
        return []

    def _spread(self, number: int, turn: int, order: tuple[int, ...]) -> tuple[set[int], float]:
        """Broadcast along a binomial tree, once.

        Returns
        -------
        set of int
            Ranks that did not say in time that they have the data, and have compared it.
        float
            When the last one said that it has the data (``time.monotonic``).
        """
        last = time.monotonic()
        until = last + self.timeout
        data = Data(number, turn, order, self.member.setting.payload(number))
        self.member.pass_on(data, data.pack())
        waiting = {kind: set(order[1:]) for kind in (Kind.GOT, Kind.CHECKED)}
        for kind, source, byte in self._replies(waiting, number, until):
            if kind is Kind.GOT:
                last = time.monotonic()
            else:
                self.checked += self.member.setting.size
                if byte is not None:
                    self.wrong.append(Wrong(source, turn, byte))
        return waiting[Kind.GOT] | waiting[Kind.CHECKED], last

    def _adapt(self, turn: int) -> int:
        """Measure the links of the tree and some others, and update the tree; return its swaps."""
        nodes = self.tree.nodes
        links = {pair_of(nodes[parent(x)], nodes[x]) for x in range(1, len(nodes))}
        self._measure(sorted(links.union(matching(sorted(nodes), turn))))
        changes = self.latencies.changes(nodes)
        done = [self.tree.update_cost(*pair, seconds) for pair, seconds in changes]
        return sum(change.swapped is not None for change in done)

    def _measure(self, pairs: list[Pair]) -> None:
        """Measure the seconds from rank to rank, all at once; the lower ones ask."""
        self._send_round()
        asked: dict[int, list[int]] = {}
        for low, high in pairs:
            asked.setdefault(low, []).append(high)
        number = next(self._numbers)
        for rank, peers in asked.items():
            self._send(Kind.PROBE, (number, peers), [rank])
        for rank, seen in self._answers(Kind.SEEN, set(asked), number).items():
            for peer, seconds in seen.items():
                self.latencies.note((rank, peer), seconds)

    def _cost(self, a: int, b: int) -> float:
        """Return the cost of a pair for the tree: what never came back costs the time-out."""
        return self.latencies.adopt(pair_of(a, b), self.timeout)

    def _end(self) -> None:
        """End all ranks; MPI in order only if all are still there."""
        others = set(range(1, self.script.ranks))
        there = self._there(others, Kind.END)
        self.member.finalize = there == others
        self._send(Kind.GO, self.member.finalize, there)
        self.post.flush(time.monotonic() + self.timeout)

    def _send_round(self) -> None:
        """Send all ranks which links are slow, and that the root is there."""
        self._send(Kind.ROUND, self.member.slow, range(1, self.script.ranks))

    def _send(self, kind: Kind, value: object, ranks: Iterable[int]) -> None:
        for rank in ranks:
            self.post.send(rank, kind, value)

    def _there(self, ranks: set[int], kind: Kind = Kind.ASK) -> set[int]:
        """Return which of some ranks answer in time."""
        number = next(self._numbers)
        self._send(kind, number, ranks)
        return set(self._answers(Kind.HERE, ranks, number))

    def _answers(self, kind: Kind, ranks: set[int], number: int) -> dict[int, Any]:
        """Return what ranks answer to a question, of those that do in time.

        An answer is the question's number and a value.
        """
        until = time.monotonic() + self.timeout
        replies = self._replies({kind: set(ranks)}, number, until)
        return {source: value for _, source, value in replies}

    def _replies(
        self, waiting: dict[Kind, set[int]], number: int, until: float
    ) -> Iterator[tuple[Kind, int, Any]]:
        """Yield kind, rank and value of what comes in time; take it out of what is waited for."""
        while any(waiting.values()):
            message = self.post.receive(until)
            if message is None:
                break
            if message.kind not in waiting:
                self.member.handle(message)
                continue
            answered, value = message.value
            if answered == number and message.source in waiting[message.kind]:
                waiting[message.kind].remove(message.source)
                yield message.kind, message.source, value


WARM = 2
"""Calls of the library that are not timed."""


def broadcast(world: Any, setting: Setting, strategy: Strategy) -> tuple[Broadcasts | None, bool]:
    """Broadcast in rounds as a script says; every rank calls this.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        As many ranks as the script has. mpiexec must let ranks outlive one that dies.
    setting : Setting
    strategy : str
        What the tree does when a link takes longer.

    Returns
    -------
    Broadcasts or None
        On rank 0; None on the others.
    bool
        Whether all ranks are still there. If not, MPI cannot be ended in order, for that waits for
        all: leave by ``os._exit``.
    """
    from mpi4py import MPI

    library, wrong, checked = _library(world, setting)
    near = world.Split_type(MPI.COMM_TYPE_SHARED)
    member = Member(world.Dup(), setting, shared=near.Get_size() > processors())
    if member.rank != ROOT:
        member.serve()
        return None, member.finalize is True

    # The tree is rank 0's alone, and takes long to import.
    from syncfabric.models.broadcast.policy import Policy

    root = Root(member, Policy(rise=strategy))
    root.run()
    checked, wrong = checked + root.checked, [*wrong, *root.wrong]
    whole = member.finalize is True
    mpi = library_words()
    return Broadcasts(setting, mpi, library, root.rows, root.lost, checked, wrong, whole), whole


def _library(world: Any, setting: Setting) -> tuple[Times, list[Wrong], int]:
    """Time the library's Bcast as often as there are rounds, and compare every byte.

    Returns
    -------
    Times
    list of Wrong
    int
        Bytes compared; like the rest, of all ranks.
    """
    rank, seconds, wrong = world.Get_rank(), [], []
    turns = range(WARM + setting.script.rounds)
    with _guard(setting.timeout * len(turns), rank):
        for turn in turns:
            right = setting.payload(turn)
            block = right.copy() if rank == ROOT else right * 0
            world.Barrier()
            start = now()
            world.Bcast(block, ROOT)
            if turn >= WARM:
                seconds.append(now() - start)
            byte = first_wrong(block, right)
            if byte is not None:
                wrong.append(Wrong(rank, None, byte))
        rows = world.allgather((seconds, wrong))
    checked = len(turns) * (world.Get_size() - 1) * setting.size
    return slowest("Bcast", [row[0] for row in rows]), [w for row in rows for w in row[1]], checked


@contextmanager
def _guard(seconds: float, rank: int) -> Iterator[None]:
    """End this rank if the library does not come back: it would wait for dead ranks."""

    def give_up() -> None:
        if rank == ROOT:
            sys.stderr.write(f"error: Bcast does not come back in {seconds:g} s: a rank is gone\n")
            sys.stderr.flush()
        os._exit(1)

    timer = Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
