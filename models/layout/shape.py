"""The numbers that an engine is built for, as keys with ranges."""

from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.engine import INTERVALS, MOST_PORTS, EngineLayout
from syncfabric.models.networks.table import Table, Whole

__all__ = ["LUT_RAM_GROUPS", "EngineShape", "MeshNodeShape", "least_stages"]

LUT_RAM_GROUPS = 32
"""Groups above which entries and queues are in block RAM."""


def least_stages(groups: int, data_bits: int, operations: str, *, shared: bool) -> int:
    """Return the fewest cycles a router that keep the clock.

    Parameters
    ----------
    groups, data_bits : int
    operations : {"none", "bitwise", "all"}
    shared : bool
        Messages share the links of packets.
    """
    if groups > LUT_RAM_GROUPS:
        return 4
    if data_bits > (4 if operations == "all" else 8):
        return 3
    return 2 if shared else 1


class EngineShape(Table):
    """What an engine is built for.

    The keys are those of ``[network]``, and two that follow from a router: ``links`` and ``own``.
    """

    links: Whole = Field(ge=1, le=MOST_PORTS, description="link ports")
    own: bool = Field(default=True, description="the process of the router takes part")
    groups: Whole = Field(default=16, ge=1, le=256, description="entries")
    data_bits: Whole = Field(default=0, ge=0, le=32, description="bits of data in a message")
    operations: Literal["none", "bitwise", "all"] = Field(
        default="none", description="combining operations"
    )
    message_links: Literal["own", "shared"] = Field(
        default="own", description="links of their own, or those of packets"
    )
    engine_stages: Whole = Field(default=0, ge=0, le=4, description="cycles a router; 0: least")
    watchdog: Whole = Field(
        default=0, ge=0, le=65535, description="cycles between two visits; 0: none"
    )
    counters: bool = Field(default=True, description="events are counted")
    read_back: bool = Field(default=True, description="entries can be read whole")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.links + self.own > MOST_PORTS:
            raise SpecError(f"links must be at most {MOST_PORTS - 1} with own, not {self.links}")
        if (self.operations == "none") != (self.data_bits == 0):
            raise SpecError(
                f"operations {self.operations!r} do not go with data_bits {self.data_bits};"
                " 'none' goes with 0 data_bits, and 'bitwise' or 'all' with 1 and more"
            )
        if self.engine_stages and self.engine_stages < self._least:
            raise SpecError(
                f"engine_stages must be at least {self._least} here, not {self.engine_stages};"
                " leave it out for the least"
            )
        least = INTERVALS[self.stages] * (self.links + 1) + 1
        if 0 < self.watchdog < least:
            raise SpecError(
                f"watchdog must be 0, or at least {least} cycles here, not {self.watchdog}:"
                " visits would leave no room for arrivals"
            )
        return self

    @property
    def _least(self) -> int:
        shared = self.message_links == "shared"
        return least_stages(self.groups, self.data_bits, self.operations, shared=shared)

    @property
    def stages(self) -> int:
        """Cycles a router."""
        return self.engine_stages or self._least

    @cached_property
    def layout(self) -> EngineLayout:
        """Widths of the engine's words."""
        return EngineLayout(self.links, self.own, self.groups, self.data_bits, self.operations)

    @property
    def options(self) -> dict[str, Any]:
        """What an engine takes beside its layout."""
        names = ("stages", "watchdog", "counters", "read_back")
        given = {name: getattr(self, name) for name in names}
        return {**given, "shared": self.message_links == "shared"}


class MeshNodeShape(EngineShape):
    """What a mesh router with its engine is built for."""

    links: Whole = Field(default=4, ge=4, le=4, description="link ports")
    width: Whole = Field(default=8, ge=2, le=1024, description="columns of the mesh")
    height: Whole = Field(default=8, ge=2, le=1024, description="rows of the mesh")
    channels: Whole = Field(default=1, ge=1, le=4, description="virtual channels of packets")
    buffer_flits: Whole = Field(default=4, ge=1, le=16, description="flits a channel can hold")
    flit_bits: Whole = Field(default=32, ge=16, le=128, description="payload of a flit")
    output_register: bool = Field(default=False, description="a register before each link")

    @property
    def coordinate_bits(self) -> tuple[int, int]:
        """Bits of a column's number and of a row's."""
        return (self.width - 1).bit_length(), (self.height - 1).bit_length()
