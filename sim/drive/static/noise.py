"""What a static network must refuse or ignore, and processes that are slow to come to Wait."""

from __future__ import annotations

import random

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE
from syncfabric.models.messages.static import INIT, LoaderWord, StaticWord
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.driver import Inputs, Program
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.driver import StaticDriver
from syncfabric.sim.drive.static.operations import network_of
from syncfabric.sim.drive.static.software import StaticSoftware

__all__ = ["StaticNoise", "static_driver"]

SHARE = 1 / 16
"""How often each disturbance comes, a cycle."""


class StaticNoise(Program):
    """Draws disturbances; none of them changes a barrier but by its time.

    Parameters
    ----------
    driver : StaticDriver
        Core ports of its nodes that have programs are left alone.
    """

    def __init__(self, driver: StaticDriver) -> None:
        network, software = network_of(driver.plan), driver.find(StaticSoftware)
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
        self._ports = software.nodes if software else frozenset()

    def _comes(self) -> bool:
        return self._rng.random() < SHARE

    def next_cycle(self, now: int) -> int | None:
        """Return this cycle, while members arrive."""
        return now if self._driver.active else None

    def act(self, now: int, inputs: Inputs) -> None:
        """Add disturbances to a cycle's inputs; when barriers are over, lower every ``hold``."""
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


def static_driver(plan: BarrierPlan, scenario: Scenario) -> StaticDriver:
    """Return the driver of a scenario, with its programs in order."""
    driver = StaticDriver(plan, scenario)
    driver.programs += [StaticSoftware(driver)] if scenario.collectives else []
    driver.programs += [StaticNoise(driver)] if scenario.noise else []
    return driver
