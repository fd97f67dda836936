"""Group instances: groups from one set-up to their end, whose members arrive and are released."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Generic, Protocol, TypeVar

from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.drive.scenario import Policy, Scenario
from syncfabric.sim.drive.trace import Act, BrokenRelease

__all__ = ["ENDLESS", "GroupArrivals", "Instance", "Instances", "Place"]

Place = tuple[int, int]
"""A member's node index and register."""

_LOCKSTEP: tuple[Policy, ...] = ("last", "late", "together")
_DRAWN: tuple[Policy, ...] = ("last", "together", "back_to_back", "skew")


class GroupArrivals:
    """Plans the arrivals of a group, episode by episode, from the releases it hears of.

    Parameters
    ----------
    group : GroupPlan
        Members and operation.
    places : list of Place
        Where each member is.
    scenario : Scenario
        Episodes, policy and jitter.
    rng : random.Random
        Where jitter and data come from.
    arrive : callable
        Takes (cycle, member): the member shall arrive in that cycle.
    more : callable, optional
        Whether there shall be a further episode after all that were asked for; once false, it
        stays so.
    """

    def __init__(
        self,
        group: GroupPlan,
        places: list[Place],
        scenario: Scenario,
        rng: random.Random,
        arrive: Callable[[int, int], None],
        more: Callable[[], bool] = lambda: False,
    ) -> None:
        self.group, self.places = group, places
        self._scenario, self._rng, self._plan_arrival = scenario, rng, arrive
        self._more, self.episodes = more, scenario.episodes
        count = len(places)
        self.arrived = [0] * count
        self.released = [0] * count
        self.latency: list[int] = []
        self.ends: list[int] = []  # cycles of the last releases, episode by episode
        self._left: defaultdict[int, int] = defaultdict(lambda: count)  # by episode, to arrive
        self._inside: defaultdict[int, int] = defaultdict(lambda: count)  # to be released
        self._last_arrival: dict[int, int] = {}
        self._policies: dict[int, Policy] = {}

    @property
    def finished(self) -> bool:
        """Whether every episode is over."""
        return len(self.latency) == self.episodes

    def begin(self, cycle: int) -> None:
        """Plan the first episode, from ``cycle`` on."""
        if self.episodes:
            self._plan_episode(0, cycle)

    def inside(self, member: int) -> bool:
        """Return whether the member has arrived and is not yet released."""
        return self.arrived[member] > self.released[member]

    def awaits(self, member: int) -> bool:
        """Return whether somebody has still to arrive before a member inside can go."""
        return min(self.arrived) < self.arrived[member]

    def took(self, cycle: int, member: int) -> None:
        """Note that the network took a member's arrival."""
        episode = self.arrived[member]
        self.arrived[member] += 1
        self._left[episode] -= 1
        if not self._left[episode]:
            del self._left[episode]
            self._last_arrival[episode] = cycle

    def release(self, cycle: int, member: int) -> None:
        """Note that a member is released, and plan what follows from it."""
        episode = self.released[member]
        self.released[member] += 1
        self._inside[episode] -= 1
        over = not self._inside[episode]
        following = episode + 1
        if following == self.episodes and self._more():
            self.episodes += 1
        goes_on = following < self.episodes
        if over:
            del self._inside[episode]
            self._policies.pop(episode, None)
            self.latency.append(cycle - self._last_arrival.pop(episode, cycle))
            self.ends.append(cycle)
        if not goes_on:
            return
        policy = self._policy(following)
        if policy in _LOCKSTEP:
            if over:
                self._plan_episode(following, cycle)
        elif policy == "back_to_back":
            self._plan_arrival(cycle, member)
        else:
            self._plan_arrival(cycle + self._rng.randint(0, self._scenario.jitter), member)

    def _policy(self, episode: int) -> Policy:
        policy = self._scenario.policy
        if policy != "mixed":
            return policy
        if episode not in self._policies:
            self._policies[episode] = self._rng.choice(_DRAWN)
        return self._policies[episode]

    def _plan_episode(self, episode: int, cycle: int) -> None:
        """Plan everybody's arrival, nobody being inside."""
        count, jitter = len(self.places), self._scenario.jitter
        policy = self._policy(episode)
        last = episode % count
        if policy == "late":
            for member in range(count):
                self._plan_arrival(cycle + jitter * (member == last), member)
            return
        if policy != "last":
            spread = jitter if policy == "skew" else 0
            for member in range(count):
                self._plan_arrival(cycle + self._rng.randint(0, spread), member)
            return
        latest = cycle
        for member in range(count):
            if member != last:
                moment = cycle + self._rng.randint(0, jitter)
                latest = max(latest, moment)
                self._plan_arrival(moment, member)
        self._plan_arrival(latest + 1 + self._rng.randint(0, jitter), last)


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
