"""What the tops of all kinds of network share: their ports, and how nodes are joined to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from syncfabric.models.messages import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.verilog import ModuleWriter, part, quote, zero

__all__ = [
    "LinkWires",
    "Shown",
    "config_of_top",
    "config_ports",
    "join_config_answers",
    "node_ports",
    "start_top",
    "top_ports",
]

_ANSWER = (("ready", 1), ("error", 1), ("rdata", 32))


class LinkWires(dict[str, int]):
    """Width of each bundle of wires of a link between routers, by name; ``back`` runs against."""

    back = frozenset({"credit", "sync_credit", "empty"})

    def with_guards(self, wires: dict[str, int]) -> LinkWires:
        """Return these wires and those that guards add."""
        return LinkWires(self | wires)


@dataclass(frozen=True)
class Shown:
    """What is on a link, as Verilog expressions.

    Parameters
    ----------
    valid, credit : str
        Bits of the packets' channels; empty where there are none.
    flit : str
        What is on the link if one of them is valid.
    sync_valid, sync_credit : str
        The same of synchronization.
    sync : str, optional
        The synchronization message, where it has wires of its own.
    check, sync_check, probe, empty : str
        What guards add; empty where they do not.
    slots_valid, slots_credit : str
        Bits of slots of barrier wires, and as many that are 0; empty where there are none.
    slots : str
        Their words.
    """

    valid: str = ""
    credit: str = ""
    flit: str = ""
    sync_valid: str = ""
    sync_credit: str = ""
    sync: str | None = None
    check: str = ""
    sync_check: str = ""
    probe: str = ""
    empty: str = ""
    slots_valid: str = ""
    slots_credit: str = ""
    slots: str = ""

    @property
    def guarded(self) -> bool:
        """Whether there are guards at its ends."""
        return bool(self.check or self.sync_check)

    @property
    def guards(self) -> list[str]:
        """The guards' wires; one bit that is 0 stands for what is not there."""
        return [wire or zero(1) for wire in (self.check, self.sync_check, self.probe, self.empty)]


def top_ports(spec: MessageSpec) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the top's ports; None is a single wire, no vector."""
    count, registers = len(spec.topology.nodes), spec.port_registers
    data = spec.data_bits
    for name in ("clk", "rst", "start"):
        yield "input", name, None
    yield "input", "arrive", count * registers
    yield "input", "data", count * registers * data
    yield "output", "released", count * registers
    yield "output", "result", count * registers * data
    yield "output", "ready", count * registers
    yield "output", "done", count * registers
    if spec.takes_last:
        yield "input", "last", count * registers
    if spec.tells_broken:
        yield "output", "broken", count * registers
    yield from config_of_top(spec.layout.target_bits)
    if spec.channels:
        flit = spec.layout.flit.width
        yield "input", "inject_valid", count * spec.channels
        yield "input", "inject_flit", count * flit
        yield "output", "inject_credit", count * spec.channels
        yield "output", "eject_valid", count * spec.channels
        yield "output", "eject_flit", count * flit
        yield "input", "eject_credit", count * spec.channels


def start_top(spec: MessageSpec, name: str) -> ModuleWriter:
    """Return the top with its ports declared, and nothing inside."""
    top = ModuleWriter(name)
    for direction, outside, bits in top_ports(spec):
        top.port(direction, outside, bits)
    return top


def join_config_answers(top: ModuleWriter, targets: int) -> None:
    """Make the config port's answer: that of the one target that answers, for the others give 0."""
    for answer, width in _ANSWER:
        top.wire(f"all_{answer}", targets * width)
        terms = (part(f"all_{answer}", i, width) for i in range(targets))
        top.assign(f"config_{answer}", " |\n    ".join(terms))


def config_of_top(target_bits: int) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the network's one config port; None is a single wire."""
    yield "input", "config_valid", None
    yield "input", "config_node", target_bits
    yield "input", "config_address", CONFIG_ADDRESS_BITS
    yield "input", "config_write", None
    yield "input", "config_data", 32
    yield "output", "config_ready", None
    yield "output", "config_error", None
    yield "output", "config_rdata", 32


def config_ports(target: int) -> Iterator[tuple[str, str]]:
    """Yield the connections of a target's config port."""
    for name in ("valid", "node", "address", "write", "data"):
        yield f"config__{name}", quote(f"config_{name}")
    for name, width in _ANSWER:
        yield f"config__{name}", part(f"all_{name}", target, width)


def manager_ports(spec: MessageSpec, i: int) -> Iterator[tuple[str, str]]:
    """Yield what tells node ``i`` whether it is a manager, and which."""
    node, managers = spec.topology.node(i), spec.manager_nodes
    yield "manager", "1'd1" if node in managers else "1'd0"
    yield "manager_index", f"2'd{managers.index(node) if node in managers else 0}"


def node_ports(spec: MessageSpec, i: int) -> Iterator[tuple[str, str | None]]:
    """Yield the connections of node ``i`` to the top's ports."""
    registers, data = spec.port_registers, spec.data_bits
    names = [
        ("arrive", registers),
        ("data", registers * data),
        ("released", registers),
        ("result", registers * data),
        ("ready", registers),
        ("done", registers),
    ]
    if spec.takes_last:
        names.append(("last", registers))
    if spec.tells_broken:
        names.append(("broken", registers))
    if spec.managed:
        yield from manager_ports(spec, i)
    for name, width in names:
        yield name, part(name, i, width) if width else None
    yield from config_ports(i)
    if spec.channels:
        yield from _packet_ports(spec, i)
    yield "observe", ""


def _packet_ports(spec: MessageSpec, i: int) -> Iterator[tuple[str, str]]:
    """Yield the connections of node ``i`` to the top's ports of packets."""
    for local, top in (("local_in", "inject"), ("local_out", "eject")):
        yield f"{local}__valid", part(f"{top}_valid", i, spec.channels)
        yield f"{local}__flit", part(f"{top}_flit", i, spec.layout.flit.width)
        yield f"{local}__credit", part(f"{top}_credit", i, spec.channels)
