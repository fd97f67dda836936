"""Headers as the microarchitecture states them, sections 6 and I7."""

from syncfabric.models.networks.spec import (
    IrregularSpec,
    RegisterSpec,
)

__all__ = ["header_of"]


def header_of(spec: RegisterSpec, node: tuple[int, int]) -> int:
    """Return the first word of a packet for a node."""
    if isinstance(spec, IrregularSpec):
        fields = {"by_route": 0, "switch": node[0], "port": node[1]}
    else:
        fields = {"x": node[0], "y": node[1]}
    return spec.layout.header.pack(fields)
