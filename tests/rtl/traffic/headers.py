"""Headers as docs/microarchitecture-engine.md states them, R3."""

from syncfabric.models.networks.spec import IrregularSpec, MessageSpec


def header_of(spec: MessageSpec, node: tuple[int, int]) -> int:
    """Return the first word of a packet for a node."""
    names = ("router", "port") if isinstance(spec, IrregularSpec) else ("x", "y")
    fields = {**dict.fromkeys(spec.layout.header.offsets, 0), **dict(zip(names, node, strict=True))}
    return spec.layout.header.pack(fields)
