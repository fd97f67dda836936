"""Drawing lives: who takes part, under which number, for how long, and how it ends."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from syncfabric.models.messages import SEQUENCE_BITS
from syncfabric.models.networks.spec import PLANNERS, GroupSpec, NetworkSpec, Operation
from syncfabric.models.planning.plan import (
    BarrierPlan,
    MessageGroupPlan,
    make_plan,
)
from syncfabric.models.planning.requests import manager_entries
from syncfabric.sim.drive.churn.room import free_gids

__all__ = ["Drawing", "Drawn"]

GIDS = 8
"""GIDs that are used again and again, if the network's groups leave so many."""
EPOCHS = 4
FEW = 6
"""Members of most lives, at most."""
MOST_EPISODES = 8
DOOMED = 1 / 8
"""Share of lives that are killed."""
ENDLESS = 1000
"""Episodes of every other life that is killed, so that it is so in the midst of them."""
MOST_ENTRIES = 1 << SEQUENCE_BITS
"""Entries that a manager can send in one command."""

_BITWISE: tuple[Operation, ...] = ("or", "and", "xor")
_SERIAL: tuple[Operation, ...] = ("max", "min", "sum")


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a life; see ``Life``."""

    group: MessageGroupPlan
    epoch: int
    entries: list[tuple[int, ...]]
    episodes: int
    doomed: bool
    manager: int


class Drawing:
    """Draws lives on a network, one after the other.

    Parameters
    ----------
    spec : NetworkSpec
        The network, and the groups whose numbers are not to be taken.
    rng : random.Random

    Attributes
    ----------
    gids : tuple of int
        The numbers of lives.
    """

    def __init__(self, spec: NetworkSpec, rng: random.Random) -> None:
        self._spec, self._rng = spec, rng
        gids = free_gids(spec)
        self.gids = tuple(sorted(rng.sample(gids, min(GIDS, len(gids)))))
        self._free = list(self.gids)
        self._epochs: dict[int, int] = {}
        serial = spec.register_network.operations == "all"
        self._operations = _BITWISE + (_SERIAL if serial else ())

    @property
    def has_gid(self) -> bool:
        """Whether there is a number for one more life."""
        return bool(self._free)

    def draw(self, room: Sequence[int]) -> Drawn:
        """Draw a life of nodes among ``room``, at least two."""
        rng = self._rng
        gid = self._free.pop(rng.randrange(len(self._free)))
        epoch = self._epochs[gid] = (self._epochs.get(gid, -1) + 1) % EPOCHS
        most = min(len(room), FEW if rng.random() < 3 / 4 else len(room))
        size = rng.randint(2, most)
        operation = rng.choice(self._operations)
        while True:
            plan = self._plan(gid, rng.sample(room, size), operation)
            group = plan.message_groups[0]
            entries = manager_entries(plan, group, epoch)
            if len(entries) <= MOST_ENTRIES:
                break
            size = max(2, size // 2)
        doomed, endless = rng.random() < DOOMED, rng.random() < 1 / 2
        return Drawn(
            group=group,
            epoch=epoch,
            entries=entries,
            episodes=ENDLESS if doomed and endless else rng.randint(1, MOST_EPISODES),
            doomed=doomed,
            manager=rng.randrange(len(self._spec.register_network.manager_nodes)),
        )

    def _plan(self, gid: int, nodes: Sequence[int], operation: Operation) -> BarrierPlan:
        places = tuple(map(self._spec.network.topology.node, nodes))
        planner = PLANNERS[self._spec.network.kind][0]
        group = GroupSpec(id=gid, members=places, op=operation, planner=planner)
        spec = NetworkSpec(name=self._spec.name, network=self._spec.network, groups=(group,))
        return make_plan(spec)

    def give_back(self, gid: int) -> None:
        """Take back the number of a life that is over."""
        self._free.append(gid)
