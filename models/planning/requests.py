"""What a manager is told to send: requests that set a group up through the network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncfabric.models.messages import (
    CONTROL,
    MANAGER_BASE,
    MANAGER_COMMAND,
    REQUEST,
    ManagerWord,
    RegisterWord,
    Request,
    SwitchWord,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.images import config_writes, register_words
from syncfabric.models.planning.plan import (
    BarrierPlan,
    GroupPlan,
    MessageGroupPlan,
)
from syncfabric.models.planning.switch_tree import PortRegister
from syncfabric.models.planning.tree import Register

__all__ = ["manager_entries", "manager_writes_json", "node_writes"]


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


def manager_writes_json(plan: BarrierPlan) -> list[dict[str, Any]]:
    """Return the writes that set all groups up, from reset, in order: nodes' own, then a manager's.

    ``index`` is the config port's number of the node; ``group`` is null for a node's own register.
    After a write of ``command`` the manager's status must say DONE before the next.
    """
    topology = plan.spec.message_network.topology
    manager = topology.index(plan.spec.message_network.manager_nodes[0])
    writes: list[tuple[int, int, int, ManagerWord | None, int | None]] = [
        (target, address, value, None, None) for target, address, value in node_writes(plan)
    ]
    for group in plan.message_groups:
        entries = manager_entries(plan, group, epoch=0)
        command = MANAGER_COMMAND.pack({"operation": Request.SETUP, "count": len(entries)})
        words = [(ManagerWord.DATA, word) for entry in entries for word in entry]
        words = [(ManagerWord.POINTER, 0), *words, (ManagerWord.COMMAND, command)]
        for word, value in words if entries else ():
            writes.append((manager, MANAGER_BASE + word, value, word, group.id))
    return [
        {
            "node": list(topology.node(target)),
            "index": target,
            "group": group_id,
            "word": None if word is None else word.name.lower(),
            "address": address,
            "value": f"0x{value:08x}",
        }
        for target, address, value, word, group_id in writes
    ]


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
