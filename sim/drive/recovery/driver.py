"""The software of a recovery: groups begin, something dies or moves, and they are set up again."""

import random
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.layout.setup import Operation
from syncfabric.models.layout.words import ADDRESS_BITS, ManagerWord, Target, config_address
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.config_port import Cycles
from syncfabric.sim.drive.driver import Driver, Inputs
from syncfabric.sim.drive.instances import ENDLESS, Instance, Instances
from syncfabric.sim.drive.recovery.scenario import RecoveryScenario, dead_links, fences, groups_hit
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import network_of
from syncfabric.sim.drive.stimulus import driver_of
from syncfabric.sim.drive.trace import Commanded, Created, Joined, Removed
from syncfabric.sim.lifecycle.effects import FoundError, Steps, ask_all
from syncfabric.sim.lifecycle.lifecycle import ByChain, ByRoutes, Lifecycle, lifecycle_of

HOST = -1
"""In place of a manager's node."""


@dataclass
class Cost:
    """What one group's recovery took, in cycles, one after the other.

    Parameters
    ----------
    detect : int
        From the death until software gives the group up; of a move, until its last barrier is over.
    wait : int
        Until it is this group's turn.
    end : int
        Killing it, or awaiting its end, until none of its entries is alive.
    set_up : int
        Writing its entries, or the managers' commands.
    go : int
        From there until every member may arrive.
    first : int
        From there until all are released for the first time.
    packets : int
        Requests and replies.
    commands : int
        Commands of managers.
    writes : int
        Writes over the config port, except those to managers.
    """

    group: int
    detect: int = 0
    wait: int = 0
    end: int = 0
    set_up: int = 0
    go: int = 0
    first: int = 0
    packets: int = 0
    commands: int = 0
    writes: int = 0

    @property
    def total(self) -> int:
        """From the event to the first release of all."""
        return self.detect + self.wait + self.end + self.set_up + self.go + self.first


