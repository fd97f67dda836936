"""Driving a static network: its routes and roles over the config port, and illegal stimuli."""

import random
from collections.abc import Sequence

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages.registers import COUNTER_BASE
from syncfabric.models.messages.static import INIT, LoaderWord, StaticWord
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.config_port import Cycles, perform
from syncfabric.sim.drive.driver import Driver, Inputs, Program
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import asked_of, barriers_of, network_of
from syncfabric.sim.lifecycle.effects import FoundError, Steps
from syncfabric.sim.lifecycle.lifecycle import ByRoutes

SHARE = 1 / 16
"""How often each illegal stimulus comes, a cycle."""


class StaticDriver(Driver[StaticModel]):
    """Members arrive when all groups are set up and the network is quiet.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario

    Attributes
    ----------
    loading : list of GroupPlan
        Groups without roles, whose routes are loaded beside those of the others.
    roots : list of int
        Nodes of the roots of groups of two members or more that have barriers.
    loads : bool
        Whether routes are being loaded.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        network, barriers = network_of(plan), barriers_of(plan, scenario.collectives)
        super().__init__(plan, scenario, StaticModel(network), barriers.groups)
        self._routes, self._barriers, self._now = ByRoutes(network), barriers.groups, 0
        index = network.topology.index
        self.roots = [index(each.route.root) for each in self._barriers if len(each.members) > 1]
        self.loading: Sequence[GroupPlan] = ()
        self.loads = True
        self._loader: Cycles[None] | None = None

    def load(self, groups: Sequence[GroupPlan]) -> None:
        """Begin to load the routes of groups."""
        self._begin(self._routes.load((), groups))

    def _begin(self, steps: Steps[None]) -> None:
        self.loads, self._loader = True, self._perform(steps)
        next(self._loader, None)

    def _perform(self, steps: Steps[None]) -> Cycles[None]:
        """Perform a program over the config port; what it finds wrong ends the run."""
        try:
            yield from perform(steps, self.port, lambda: self._now)
        except FoundError as error:
            self.refused = f"set-up: {error}"
        self.loads = False

    def _resume(self, now: int) -> None:
        self._now = now
        if self._loader is None:
            self._begin(self._routes.set_up(*self._barriers, beside=self.loading))
        else:
            next(self._loader, None)

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which the driver has something to do."""
        # A program that asks for nothing lets cycles go by.
        return now if self.loads and self.port.is_idle else super().next_cycle(now)

    @property
    def _waits(self) -> bool:
        return self.loads or self.model.idle_until() is not None

    def _prepare(self, now: int) -> bool:
        self._resume(now)
        return not self._waits

    def _act(self, now: int, inputs: Inputs) -> None:
        if self.begin_cycle is not None:
            self._resume(now)
        super()._act(now, inputs)

    def step(self, now: int) -> Record | None:
        """Act in a cycle, and step the model."""
        inputs = self.inputs(now)
        return self.model.step(
            arrive=inputs.arrive,
            hold=inputs.hold,
            send=inputs.send,
            take=inputs.take,
            config=inputs.config,
        )


class StaticIllegal(Program):
    """Draws illegal stimuli; none of them changes a barrier but by its time.

    Parameters
    ----------
    driver : StaticDriver
        Core ports of nodes that software has are left alone.
    """

    def __init__(self, driver: StaticDriver) -> None:
        network = network_of(driver.plan)
        self._driver = driver
        self._rng = random.Random(f"{driver.scenario.seed}/noise")
        self._nodes = len(network.topology.nodes)
        self._flits = network.flit_bits
        self._members = {
            node: (group, member)
            for group in driver.groups
            for member, (node, _) in enumerate(group.places)
        }
        self._roots = driver.roots
        self._held: set[int] = set()
        asked = asked_of(driver.plan, driver.scenario.collectives)
        index = network.topology.index
        self._ports = {index(node) for group, _ in asked for node in group.members}

    def _comes(self) -> bool:
        return self._rng.random() < SHARE

    def next_cycle(self, now: int) -> int | None:
        """Return this cycle, while members arrive."""
        return now if self._driver.active else None

    def act(self, now: int, inputs: Inputs) -> None:
        """Add illegal stimuli to a cycle's inputs; when barriers are over, lower every ``hold``."""
        if not self._driver.active:
            for node in sorted(self._held):
                self._hold(now, inputs, node, False)
            return
        rng, members = self._rng, list(self._members)
        if members and self._comes():  # arrives a second time, if it is inside
            node = rng.choice(members)
            group, member = self._members[node]
            if (node, 0) not in inputs.arrive and group.inside(member):
                self._driver.arrive(now, inputs, (node, 0), 0)
        self._change_hold(now, inputs)
        if self._comes():  # no route leads on from there
            node, flit = rng.randrange(self._nodes), rng.getrandbits(self._flits)
            if node not in self._ports:
                inputs.send[node] = flit
                self._script(now, StimulusKind.SEND, node, flit)
        if self._comes():
            node = rng.randrange(self._nodes)
            if node not in self._ports:
                inputs.take.append(node)
                self._script(now, StimulusKind.TAKE, node)
        if self._comes():
            request = self._request()
            if not self._driver.port.requests:
                self._driver.port.ask(request)

    def _change_hold(self, now: int, inputs: Inputs) -> None:
        """Raise a member's ``hold``, or lower one: it soon is."""
        for node in sorted(self._held):
            if self._comes():
                self._hold(now, inputs, node, False)
                return
        if self._members and self._comes():
            node = self._rng.choice(list(self._members))
            if node not in self._held:
                self._hold(now, inputs, node, True)

    def _hold(self, now: int, inputs: Inputs, node: int, level: bool) -> None:
        (self._held.add if level else self._held.discard)(node)
        inputs.hold[node] = level
        self._script(now, StimulusKind.HOLD, node, int(level))

    def _script(self, now: int, kind: StimulusKind, node: int, data: int = 0) -> None:
        self._driver.stimuli.append(Stimulus(now, kind, node, data))

    def _request(self) -> ConfigRequest:
        """Return a request that changes no state but that of the chain."""
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
