"""What a manager is told to send: requests that set a group up through the network."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.messages import (
    CONTROL,
    REQUEST,
    WIRE_IMAGE,
    RegisterWord,
    SwitchWord,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.images import group_writes, register_words
from syncfabric.models.planning.plan import (
    AnyGroupPlan,
    BarrierPlan,
    IrregularGroupPlan,
    MessageGroupPlan,
    WireGroupPlan,
)
from syncfabric.models.planning.switch_tree import PortRegister
from syncfabric.models.planning.tree import Register

__all__ = ["manager_entries", "node_writes"]


def manager_entries(
    plan: BarrierPlan, group: MessageGroupPlan | WireGroupPlan, epoch: int
) -> list[tuple[int, ...]]:
    """Return a manager's entries for a group, the root's last.

    Parameters
    ----------
    plan : BarrierPlan
        The network.
    group : MessageGroupPlan or WireGroupPlan
        One of its groups. A group of one member of an irregular network has no entry: its register
        is its node's own. Nor has a group on wires beside messages (``sync = "both"``).
    epoch : int
        Epoch of this set-up, 0 to 3.

    Returns
    -------
    list of tuple of int
        The words of each entry: header, request word, image words.
    """
    if not _by_manager(plan, group):
        return []
    entries = []
    top: tuple[int, ...] = ()
    for register in group.registers():
        header = _header(plan, register)
        if header is None:
            continue
        words = register_words(register)
        control = CONTROL.unpack(words.pop(_control(register)))
        names = ("gid", "op", "root", "turn")
        request = REQUEST.pack({**{name: control[name] for name in names}, "epoch": epoch})
        if isinstance(group, WireGroupPlan):
            words[SwitchWord.TREE] |= group.slot << WIRE_IMAGE.offsets["slot"]
        entry = (header, request, *words.values())
        if _is_top(group, register):
            top = entry
        else:
            entries.append(entry)
    return [*entries, top] if top else entries


def node_writes(plan: BarrierPlan) -> Iterator[tuple[int, int, int]]:
    """Yield (target, config address, word) of what no manager is asked for.

    On an irregular network the registers of the members' node interfaces; on a mesh nothing. Slots
    beside registers of messages (``sync = "both"``) are all among them.
    """
    network = plan.spec.network
    nodes = len(network.nodes) if isinstance(network, IrregularSpec) else 0
    for group in plan.groups:
        asked = _by_manager(plan, group)
        yield from (write for write in group_writes(plan, group) if not asked or write[0] < nodes)


def _by_manager(plan: BarrierPlan, group: AnyGroupPlan) -> bool:
    """Return whether a manager sets a group up: set-up sinks reach one kind of register."""
    return not (isinstance(group, WireGroupPlan) and plan.spec.register_network.has_messages)


def _control(register: Register | PortRegister) -> RegisterWord | SwitchWord:
    return SwitchWord.CONTROL if isinstance(register, PortRegister) else RegisterWord.CONTROL


def _header(plan: BarrierPlan, register: Register | PortRegister) -> int | None:
    """Return the header that leads to a register's set-up sink; None for a node interface's."""
    network = plan.spec.register_network
    pack = network.layout.header.pack
    seat = register.node if isinstance(register, Register) else register.seat
    if isinstance(network, IrregularSpec):
        return pack({"switch": seat, "port": network.ports}) if isinstance(seat, int) else None
    assert not isinstance(seat, int)
    return pack({"x": seat[0], "y": seat[1]})


def _is_top(group: MessageGroupPlan | WireGroupPlan, register: Register | PortRegister) -> bool:
    """Return whether GO starts at this register."""
    if isinstance(group, IrregularGroupPlan):
        return isinstance(register, PortRegister) and register.seat == group.root_switch
    return register.parent is None
