"""What a difference is called: wires as the Verilog has them, and where they are."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.messages import COUNTER_BITS
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import (
    AnySpec,
    IrregularSpec,
    MeshSpec,
    StaticSpec,
)
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.targets import targets_of
from syncfabric.sim.results import NodeName

__all__ = ["Names"]

Named = tuple[NodeName | None, str]


class Names:
    """Names of a network's wires, registers and rules.

    Parameters
    ----------
    spec : AnySpec
        The network.
    """

    def __init__(self, spec: AnySpec) -> None:
        self._spec, self._links, self._targets = spec, links_of(spec), targets_of(spec)

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
            shared = self._spec.shape.router.shared
            return begin[0], f"{wire}_{'flit' if shared else 'sync'}"
        index = f"[{class_}]" if self._links.classes > 1 else ""
        return begin[0], f"{wire}_sync_{kind}{index}"

    def _wire(self, begin: NodeName, port: str) -> str:
        """Return how the wires of a link begin."""
        if isinstance(self._spec, MeshSpec):
            assert not isinstance(begin, int)
            if port in ("local", "inject"):
                return "eject" if port == "local" else port
            return f"link_{self._spec.topology.index(begin)}_{int(Port[port.upper()])}"
        if isinstance(self._spec, IrregularSpec):
            if isinstance(begin, int):
                return f"link_{begin}_{port}"
            return f"uplink_{self._spec.topology.index(begin)}"
        assert not isinstance(begin, int)
        return f"link_{begin[0]}_{begin[1]}_{'eject' if port == 'local' else port}"

    def guard(self, link: int, name: str) -> Named:
        """Return node and name of a wire of a link's guards."""
        begin = self._links.names[link]
        return (
            (begin[0], f"{self._wire(*begin)}_{name}") if begin else (None, f"link {link}: {name}")
        )

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

    def observed(self, value: int) -> Iterator[tuple[str, int]]:
        """Yield name and value of each field of a target's ``observe``."""
        fields, counters = self._targets.split(value)
        yield from fields.items()
        for counter in self._targets.counters:
            yield counter.name, counters >> counter * COUNTER_BITS & (1 << COUNTER_BITS) - 1
