"""What a scenario needs of stimulus: the driver for the kind of network, and its programs."""

from __future__ import annotations

from syncfabric.models.golden.record import Observer
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.churn import Churner
from syncfabric.sim.drive.engine_driver import EngineDriver, PacketScript, Traffic
from syncfabric.sim.drive.illegal import Illegal
from syncfabric.sim.drive.replay import Replaying
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.schemes import SCHEMES
from syncfabric.sim.drive.set_up import MembersSetUp
from syncfabric.sim.drive.static.driver import StaticDriver
from syncfabric.sim.drive.static.noise import StaticNoise
from syncfabric.sim.drive.static.software import StaticSoftware

__all__ = ["driver_of"]


def driver_of(
    plan: BarrierPlan, scenario: Scenario, observer: Observer | None = None
) -> EngineDriver | StaticDriver:
    """Return the driver of a scenario on a plan's network, with its programs in order."""
    if isinstance(plan.spec.network, StaticSpec):
        static = StaticDriver(plan, scenario)
        static.programs += [StaticSoftware(static)] if scenario.collectives else []
        static.programs += [StaticNoise(static)] if scenario.noise else []
        return static
    driver = EngineDriver(plan, scenario, observer)
    driver.programs += [SCHEMES[scenario.scheme](driver)] if scenario.scheme else []
    driver.programs += [Replaying(driver, scenario.replay)] if scenario.replay else []
    driver.programs += [MembersSetUp(driver)] if plan.spec.network.setup == "paper" else []
    driver.programs += [PacketScript(driver)] if scenario.packets else []
    driver.programs += [Traffic(driver)]
    driver.programs += [Illegal(driver)] if scenario.noise else []
    driver.programs += [Churner(driver)] if scenario.churn else []
    return driver
