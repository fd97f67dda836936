"""Which programs run at the nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from syncfabric.models.networks.spec import EngineIrregularSpec, IrregularSpec
from syncfabric.sim.drive.members_set_up import MembersSetUp
from syncfabric.sim.drive.packet_script import PacketScript
from syncfabric.sim.drive.paper_set_up import PaperSetUp
from syncfabric.sim.drive.software import Program
from syncfabric.sim.drive.wires.early import EarlyArrivals

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["programs_of"]


def programs_of(driver: Driver) -> Iterator[Program]:
    """Yield the programs that a driver's network and scenario ask for."""
    network = driver.plan.spec.network
    if isinstance(network, IrregularSpec) and network.setup == "paper":
        yield PaperSetUp(driver)
    if isinstance(network, EngineIrregularSpec) and network.setup == "paper":
        yield MembersSetUp(driver)
    if driver.scenario.packets:
        yield PacketScript(driver)
    if driver.hasty:
        yield EarlyArrivals(driver)
    if driver.breaks:
        yield driver.breaks
