"""What a scenario is made of: a driver with its programs, and the rules that its trace obeys."""

from __future__ import annotations

from typing import Any, TextIO

from syncfabric.models.golden.record import Observer
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck, GroupCheck
from syncfabric.sim.drive.cause_check import CauseCheck
from syncfabric.sim.drive.churn import Churner
from syncfabric.sim.drive.driver import Driver
from syncfabric.sim.drive.engine_driver import EngineDriver, PacketScript, Traffic
from syncfabric.sim.drive.illegal import Illegal
from syncfabric.sim.drive.lanes import Load, ledger_of
from syncfabric.sim.drive.log import EventLog
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.replay import Passages, Replaying
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.schemes import SCHEMES
from syncfabric.sim.drive.set_up import MembersSetUp
from syncfabric.sim.drive.trace import Rule


def driver_of(
    plan: BarrierPlan, scenario: Scenario, observer: Observer | None = None
) -> Driver[Any]:
    """Return the driver of a scenario on a plan's network, with its programs in order."""
    if isinstance(plan.spec.network, StaticSpec):
        from syncfabric.sim.drive.static.software import static_driver

        return static_driver(plan, scenario)
    driver = EngineDriver(plan, scenario, observer)
    if scenario.scheme:
        driver.programs.append(SCHEMES[scenario.scheme](driver))
    if scenario.replay:
        driver.programs.append(Replaying(driver, scenario.replay))
    if plan.spec.network.setup == "paper":
        driver.programs.append(MembersSetUp(driver))
    if scenario.packets:
        driver.programs.append(PacketScript(driver))
    if scenario.streams:
        from syncfabric.sim.drive.streams import Streams

        driver.programs.append(Streams(driver))
    driver.programs.append(Traffic(driver))
    if scenario.noise:
        driver.programs.append(Illegal(driver))
    if scenario.churn:
        driver.programs.append(Churner(driver))
    return driver


def rules_of(
    plan: BarrierPlan, scenario: Scenario, file: TextIO | None = None, *, coverage: bool
) -> list[Rule]:
    """Return the rules and measures of a scenario, in the order in which they are applied.

    The log writes its rows into the file, if there is one.
    """
    if isinstance(plan.spec.network, StaticSpec):
        from syncfabric.sim.drive.static.collective_check import static_rules

        return static_rules(plan, scenario, file, coverage=coverage)
    network, barriers = plan.spec.message_network, BarrierCheck(plan)
    ledger = ledger_of(network)
    rules: list[Rule] = [barriers, Load(), ledger, PacketCheck(network), EventLog(plan, file)]
    if scenario.churn:
        rules.insert(0, GroupCheck(plan, barriers))
    if scenario.scheme:
        rules.append(CauseCheck(plan))
    if scenario.replay:
        rules.append(Passages(network))
    if scenario.streams:
        from syncfabric.sim.drive.stream_check import StreamCheck, StreamCount

        rules += [StreamCheck(plan, scenario), StreamCount(plan, scenario)]
    if coverage:
        from syncfabric.sim.drive.coverage import EngineCoverage

        rules.append(EngineCoverage(plan, ledger))
    return rules
