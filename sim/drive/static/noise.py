"""What a static network must refuse or ignore, and processes that are slow to come to Wait."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE
from syncfabric.models.messages.static import INIT, LoaderWord, StaticWord
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.static.parts import groups_of, network_of

__all__ = ["StaticNoise"]

SHARE = 1 / 16
"""How often each disturbance comes, a cycle."""


class StaticNoise:
    """Draws disturbances; none of them changes a barrier but by its time.

    Parameters
    ----------
    plan : BarrierPlan
    seed : int
    ports : collection of int
        Nodes whose core ports have programs: they are left alone.
    """

    def __init__(self, plan: BarrierPlan, seed: int, ports: Collection[int] = ()) -> None:
        network, groups = network_of(plan), groups_of(plan)
        index = network.topology.index
        self._rng = random.Random(f"{seed}/noise")
        self._nodes = len(network.topology.nodes)
        self._flits = min(network.flit_bits, 32)
        self._members = [index(node) for group in groups for node in group.members]
        self._roots = [index(group.root) for group in groups if len(group.members) > 1]
        self._held: set[int] = set()
        self._ports = ports

    def _comes(self) -> bool:
        return self._rng.random() < SHARE

    def twice(self) -> Iterator[int]:
        """Yield a member that may arrive a second time, if it is inside."""
        if self._members and self._comes():
            yield self._rng.choice(self._members)

    def hold(self) -> Iterator[tuple[int, bool]]:
        """Yield where ``hold`` changes: it is soon lowered again."""
        for node in sorted(self._held):
            if self._comes():
                self._held.discard(node)
                yield node, False
                return
        if self._members and self._comes():
            node = self._rng.choice(self._members)
            if node not in self._held:
                self._held.add(node)
                yield node, True

    def lower(self) -> Iterator[int]:
        """Yield all members whose ``hold`` is still high, for the end."""
        yield from sorted(self._held)
        self._held.clear()

    def send(self) -> Iterator[tuple[int, int]]:
        """Yield node and flit that software sends; no route leads on from there."""
        if self._comes():
            node, flit = self._rng.randrange(self._nodes), self._rng.getrandbits(self._flits)
            if node not in self._ports:
                yield node, flit

    def take(self) -> Iterator[int]:
        """Yield a node whose software takes a flit."""
        if self._comes():
            node = self._rng.randrange(self._nodes)
            if node not in self._ports:
                yield node

    def request(self) -> ConfigRequest | None:
        """Return a request that changes no state but that of the chain."""
        if not self._comes():
            return None
        rng, node = self._rng, self._rng.randrange(self._nodes)
        refused = ConfigRequest(node, rng.choice((StaticWord.STATUS, 4, COUNTER_BASE)), True, 1)
        asked = [
            refused,
            ConfigRequest(node, rng.choice((*StaticWord, COUNTER_BASE, COUNTER_BASE + 4)), False),
            ConfigRequest(self._nodes, rng.randrange(4), False),
            ConfigRequest(self._nodes, LoaderWord.SHIFT, True, rng.getrandbits(32)),
        ]
        if self._roots:  # they have begun: they take no other role, and no second INIT
            root = rng.choice(self._roots)
            asked.append(ConfigRequest(root, StaticWord.ROLE, True, rng.getrandbits(32)))
            asked.append(ConfigRequest(root, StaticWord.COMMAND, True, INIT))
        return rng.choice(asked)