class Recovery(Instances[Instance]):
    """Sets groups up, lets them synchronize, lets something die or move, and recovers the groups.

    Parameters
    ----------
    driver : Driver
        Of a plan without groups.
    plan, after : BarrierPlan
        The plan that all begin with, and that of those that are hit afterwards.
    scenario : RecoveryScenario

    Attributes
    ----------
    costs : list of Cost
        Of the groups that came back.
    event, well : int or None
        Cycle in which it happens, and in which all groups have come back.
    """

    prepares = True
    finished = False

    def __init__(
        self,
        driver: Driver[Any],
        plan: BarrierPlan,
        after: BarrierPlan,
        scenario: RecoveryScenario,
    ) -> None:
        super().__init__(driver, random.Random(scenario.seed))
        self.plan, self.after, self.scenario = plan, after, scenario
        self._created = 0
        self.costs: list[Cost] = []
        self.event: int | None = None
        self.well: int | None = None
        self._silent: set[int] = set()
        self._cost = Cost(-1)
        self._program = self._run()

    @property
    def progress(self) -> tuple[int, int]:
        """Groups of the plan, at their beginning and at their end."""
        return len(self.alive) * (1 if self.well is None else 2), 2 * len(self.plan.groups)

    def next_cycle(self, now: int) -> int | None:
        """Return the next cycle in which it acts: something may happen in any."""
        return now

    def act(self, now: int, inputs: Inputs) -> None:
        """Go on with the program, and let members arrive."""
        self._now, self._inputs, port = now, inputs, self._driver.port
        for _ in self._released():
            pass
        next(self._program, None)
        self._arrive(absent=self._silent)
        if port.may_ask and port.requests[0].write:  # it is given in this cycle
            self._count(port.requests[0].address)

    def _run(self) -> Cycles[None]:
        try:
            yield from self._recovery()
        except (PlanError, FoundError) as error:
            self._driver.refused = str(error)
        self._driver.finished = True

    def _recovery(self) -> Cycles[None]:
        scenario, instances = self.scenario, self.alive
        yield from self._begin()
        least = self._now + scenario.at
        for instance in instances.values():
            instance.arrivals.begin(self._now)
        yield from self._episodes(dict.fromkeys(instances, 0), least)
        self.event = self._now
        yield from self._die() if scenario.dead else self._move()
        self.well = self._now
        yield from self._episodes({gid: len(each.arrivals.ends) for gid, each in instances.items()})

    def _episodes(self, begun: dict[int, int], least: int = 0) -> Cycles[None]:
        """Wait for barriers of all groups, beyond those that they had, and for a cycle."""
        more, alive = self.scenario.episodes, self.alive
        yield from self._until(
            lambda: (
                self._now >= least
                and all(len(alive[gid].arrivals.ends) >= had + more for gid, had in begun.items())
            )
        )

    @abstractmethod
    def _begin(self) -> Cycles[None]:
        """Set all groups up."""

    def _die(self) -> Cycles[None]:
        """Let links and nodes die, and bring the groups back that this hits."""
        dead, timeout = self.scenario.dead, self.scenario.timeout
        self._silent = set(dead.nodes)
        links = dead_links(self.plan.spec.network, dead)
        self._driver.faults += [Fault(self._now, link, FaultKind.DEAD) for link in links]
        self._model.inject(self._driver.faults)
        hit = groups_hit(self.plan, dead)
        if not hit:
            return
        instances = [self.alive[gid] for gid in hit]
        if self.plan.spec.network.watched:
            self._note_kill(*instances)
        yield from self._until(lambda: any(self._is_reported(each, timeout) for each in instances))
        # From here on software knows what is dead. It lets no member in, and nothing wait for it.
        for instance in instances:
            instance.closed = True
        yield from self._bring_back(hit)

    def _is_reported(self, instance: Instance, timeout: int) -> bool:
        """Whether a member was released broken, or timed out, or none is left that could."""
        left = {m for m, node in enumerate(instance.nodes) if node not in self._silent}
        waits = (self._now - since for m, since in instance.inside.items() if m in left)
        return instance.broken or not left or any(cycles > timeout for cycles in waits)

    @abstractmethod
    def _bring_back(self, hit: list[int]) -> Cycles[None]:
        """End groups of which something has died, and set them up around it."""

    @abstractmethod
    def _move(self) -> Cycles[None]:
        """Bring members to other nodes: their groups end, and come back."""

    @property
    def _moving(self) -> list[int]:
        """Groups of which members move."""
        return list(dict.fromkeys(move.group for move in self.scenario.moves))

    def _end_soon(self, *instances: Instance) -> Cycles[None]:
        """Make the next episode that no member has arrived for the last one, and await its end."""
        for instance in instances:
            instance.arrivals.episodes = max(instance.arrivals.arrived) + 1
        yield from self._until(lambda: all(instance.arrivals.finished for instance in instances))

    def _create(self, group: GroupPlan) -> Instance:
        """Create a group's instance, before any member arrives."""
        number, self._created = self._created, self._created + 1
        nodes = [self.plan.spec.network.topology.index(member) for member in group.members]
        arrivals = Scenario(episodes=ENDLESS, policy="skew", jitter=self.scenario.jitter)
        rng = random.Random(f"{self.scenario.seed}/{number}")
        instance = Instance(number, group, nodes, arrivals, rng)
        self._enter(instance)
        self._driver.acts.append(Created(self._now, number, group.id, group.op, tuple(nodes)))
        for member, place in enumerate(instance.places):
            self._driver.acts.append(Joined(self._now, number, member, *place))
        return instance

    def _note_kill(self, *instances: Instance) -> None:
        """Note that groups are killed: members may be released broken from now on."""
        self._driver.acts += [
            Commanded(self._now, instance.number, HOST, Operation.KILL) for instance in instances
        ]

    def _until(self, holds: Callable[[], bool]) -> Cycles[None]:
        while not holds():
            yield

    def _count(self, address: int) -> None:
        """Count a write."""
        self._cost.writes += 1


