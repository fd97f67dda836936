"""Networks and group lives for the tests of set-up."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from syncfabric.models.messages import Request
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning.plan_irregular import IrregularGroupPlan, plan_irregular
from syncfabric.models.setup.life import Life, life_of
from syncfabric.models.setup.managed import ManagedNetwork
from syncfabric.models.setup.manager import Meddling
from syncfabric.models.setup.rules import Rules
from tests.models.planning.irregular import draw_network, network_of

__all__ = ["draw_managed", "line", "plan"]


def plan(
    topology: Irregular, gid: int, members: Sequence[Place], turnaround: str = "switch"
) -> IrregularGroupPlan:
    group = GroupSpec(id=gid, members=tuple(members), planner="btin")
    spec = network_of(topology, turnaround=turnaround)
    (planned,) = plan_irregular(spec.network, [group])  # type: ignore[arg-type]
    return planned


def line(switches: int, nodes: int = 1) -> Irregular:
    """A row of switches: port 0 to the one before, 1 to the next, nodes from port 2 on."""
    links = tuple(((s, 1), (s + 1, 0)) for s in range(switches - 1))
    places = tuple((s, 2 + i) for s in range(switches) for i in range(nodes))
    return Irregular(2 + nodes, switches, links, places)


def draw_managed(
    rng: random.Random, *, rules: Rules | None = None, turnaround: str = "switch", **keys: Any
) -> ManagedNetwork:
    """Draw a network with some fifteen lives, and everything that may befall them."""
    topology = draw_network(
        rng, rng.randint(1, 7), rng.randint(0, 4), rng.randint(2, 14), rng.choice([4, 6, 8])
    )
    while len(topology.nodes) < 2:
        topology = draw_network(rng, 3, 1, 6, 8)
    managers = rng.randint(1, 4)
    lives: list[Life] = []
    for gid in range(rng.randint(1, 5)):
        # Of two managers that contend for one GID, each has its own members and epochs.
        parts = _parts(rng, topology.nodes, managers)
        for place, (manager, nodes) in enumerate(parts):
            epochs = range(4)[place :: len(parts)]
            lives += _lives(
                rng, topology, gid, nodes, len(lives), manager, epochs, turnaround, keys
            )
    owners = {(life.manager, life.gid) for life in lives}
    meddlings = {
        Meddling(manager, life.number, rng.choice([Request.CLEAR, Request.KILL]))
        for life in lives
        for manager in range(managers)
        if (manager, life.gid) not in owners and rng.random() < 0.1
    }
    registers = rng.choice([1, 2, 2, 3, 4, None])
    return ManagedNetwork(
        topology, lives, rules=rules, registers=registers, meddlings=sorted(meddlings)
    )


def _parts(
    rng: random.Random, nodes: Sequence[Place], managers: int
) -> list[tuple[int, Sequence[Place]]]:
    """Give a GID to one manager, or part the nodes between two."""
    order, cut = rng.sample(nodes, len(nodes)), len(nodes) // 2
    if cut > 1 and managers > 1 and rng.random() < 0.3:
        first, second = rng.sample(range(managers), 2)
        return [(first, order[:cut]), (second, order[cut:])]
    return [(rng.randrange(managers), order)]


def _lives(
    rng: random.Random,
    topology: Irregular,
    gid: int,
    nodes: Sequence[Place],
    first: int,
    manager: int,
    epochs: Sequence[int],
    turnaround: str,
    keys: dict[str, Any],
) -> list[Life]:
    """Return lives of a GID, one after the other."""
    lives: list[Life] = []
    for number in range(first, first + rng.randint(1, 6)):
        members = rng.sample(nodes, rng.randint(2, min(len(nodes), 6)))
        ending = rng.choice([(True, False), (True, False), (True, True), (False, True)])
        drawn: dict[str, Any] = {
            "last": ending[0],
            "kill": ending[1],
            "barriers": rng.randint(1, 3),
            "repeats": rng.choice([0, 0, 1, 2]),
            "patience": rng.randint(1, 6),
        }
        lives.append(
            life_of(
                plan(topology, gid, members, turnaround),
                number,
                manager=manager,
                epoch=epochs[len(lives) % len(epochs)],
                after=lives[-1].number if lives else None,
                **(drawn | keys),
            )
        )
    return lives
