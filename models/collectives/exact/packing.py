"""Scatters with wormhole switching, step by step: each is a packing that leaves enough behind.

Paths are chosen first, so that no channel is on more of them than the bound says. With r steps to
go, a channel that r messages still need must carry one in this step. A linear program in whole
numbers packs messages into the step so that all of these do, and of the others those which have
the most to go.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from syncfabric.models.collectives.chunks.multiflow import whole_flows
from syncfabric.models.collectives.chunks.routing import apart, into_of
from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.linear import flows
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task

_FLOWS = 60_000
"""Flows (senders times channels) up to which paths are chosen."""
_TRIES = 5
"""With each choice of paths."""
_GAP = 0.05
"""Between a step's packing and the best one, at most."""
_NODES = 30
"""Of the tree in which a packing is looked for."""
_SOME = 20
"""Messages that a packing may take beside those of the linear program in parts."""
_POWER = 3
"""Of a channel's share of what is left, as the worth of using it."""


def scatter_by_packing(task: Task, steps: int, seed: int) -> Iterator[tuple[Step, ...]]:
    """Yield schedules of a scatter with wormhole switching, shorter and shorter ones.

    Parameters
    ----------
    task : Task
        Not one that is to be turned round. Of others than scatters with wormhole switching, and of
        those that are too large, there is none.
    steps : int
        The lower bound, at which it ends.
    seed : int
    """
    if task.collective.broadcast or task.rules.stores:
        return
    best = inf
    for paths in loaded_evenly(task, steps):
        for attempt in range(_TRIES):
            found = _Packing(task, paths, steps, seed + attempt).run(best)
            if found is not None:
                yield found
                best = len(found)
            if best <= steps:
                return


def loaded_evenly(task: Task, steps: int) -> Iterator[list[Path]]:
    """Yield choices of a path for each message with no channel on more than ``steps`` of them.

    None where there are too many messages and channels.
    """
    sources = {source for source, _ in task.collective.pairs}
    if len(sources) * len(task.topology.channels) <= _FLOWS:
        for choose in (_straight, balanced):
            tick()
            paths = choose(task, steps)
            if paths is not None:
                yield paths


def _straight(task: Task, most: int) -> list[Path] | None:
    """Return paths as ``balanced`` does, that go on to the node of the nearest number.

    On meshes and tori that is dimension by dimension.
    """
    topology, load = task.topology, Counter[int]()
    found = []
    for source, target in task.collective.pairs:
        path, to_go = [source], topology.to_go(target)
        while (here := path[-1]) != target:
            nearer = (v for v in topology.successors[here] if to_go[v] < to_go[here])
            path.append(min(nearer, key=lambda v: abs(v - here)))
        load.update(topology.along(path))
        found.append(tuple(path))
    return found if max(load.values()) <= most else None


def balanced(task: Task, most: int) -> list[Path] | None:
    """Return a shortest path for each message, so that no channel is on more than ``most``.

    None if no such paths are found, or there are none.
    """
    topology = task.topology
    wanted, ways = flows(replace(task, extra=0))
    room = [most] * len(topology.channels)
    found = whole_flows(topology, 1, room, wanted, ways, _FLOWS)
    if found is None:
        return None
    left, into = found.astype(float), into_of(topology)
    return [apart(into, left[s], s, t, 1)[0][0] for s, t in task.collective.pairs]


class _Packing:
    """What is left of the messages."""

    def __init__(self, task: Task, paths: list[Path], steps: int, seed: int) -> None:
        self.paths, self.steps = paths, steps
        self.rng = np.random.default_rng(seed)
        topology, ports = task.topology, task.rules.ports
        size = len(topology.channels)
        rows = [topology.along(path) for path in paths]
        self.room = np.ones(size)
        if ports != "all":
            # A node's ports are as channels that carry several.
            for row, path in zip(rows, paths, strict=True):
                row += [size + path[0], size + topology.nodes + path[-1]]
            most = np.full(2 * topology.nodes, float(ports))
            self.room = np.concatenate([self.room, most])
        column = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        flat = np.concatenate([np.array(row) for row in rows])
        shape = (len(self.room), len(rows))
        self.uses = coo_array((np.ones(len(flat)), (flat, column)), shape=shape).tocsc()

    def run(self, best: float) -> tuple[Step, ...] | None:
        """Pack all, with a step more wherever so many cannot be kept; None if it is not fewer."""
        left, made = np.arange(len(self.paths)), list[Step]()
        while len(left):
            uses = self.uses[:, left]
            now = self.pack(uses, uses.sum(axis=1), self.steps - len(made))
            if now is None:
                self.steps += 1
                if self.steps >= best:
                    return None
                continue
            made.append(
                tuple(Transfer((p[0], p[-1]), p) for p in map(self.paths.__getitem__, left[now]))
            )
            left = left[~now]
        return tuple(made)

    def pack(self, uses: Any, load: NDArray[np.float64], rest: int) -> NDArray[np.bool_] | None:
        """Choose the messages of a step, after which ``rest`` - 1 do for what is left, or None."""
        if rest < 1 or (load > rest * self.room).any():
            return None
        worth = uses.T @ (load / (rest * self.room)) ** _POWER
        worth = worth + 1e-6 * self.rng.random(len(worth))
        least = load - (rest - 1) * self.room
        # What is chosen in parts, and some more, mostly do.
        some = self.solve(uses, worth, least, whole=False)
        if some is None:
            return None
        some |= self.rng.random(len(some)) < _SOME / len(some)
        chosen = self.solve(uses[:, some], worth[some], least)
        if chosen is None:
            return self.solve(uses, worth, least)
        some[some] = chosen
        return some

    def solve(
        self,
        uses: Any,
        worth: NDArray[np.float64],
        least: NDArray[np.float64],
        *,
        whole: bool = True,
    ) -> NDArray[np.bool_] | None:
        """Choose the messages worth most, as a whole or in parts; None if none do."""
        result = milp(
            -worth,
            constraints=LinearConstraint(uses, least, self.room),
            integrality=np.full(len(worth), int(whole)),
            bounds=Bounds(0, 1),
            options={"time_limit": seconds_left(), "mip_rel_gap": _GAP, "node_limit": _NODES},
        )
        tick()
        return None if result.x is None else result.x > (0.5 if whole else 1e-6)
