"""Group instances: groups from one set-up to their end, whose members arrive and are released."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator
from typing import Generic, Protocol, TypeVar

from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.drive.arrivals import GroupArrivals, Place
from syncfabric.sim.drive.group_events import BrokenRelease
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.trace import Act

__all__ = ["ENDLESS", "Instance", "Instances"]

ENDLESS = 1 << 30
"""Episodes of a group that goes on until it is ended."""


class Instance:
    """A group from one set-up to its end.

    Parameters
    ----------
    number : int
        Of all instances of the run.
    nodes : list of int
        Its members'.
    scenario : Scenario
        Episodes, policy and jitter.
    rng : random.Random
        Of the members' arrivals.

    Attributes
    ----------
    places : list of (int, int)
        Node and register of each member.
    due : dict of int to int
        By member: the cycle from which it arrives as soon as its register is ready.
    inside : dict of int to int
        By member that waits for its release: the cycle in which it arrived.
    broken : bool
        A member has been released broken.
    closed : bool
        Members arrive no more.
    """

    def __init__(
        self,
        number: int,
        group: GroupPlan,
        nodes: list[int],
        scenario: Scenario,
        rng: random.Random,
    ) -> None:
        self.number, self.group, self.nodes = number, group, nodes
        self.places: list[Place] = list(zip(nodes, group.places.values(), strict=True))
        self.due: dict[int, int] = {}
        self.inside: dict[int, int] = {}
        self.broken = self.closed = False

        def plan(cycle: int, member: int) -> None:
            self.due[member] = cycle

        self.arrivals = GroupArrivals(group, self.places, scenario, rng, plan)


class Shown(Protocol):
    """A golden model, as far as its members see it."""

    release: list[tuple[int, int, int]]

    def ready(self, node: int, register: int) -> bool:
        """Whether a process may arrive."""

    def broken(self, node: int, register: int) -> bool:
        """Whether a release is a broken one."""


InstanceT = TypeVar("InstanceT", bound=Instance)


class Instances(Generic[InstanceT]):
    """The instances of a run.

    Parameters
    ----------
    model : Shown
        Is looked at for releases, and for registers that are ready.
    arrive : callable
        Takes (instance, member): the member arrives in this cycle.

    Attributes
    ----------
    alive : dict of int to Instance
        Those that are not over, by GID.
    """

    def __init__(self, model: Shown, arrive: Callable[[InstanceT, int], None]) -> None:
        self._model, self._arrive = model, arrive
        self.alive: dict[int, InstanceT] = {}
        self._at: dict[Place, tuple[InstanceT, int]] = {}

    def enter(self, instance: InstanceT) -> None:
        """Begin an instance, before any member arrives."""
        self.alive[instance.group.id] = instance
        self._at.update({place: (instance, m) for m, place in enumerate(instance.places)})

    def leave(self, instance: InstanceT) -> None:
        """End an instance."""
        for place in instance.places:
            del self._at[place]
        del self.alive[instance.group.id]

    def released(self, now: int, acts: list[Act]) -> Iterator[InstanceT]:
        """Take the releases of a cycle, and note those that are broken; yield whose they are."""
        for node, register, _ in self._model.release:
            broken = self._model.broken(node, register)
            if broken:
                acts.append(BrokenRelease(now, node, register))
            if (node, register) not in self._at:
                continue
            instance, member = self._at[node, register]
            inside = instance.inside.pop(member, None) is not None
            if broken:
                instance.broken = True
            elif inside:
                instance.arrivals.release(now, member)
            yield instance

    def arrive(self, now: int, *, absent: Collection[int] = (), ordered: bool = False) -> None:
        """Let members arrive that are due, but those at absent nodes, where registers are ready.

        Those of an instance come in the order in which they became due, or ``ordered`` by number.
        """
        for instance in self.alive.values():
            due = [member for member, cycle in instance.due.items() if cycle <= now]
            for member in sorted(due) if ordered else due:
                place = instance.places[member]
                if instance.closed or place[0] in absent or not self._model.ready(*place):
                    continue
                del instance.due[member]
                instance.inside[member] = now
                self._arrive(instance, member)
                instance.arrivals.took(now, member)
