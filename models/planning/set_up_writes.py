"""All that software writes to set the groups of a plan up, whatever its network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from syncfabric.models.layout import setup as layout
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.messages.static import LoaderWord, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning import set_up as links
from syncfabric.models.planning.images import Epochs, engine_images
from syncfabric.models.planning.plan import BarrierPlan
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
    """What the target must read before the next write: ``word & mask == value``, 16 bits each."""

    address: int
    mask: int
    value: int


class SetUpWrite(NamedTuple):
    """A write to the config port, ``wait`` cycles after the last one, when that is answered.

    ``word`` is the name of a static network's word; ``group`` the one it is for.
    """

    target: int
    address: int
    value: int
    word: str | None = None
    group: int | None = None
    wait: int = 1
    until: Until | None = None


class Entry(NamedTuple):
    """Of kind 0 a write; of kind 1 a read until the word is as `Until` says: ``mask, value``."""

    kind: int
    target: int
    address: int
    value: int


def set_up_writes(plan: BarrierPlan, epochs: Epochs | None = None) -> Iterator[SetUpWrite]:
    """Yield the writes that set all groups up, from reset, in order.

    Where managers set groups up, they do in turn. At last ``start`` is raised, if there is one.

    Parameters
    ----------
    plan : BarrierPlan
    epochs : Epochs, optional
        Of engines' entries, none of them alive, where they are not those of reset.
    """
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        yield from _static(plan, network)
    else:
        yield from _of_engines(plan, network.shape, epochs or Epochs())


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
    """Return ``NAME_registers.json``: the images of all entries, and the writes.

    A static network has no entries: ``nodes`` and ``switches`` are null.
    """
    nodes = dict(enumerate(map(list, plan.spec.network.topology.nodes)))
    writes = [
        {
            "node": nodes.get(write.target),
            "index": write.target,
            "group": write.group,
            "word": write.word,
            "address": write.address,
            "value": f"0x{write.value:08x}",
            "wait": write.wait,
            "until": write.until and write.until._asdict(),
        }
        for write in set_up_writes(plan)
    ]
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        images: dict[str, Any] = {"nodes": None, "switches": None}
    else:
        images = engine_images(plan.engine_groups, network)
    return {"network": plan.spec.name, **images, "writes": writes}


def members(plan: BarrierPlan) -> Iterator[tuple[int, int, int]]:
    """Yield (group, node's number, register) of every member."""
    index = plan.spec.network.topology.index
    for group in plan.groups:
        yield from ((group.id, index(node), place) for node, place in group.places.items())


def _of_engines(plan: BarrierPlan, shape: NetworkShape, epochs: Epochs) -> Iterator[SetUpWrite]:
    """Yield the writes over the config chain, or what the managers are given in turn."""
    if not shape.managers:
        for write in links.set_up_writes(plan.engine_groups, shape, epochs):
            yield SetUpWrite(*write)
        return
    state = layout.MANAGER_STATUS.pack({"state": 3})
    done = layout.MANAGER_STATUS.pack({"state": layout.ManagerState.DONE})
    ended = Until(links.manager_address(layout.ManagerWord.STATUS), state, done)
    command = links.manager_address(layout.ManagerWord.COMMAND)
    for i, group in enumerate(plan.engine_groups):
        manager = shape.managers[i % len(shape.managers)]
        for address, value in links.set_up_command(group, shape, epochs):
            until = ended if address == command else None
            yield SetUpWrite(manager, address, value, group=group.id, until=until)
        epochs.set_up(group)


def _static(plan: BarrierPlan, network: StaticSpec) -> Iterator[SetUpWrite]:
    """Yield what loads the routes, and gives the members their roles: a read is `SETTLING`."""
    loader, wait = network.layout.loader, 1
    loaded = Until(LoaderWord.LENGTH, _HALF, network.layout.chain_bits & _HALF)
    for target, address, value in static_writes(network, plan.static_groups):
        word = (LoaderWord if target == loader else StaticWord)(address)
        until = loaded if word is LoaderWord.STROBE else None
        yield SetUpWrite(target, address, value, word.name.lower(), wait=wait, until=until)
        wait = SETTLING if until else 1
