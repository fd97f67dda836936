"""What the tops of all kinds of network share: their ports, and how nodes are joined to them."""

from collections.abc import Iterator
from dataclasses import dataclass

from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.assemble.verilog import ModuleWriter, part, zero
from syncfabric.sim.emit.naming import plain

_ANSWER = (("ready", 1), ("error", 1), ("rdata", 32))


class LinkWires(dict[str, int]):
    """Width of each bundle of wires of a link between routers, by name; ``back`` runs against."""

    back = frozenset({"credit", "sync_credit", "empty", "stream_credit", "stream_freed"})


@dataclass(frozen=True)
class LinkProbe:
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
    stream_valid, stream_credit, stream_fault : str
        Bits of channels of streams; empty where there are none.
    stream : str
        Their word.
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
    stream_valid: str = ""
    stream_credit: str = ""
    stream_fault: str = ""
    stream: str = ""

    @property
    def guarded(self) -> bool:
        """Whether there are guards at its ends."""
        return bool(self.check or self.sync_check)

    @property
    def guards(self) -> list[str]:
        """The guards' wires; one bit that is 0 stands for what is not there."""
        return [wire or zero(1) for wire in (self.check, self.sync_check, self.probe, self.empty)]


def join_config_answers(top: ModuleWriter, targets: int) -> None:
    """Make the config port's answer: that of the one target that answers, for the others give 0."""
    for answer, width in _ANSWER:
        top.wire(f"all_{answer}", targets * width)
        terms = (part(f"all_{answer}", i, width) for i in range(targets))
        top.assign(f"config_{answer}", " |\n    ".join(terms))


def config_of_top(spec: AnySpec) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the network's one config port; None is a single wire."""
    yield "input", "config_valid", None
    yield "input", "config_node", spec.layout.target_bits
    yield "input", "config_address", spec.layout.config_address_bits
    yield "input", "config_write", None
    yield "input", "config_data", 32
    yield "output", "config_ready", None
    yield "output", "config_error", None
    yield "output", "config_rdata", 32


def config_ports(target: int) -> Iterator[tuple[str, str]]:
    """Yield the connections of a target's config port."""
    for name in ("valid", "node", "address", "write", "data"):
        yield f"config__{name}", plain(f"config_{name}")
    for name, width in _ANSWER:
        yield f"config__{name}", part(f"all_{name}", target, width)
