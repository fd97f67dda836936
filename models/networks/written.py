"""Irregular networks written out: links, nodes and tables, and what of them can be."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import MOST_SWITCHES, Irregular
from syncfabric.models.networks.soundness import check_datelines, check_tables, check_topology
from syncfabric.models.networks.table import Table, Whole, WholePlace

__all__ = ["WrittenOut", "check_dateline_channels"]

TableEntry = Annotated[Whole, Field(ge=-1, le=15)]


class WrittenOut(Table):
    """Keys of an irregular network whose links and nodes are listed."""

    switches: Whole = Field(ge=1, le=MOST_SWITCHES, description="How many switches there are.")
    links: tuple[tuple[WholePlace, WholePlace], ...] = Field(
        description="Pairs of [switch, port] that a link joins."
    )
    nodes: tuple[WholePlace, ...] = Field(description="Where the nodes sit, as [switch, port].")
    tables: tuple[tuple[TableEntry, ...], ...] | None = Field(
        default=None, description="Output port by switch and destination switch; own: -1."
    )
    notes: tuple[str, ...] = Field(
        default=(), description="What a reader of the plan should know of how it was made."
    )

    def _check_written(self, topology: Irregular, datelines: tuple[WholePlace, ...]) -> None:
        """Refuse links, nodes, datelines and tables that cannot be."""
        check_topology(topology)
        check_datelines(topology, datelines)
        if self.tables is not None:
            check_tables(topology, self.tables)


def check_dateline_channels(datelines: tuple[WholePlace, ...], channels: int) -> None:
    """Refuse datelines without pairs of channels.

    Raises
    ------
    SpecError
        There is no channel v | 1 for each channel v.
    """
    if datelines and channels % 2:
        raise SpecError(
            f"network: channels = {channels} does not go with datelines, where packets "
            "go over from channel 0 to 1 or from 2 to 3; set channels = 2 or 4"
        )
