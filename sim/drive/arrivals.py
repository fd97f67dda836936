"""One group's members: when each arrives, and how long its barriers take."""

import random
from collections import defaultdict
from collections.abc import Callable

from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.drive.scenario import Policy, Scenario

Place = tuple[int, int]
"""A member's node index and register."""

_LOCKSTEP: tuple[Policy, ...] = ("last", "late", "together")
_DRAWN: tuple[Policy, ...] = ("last", "together", "back_to_back", "skew")


class GroupArrivals:
    """Plans the arrivals of a group, episode by episode, from its releases.

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
        """Plan every member's arrival, none being inside."""
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
