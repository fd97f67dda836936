"""What a manager is told to send: requests that set a group up through the network."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.messages import CONTROL, REQUEST, RegisterWord, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.images import config_writes, register_words
from syncfabric.models.planning.plan import (
    BarrierPlan,
    GroupPlan,
    MessageGroupPlan,
)
from syncfabric.models.planning.switch_tree import PortRegister
from syncfabric.models.planning.tree import Register

__all__ = ["manager_entries", "node_writes"]


def manager_entries(
    plan: BarrierPlan, group: MessageGroupPlan, epoch: int
) -> list[tuple[int, ...]]:
    """Return a manager's entries for a group, the root's last.

    Parameters
    ----------
    plan : BarrierPlan
        The network.
    group : MessageGroupPlan
        One of its groups. A group of one member of an irregular network has no entry: its register
        is its node's own.
    epoch : int
        Epoch of this set-up, 0 to 3.

    Returns
    -------
    list of tuple of int
        The words of each entry: header, request word, image words.
    """
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
        entry = (header, request, *words.values())
        if _is_top(group, register):
            top = entry
        else:
            entries.append(entry)
    return [*entries, top] if top else entries


def node_writes(plan: BarrierPlan) -> Iterator[tuple[int, int, int]]:
    """Yield (target, config address, word) of what nodes write themselves.

    On an irregular network the registers of the members' node interfaces, or where the group is
    spilled there, the entries; on a mesh nothing.
    """
    if isinstance(plan.spec.network, IrregularSpec):
        nodes = len(plan.spec.network.nodes)
        yield from (write for write in config_writes(plan) if write[0] < nodes)


def _control(register: Register | PortRegister) -> RegisterWord | SwitchWord:
    return SwitchWord.CONTROL if isinstance(register, PortRegister) else RegisterWord.CONTROL


def _header(plan: BarrierPlan, register: Register | PortRegister) -> int | None:
    """Return the header that leads to a register's set-up sink; None for a node interface's."""
    layout = plan.spec.message_network.layout
    if isinstance(register, Register):
        return layout.header.pack({"x": register.node[0], "y": register.node[1]})
    if not isinstance(register.seat, int):
        return None
    network = plan.spec.network
    assert isinstance(network, IrregularSpec)
    return layout.header.pack({"switch": register.seat, "port": network.ports})


def _is_top(group: MessageGroupPlan, register: Register | PortRegister) -> bool:
    """Return whether GO starts at this register."""
    if isinstance(group, GroupPlan):
        return register.parent is None
    return isinstance(register, PortRegister) and register.seat == group.root_switch