class EngineRecovery(Recovery):
    """Recovers groups in entries of engines.

    Groups are set up as the network is built for, by managers or over the config chain. What dies
    may be on the route of managers' packets, so groups that are hit are killed and set up again
    over the chain.
    """

    @cached_property
    def _software(self) -> Lifecycle:
        return lifecycle_of(self.plan.spec.message_network.shape)

    @cached_property
    def _chain(self) -> ByChain:
        chain = ByChain(self.plan.spec.message_network.shape)
        chain.epochs = self._software.epochs
        return chain

    def _begin(self) -> Cycles[None]:
        for group in self.plan.engine_groups:
            self._create(group)
            yield from self._perform(self._software.set_up(group))
        yield from self._until(lambda: all(map(self._is_open, self.alive.values())))

    def _is_open(self, instance: Instance) -> bool:
        """Whether all members may arrive."""
        return all(self._model.ready(*place) for place in instance.places)

    def _bring_back(self, hit: list[int]) -> Cycles[None]:
        """Kill groups at the routers that live, and set them up over the chain."""
        dead, found = self.scenario.dead, self._now
        groups = [group for group in self.plan.engine_groups if group.id in hit]
        costs = [Cost(group.id, detect=found - (self.event or 0)) for group in groups]
        self._cost = costs[0]
        yield from self._perform(ask_all(fences(self.plan.spec.message_network, dead), "fenced"))
        for group, cost in zip(groups, costs, strict=True):
            cost.wait, start, self._cost = self._now - found, self._now, cost
            self._note_kill(self.alive[group.id])
            alive = {r: e for r, e in group.placement.items() if r not in dead.routers}
            yield from self._perform(self._chain.kill(replace(group, placement=alive)))
            cost.end = self._now - start
        for cost in costs:
            yield from self._come_back(cost, self._chain.set_up)

    def _move(self) -> Cycles[None]:
        start, costs = self._now, []
        for gid in self._moving:
            begun = self._now
            costs.append(cost := Cost(gid, wait=begun - start))
            yield from self._end_soon(self.alive[gid])
            cost.detect, begun, self._cost = self._now - begun, self._now, cost
            group = next(each for each in self.plan.engine_groups if each.id == gid)
            yield from self._perform(self._software.tear_down(group))
            cost.end = self._now - begun
        for cost in costs:
            yield from self._come_back(cost, self._software.set_up)

    def _come_back(self, cost: Cost, set_up: Callable[[GroupPlan], Steps[None]]) -> Cycles[None]:
        """Set a group up again, and wait for its first barrier."""
        group = next((each for each in self.after.engine_groups if each.id == cost.group), None)
        if group is None:
            del self.alive[cost.group]
            return
        start, self._cost = self._now, cost
        instance = self._create(group)
        yield from self._perform(set_up(group))
        cost.set_up, start = self._now - start, self._now
        yield from self._until(lambda: self._is_open(instance))
        cost.go, start = self._now - start, self._now
        instance.arrivals.begin(start)
        yield from self._until(lambda: bool(instance.arrivals.ends))
        cost.first = self._now - start
        self.costs.append(cost)

    def _perform(self, steps: Steps[object]) -> Cycles[None]:
        sent = self._sent()
        yield from super()._perform(steps)
        self._cost.packets += 2 * (self._sent() - sent)

    def _count(self, address: int) -> None:
        if address == config_address(ManagerWord.COMMAND):
            self._cost.commands += 1
        elif address >> ADDRESS_BITS != Target.MANAGER:
            self._cost.writes += 1


class RouteRecovery(Recovery):
    """Recovers groups of a static network: all that are hit come back together, by one STROBE."""

    @cached_property
    def _routes(self) -> ByRoutes:
        return ByRoutes(network_of(self.plan))

    def _begin(self) -> Cycles[None]:
        groups = self.plan.static_groups
        yield from self._perform(self._routes.set_up(*groups))
        for group in groups:
            self._create(group)

    def _move(self) -> Cycles[None]:
        yield from self._end_soon(*(self.alive[gid] for gid in self._moving))
        yield from self._bring_back(self._moving)

    def _bring_back(self, hit: list[int]) -> Cycles[None]:
        """Load the routes of all groups, and set those up that are hit."""
        found, self._cost = self._now, Cost(-1)
        for gid in hit:
            instance = self.alive.pop(gid)
            instance.closed = True
            self._driver.acts.append(Removed(found, instance.number))
        old = {group.id: group for group in self.plan.static_groups}
        ended = [old[gid] for gid in hit]
        begun = [group for group in self.after.static_groups if group.id in hit]
        yield from self._perform(self._routes.load(ended, begun))
        end, start = self._now - found, self._now
        yield from self._perform(self._routes.assign(ended, begun, self._silent))
        set_up, writes = self._now - start, self._cost.writes
        instances, start = [self._create(group) for group in begun], self._now
        for instance in instances:
            instance.arrivals.begin(start)
        for instance in instances:
            yield from self._until(lambda instance=instance: bool(instance.arrivals.ends))  # type: ignore[misc]
            first, detect = instance.arrivals.ends[0] - start, found - (self.event or 0)
            gid = instance.group.id
            self.costs.append(Cost(gid, detect, 0, end, set_up, 0, first, writes=writes))


def recovery_driver(
    plan: BarrierPlan, after: BarrierPlan, scenario: RecoveryScenario
) -> tuple[Driver[Any], Recovery]:
    """Return a driver for the plan's kind of network, and its recovery."""
    driver = driver_of(replace(plan, groups=()), Scenario(seed=scenario.seed))
    kind = RouteRecovery if plan.static_groups else EngineRecovery
    recovery = kind(driver, plan, after, scenario)
    driver.programs.append(recovery)
    return driver, recovery
