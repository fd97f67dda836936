"""Static networks: their table of keys, and the rules that these must keep."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from syncfabric.models.errors import SpecError
from syncfabric.models.messages import StaticLayout
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.table import DataBits, Table, Whole

__all__ = ["StaticSpec"]

Side: TypeAlias = Annotated[Whole, Field(ge=1, le=1024)]
Buffer: TypeAlias = Annotated[Whole, Field(ge=1, le=16)]


class StaticSpec(Table):
    """The table ``[network]`` of a static network: fixed routes, as in paper Reflex."""

    kind: Literal["static"] = Field(description="The kind of network.")
    width: Side = Field(description="Nodes from west to east.")
    height: Side = Field(description="Nodes from south to north.")
    flit_bits: Whole = Field(default=1, ge=1, le=128, description="Width of a flit.")
    data_bits: DataBits = Field(default=0, json_schema_extra={"maximum": 0})
    switch_buffer: Buffer = Field(default=2, description="Flits a switch holds from each link.")
    core_buffer: Buffer = Field(default=2, description="Flits that wait for a core.")
    injection_buffer: Buffer = Field(default=2, description="Flits that a core has sent.")
    watchdog: Whole = Field(
        default=0, ge=0, le=65535, description="Cycles after which who waits is told; 0: never."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: "

    @model_validator(mode="after")
    def _barriers_carry_no_data(self) -> Self:
        if self.data_bits:
            raise SpecError(
                f"network: data_bits = {self.data_bits} is not supported yet; barriers of a static "
                "network carry no data (data_bits = 0): remove it"
            )
        return self

    @cached_property
    def topology(self) -> Mesh:
        """The mesh of its switches, each with a node."""
        return Mesh(self.width, self.height)

    @property
    def layout(self) -> StaticLayout:
        """Widths that follow from its size."""
        return StaticLayout(self.width, self.height)

    @property
    def barrier_registers(self) -> int:
        """Barriers that a node takes part in: it has one core port."""
        return 1

    @property
    def port_registers(self) -> int:
        """The same: what a node's port has bits for."""
        return 1

    @property
    def managed(self) -> bool:
        """Whether managers set up its groups through the network."""
        return False
