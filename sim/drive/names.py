"""What a difference is called: wires as the Verilog has them, and where they are."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.messages import COUNTER_BITS
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import (
    AnySpec,
    EngineIrregularSpec,
    EngineMeshSpec,
    EngineSpec,
    IrregularSpec,
    MessageSpec,
    StaticSpec,
)
from syncfabric.sim.assemble.links import links_of, wire_links
from syncfabric.sim.drive.targets import targets_of
from syncfabric.sim.results import NodeName

__all__ = ["Names"]

Named = tuple[NodeName | None, str]


class Names:
    """Names of a network's wires, registers and rules.

    Parameters
    ----------
    spec : MeshSpec, IrregularSpec or StaticSpec
        The network.
    """

    def __init__(self, spec: AnySpec) -> None:
        self._spec, self._links, self._targets = spec, links_of(spec), targets_of(spec)
        self._wire_links = () if isinstance(spec, StaticSpec) else wire_links(spec)
        self._wire_fields = () if isinstance(spec, StaticSpec) else tuple(_wire_fields(spec))

    def lane(self, lane: int, kind: str) -> Named:
        """Return node and name of a bit of all links' ``valid`` or ``credit``, or its flit."""
        link, channel = divmod(lane, self._links.width)
        begin = self._links.names[link]
        if begin is None:
            return None, f"link number {link}, {kind}[{channel}]"
        if isinstance(self._spec, StaticSpec):  # a link has one lane
            return begin[0], f"{self._wire(*begin)}_{kind}"
        wire, class_ = self._wire(*begin), channel - self._links.channels - self._links.setup
        slot = class_ - self._links.classes
        if slot >= 0:
            return begin[0], f"{wire}_slots{'' if kind == 'flit' else f'_{kind}'}[{slot}]"
        if class_ < 0:
            return begin[0], f"{wire}_{kind}[{channel}]"
        if kind == "flit":
            return begin[0], f"{wire}_{'sync' if _has_own_links(self._spec) else 'flit'}"
        index = f"[{class_}]" if self._links.classes > 1 else ""
        return begin[0], f"{wire}_sync_{kind}{index}"

    def _wire(self, begin: NodeName, port: str) -> str:
        """Return how the wires of a link begin."""
        if isinstance(self._spec, EngineMeshSpec):
            assert not isinstance(begin, int)
            if port in ("local", "inject"):
                return "eject" if port == "local" else port
            return f"link_{self._spec.topology.index(begin)}_{int(Port[port.upper()])}"
        if isinstance(self._spec, IrregularSpec | EngineIrregularSpec):
            if isinstance(begin, int):
                return f"link_{begin}_{port}"
            return f"uplink_{self._spec.topology.index(begin)}"
        assert not isinstance(begin, int)
        name = "eject" if port == "local" else port
        if name in ("eject", "inject") and not isinstance(self._spec, StaticSpec):
            return name
        return f"link_{begin[0]}_{begin[1]}_{name}"

    def guard(self, link: int, name: str) -> Named:
        """Return node and name of a wire of a link's guards."""
        begin = self._links.names[link]
        return (
            (begin[0], f"{self._wire(*begin)}_{name}") if begin else (None, f"link {link}: {name}")
        )

    def wires(self, link: int, seen: int, wanted: int) -> Iterator[tuple[Named, int, int]]:
        """Yield every wire, or slot's data, in which two words of a link of wires differ.

        Node and name, and what each word has there.
        """
        for name, first, width in self._wire_fields:
            parts = [word >> first & (1 << width) - 1 for word in (seen, wanted)]
            if parts[0] != parts[1]:
                yield self.wire(link, name), parts[0], parts[1]

    def wire(self, link: int, name: str) -> Named:
        """Return node and name of something of a link of barrier wires."""
        begin = self._wire_links[link] if self.has_wires(link) else None
        if begin is None:
            return None, f"wires of link number {link}: {name}"
        return begin[0], f"{self._wire(*begin)}_wires: {name}"

    def has_wires(self, link: int) -> bool:
        """Return whether there is a link of barrier wires with a number."""
        return link < len(self._wire_links) and self._wire_links[link] is not None

    def rule(self, lane: int, rule: str) -> Named:
        """Return where a lane begins, and a rule of it."""
        link, channel = divmod(lane, self._links.width)
        begin = self._links.names[link] or (None, f"link number {link}")
        return begin[0], f"{begin[1]}[{channel}]: {rule}"

    def register(self, bit: int, kind: str) -> Named:
        """Return node and name of a register's bit of ``release``."""
        node, register = divmod(bit, self._spec.port_registers)
        return self._targets.names[node], f"{kind}[{register}]"

    def target(self, target: int) -> NodeName:
        """Return a target's name."""
        return self._targets.names[target]

    def observed(self, target: int, value: int) -> Iterator[tuple[str, int]]:
        """Yield name and value of each field of a target's ``observe``."""
        registers, counters = self._targets.split(target, value)
        for number, fields in enumerate(registers):
            yield from ((f"{name}[{number}]", part) for name, part in fields.items())
        for counter in self._targets.counters:
            yield counter.name, counters >> counter * COUNTER_BITS & (1 << COUNTER_BITS) - 1


def _has_own_links(spec: MessageSpec) -> bool:
    """Return whether messages have links of their own."""
    if isinstance(spec, EngineSpec):
        return not spec.shape.router.shared
    return not isinstance(spec, IrregularSpec) and spec.sync_links == "own"


def _wire_fields(spec: MessageSpec) -> Iterator[tuple[str, int, int]]:
    """Yield name, lowest bit and width of every slot's wires in a link's word, and of parity."""
    plane = spec.wire_plane
    if plane is None:
        return
    for field in plane.link.fields:
        first, count = plane.link.offsets[field.name], 1 if field.name == "parity" else plane.slots
        width = field.width // count
        for slot in range(count):
            name = field.name if field.name == "parity" else f"{field.name}[{slot}]"
            yield name, first + slot * width, width
