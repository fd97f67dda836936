"""All that software writes to set the groups of a plan up, whatever its network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from syncfabric.models.messages import (
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.messages.static import LoaderWord, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.images import group_writes, images_json
from syncfabric.models.planning.plan import BarrierPlan, StaticGroupPlan
from syncfabric.models.planning.requests import manager_entries, node_writes
from syncfabric.models.planning.static_images import SETTLING, static_writes

__all__ = [
    "Entry",
    "SetUpWrite",
    "Until",
    "members",
    "registers_json",
    "set_up_entries",
    "set_up_writes",
]

_HALF = 0xFFFF


class Until(NamedTuple):
    """What a target must read before the next write: ``word & mask == value``, 16 bits each."""

    address: int
    mask: int
    value: int


class SetUpWrite(NamedTuple):
    """A write to the config port; the next one waits for its answer.

    Parameters
    ----------
    target, address, value : int
        Number on the config port, word, and what to write.
    word : str, optional
        Name of a word of a manager, or of a static network.
    group : int, optional
        The group it is for, where it is for one.
    wait : int
        Least number of cycles from the write before to this one.
    until : Until, optional
        What to wait for after it; a read takes longer than the ``wait`` of the next write.
    """

    target: int
    address: int
    value: int
    word: str | None = None
    group: int | None = None
    wait: int = 1
    until: Until | None = None

    def to_json(self, plan: BarrierPlan) -> dict[str, Any]:
        """Return it as an entry of ``writes`` in ``NAME_registers.json``."""
        topology = plan.spec.network.topology
        at_node = self.target < len(topology.nodes)
        return {
            "node": list(topology.node(self.target)) if at_node else None,
            "index": self.target,
            "group": self.group,
            "word": self.word,
            "address": self.address,
            "value": f"0x{self.value:08x}",
            "wait": self.wait,
            "until": self.until and self.until._asdict(),
        }


class Entry(NamedTuple):
    """A line of a table that sets groups up.

    Parameters
    ----------
    kind : int
        0: write ``value``; 1: read until the word, masked by the upper half of ``value``, equals
        the lower.
    target, address, value : int
    """

    kind: int
    target: int
    address: int
    value: int


def set_up_writes(plan: BarrierPlan) -> Iterator[SetUpWrite]:
    """Yield the writes that set all groups up, from reset, in order.

    Where managers set groups up, the first one does. Then ``start`` is raised, where there is one.
    """
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        yield from _static(plan, network)
    elif network.managed:
        yield from (SetUpWrite(*write) for write in node_writes(plan))
        yield from _managed(plan)
    else:
        for group in plan.groups:
            yield from (SetUpWrite(*write, group=group.id) for write in group_writes(plan, group))


def set_up_entries(plan: BarrierPlan) -> list[Entry]:
    """Return the same as a table: writes, and what is waited for between them."""
    entries = []
    for write in set_up_writes(plan):
        entries.append(Entry(0, write.target, write.address, write.value))
        if write.until is not None:
            address, mask, value = write.until
            entries.append(Entry(1, write.target, address, mask << 16 | value))
    return entries


def registers_json(plan: BarrierPlan) -> dict[str, Any]:
    """Return ``NAME_registers.json``: the images of all registers, and the writes."""
    writes = [write.to_json(plan) for write in set_up_writes(plan)]
    return {**images_json(plan), "writes": writes}


def members(plan: BarrierPlan) -> Iterator[tuple[int, int, int | None]]:
    """Yield (group, node's number, register) of every member; None: it is in memory there."""
    index = plan.spec.network.topology.index
    for group in plan.groups:
        yield from ((group.id, index(node), place) for node, place in group.places.items())


def _managed(plan: BarrierPlan) -> Iterator[SetUpWrite]:
    """Yield what the first manager is given: a command a group."""
    network = plan.spec.message_network
    manager = network.topology.index(network.manager_nodes[0])
    done = MANAGER_STATUS.pack({"state": ManagerState.DONE})
    state = MANAGER_STATUS.pack({"state": 3})
    until = Until(MANAGER_BASE + ManagerWord.STATUS, state, done)
    for group in (*plan.message_groups, *plan.wire_groups):
        entries = manager_entries(plan, group, epoch=0)
        command = MANAGER_COMMAND.pack({"operation": Request.SETUP, "count": len(entries)})
        words = [(ManagerWord.DATA, word) for entry in entries for word in entry]
        words = [(ManagerWord.POINTER, 0), *words, (ManagerWord.COMMAND, command)]
        for word, value in words if entries else ():
            last = until if word is ManagerWord.COMMAND else None
            name = word.name.lower()
            yield SetUpWrite(manager, MANAGER_BASE + word, value, name, group.id, until=last)


def _static(plan: BarrierPlan, network: StaticSpec) -> Iterator[SetUpWrite]:
    """Yield what loads the routes, and what gives the members their roles."""
    groups = [group for group in plan.groups if isinstance(group, StaticGroupPlan)]
    loader, wait = network.layout.loader, 1
    settled = Until(LoaderWord.LENGTH, _HALF, network.layout.chain_bits & _HALF)
    for target, address, value in static_writes(network, groups):
        word = (LoaderWord if target == loader else StaticWord)(address)
        until = settled if word is LoaderWord.STROBE else None
        yield SetUpWrite(target, address, value, word.name.lower(), wait=wait, until=until)
        wait = SETTLING if until else 1
