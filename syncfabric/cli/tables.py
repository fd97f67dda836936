"""Tables of commands; those of plans and runs, which Python prints too, are in sim/tables.py."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from syncfabric.sim.tables import Titled, print_table, table_of

if TYPE_CHECKING:
    from syncfabric.fpga.host.results import BoardResult
    from syncfabric.sim.campaign.result import CampaignResult
    from syncfabric.sim.cores.result import CoresResult
    from syncfabric.sim.drive.recovery.run import RecoveryResult
    from syncfabric.sim.soak.result import SoakResult

__all__ = [
    "Titled",
    "board_table",
    "campaign_table",
    "cores_tables",
    "print_table",
    "recovery_tables",
    "soak_tables",
]


def soak_tables(result: "SoakResult") -> Iterator[Titled]:
    """Yield a soak's tables: its groups, and its traffic if there was any."""
    from syncfabric.sim.soak.rows import group_rows, phase_rows

    yield table_of(f"{result.network}, soaked", group_rows(result))
    if result.phases:
        yield table_of("traffic", phase_rows(result))


def cores_tables(result: "CoresResult") -> Iterator[Titled]:
    """Yield the cores of a many-core system, and its groups if there are any."""
    from syncfabric.sim.cores.rows import core_rows, group_rows

    yield table_of(f"{result.cores} cores on {result.network}", core_rows(result))
    if result.groups:
        yield table_of("barriers in hardware", group_rows(result))


def campaign_table(result: "CampaignResult") -> Titled:
    """Return a campaign's table: what became of the faults of each kind."""
    from syncfabric.sim.campaign.result import kind_rows

    return table_of(f"{result.network}, struck", kind_rows(result))


def board_table(result: "BoardResult") -> Titled:
    """Return the table of barriers on a board."""
    from syncfabric.fpga.host.results import board_rows

    where = "a simulated board" if result.simulated else "the board"
    return table_of(f"{result.network} on {where}", board_rows(result))


def recovery_tables(result: "RecoveryResult") -> Iterator[Titled]:
    """Yield what the recovery of each group took, and the barriers of the others."""
    from syncfabric.sim.rows import other_rows, recovery_rows

    if result.found.costs:
        title = f"{result.network} under {result.simulator}: cycles until a group is back"
        yield table_of(title, recovery_rows(result))
    if result.found.spans:
        yield table_of("the other groups' barriers: cycles (min/med/max)", other_rows(result))
