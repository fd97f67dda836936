"""Groups from one set-up to their end, and what all software has alike that sees to them."""

import random
from collections.abc import Collection, Iterator
from typing import Any, Generic, TypeVar

from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.drive.arrivals import GroupArrivals, Place
from syncfabric.sim.drive.config_port import Cycles, perform
from syncfabric.sim.drive.driver import Driver, Inputs, Program
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.trace import BrokenRelease
from syncfabric.sim.lifecycle.effects import Steps

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


InstanceT = TypeVar("InstanceT", bound=Instance)


class Instances(Program, Generic[InstanceT]):
    """Software that sets groups up and ends them, while their members arrive.

    Parameters
    ----------
    driver : Driver
        Whose config port and inputs it uses.
    rng : random.Random
        Of the members' data.

    Attributes
    ----------
    alive : dict of int to Instance
        Groups that are not over, by GID.
    """

    def __init__(self, driver: Driver[Any], rng: random.Random) -> None:
        self._driver, self._model, self._rng = driver, driver.model, rng
        self.alive: dict[int, InstanceT] = {}
        self._at: dict[Place, tuple[InstanceT, int]] = {}
        self._now, self._inputs = 0, Inputs()

    def unfinished(self) -> list[int]:
        """Return the groups that are not over."""
        return list(self.alive)

    def placed(self) -> list[GroupPlan]:
        """Return the groups that are not over."""
        return [instance.group for instance in self.alive.values()]

    def _enter(self, instance: InstanceT) -> None:
        """Begin an instance, before any member arrives."""
        self.alive[instance.group.id] = instance
        self._at.update({place: (instance, m) for m, place in enumerate(instance.places)})

    def _leave(self, instance: InstanceT) -> None:
        """End an instance."""
        for place in instance.places:
            del self._at[place]
        del self.alive[instance.group.id]

    def _released(self) -> Iterator[InstanceT]:
        """Take the releases of a cycle, and note those that are broken; yield whose they are."""
        for node, register, _ in self._model.release:
            broken = self._model.broken(node, register)
            if broken:
                self._driver.acts.append(BrokenRelease(self._now, node, register))
            if (node, register) not in self._at:
                continue
            instance, member = self._at[node, register]
            inside = instance.inside.pop(member, None) is not None
            if broken:
                instance.broken = True
            elif inside:
                instance.arrivals.release(self._now, member)
            yield instance

    def _arrive(self, *, absent: Collection[int] = (), ordered: bool = False) -> None:
        """Let members arrive that are due, but those at absent nodes, where registers are ready.

        Those of an instance come in the order in which they became due, or ``ordered`` by number.
        """
        now = self._now
        for instance in self.alive.values():
            due = [member for member, cycle in instance.due.items() if cycle <= now]
            for member in sorted(due) if ordered else due:
                place = instance.places[member]
                if instance.closed or place[0] in absent or not self._model.ready(*place):
                    continue
                del instance.due[member]
                instance.inside[member] = now
                self._take(instance, member)
                instance.arrivals.took(now, member)

    def _take(self, instance: InstanceT, member: int) -> None:
        """Have a member arrive in this cycle."""
        driver, arrivals = self._driver, instance.arrivals
        bits = driver.plan.spec.network.data_bits
        data = self._rng.getrandbits(bits) if bits else 0
        last = arrivals.arrived[member] == arrivals.episodes - 1
        driver.arrive(self._now, self._inputs, instance.places[member], data, last=last)
        driver.note_arrival(self._now, instance.number, member, data)

    def _perform(self, steps: Steps[object]) -> Cycles[None]:
        """Perform a program over the config port."""
        yield from perform(steps, self._driver.port, lambda: self._now)

    def _sent(self) -> int:
        """Return how many requests all managers have sent so far."""
        return sum(map(self._model.requests_sent, self._model.managers))
