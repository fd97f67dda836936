"""All that software writes to set the groups of a plan up, whatever its network."""

from collections.abc import Iterator
from functools import singledispatch
from typing import Any, NamedTuple

from syncfabric.models.layout.setup import MANAGER_STATUS, ManagerState
from syncfabric.models.layout.words import EngineWord, ManagerWord, config_address
from syncfabric.models.messages.static import LoaderWord, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning import set_up
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import Epochs, group_images
from syncfabric.models.planning.static_routes import SETTLING, static_writes

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
    return _writes(plan.spec.network, plan, epochs or Epochs())


@singledispatch
def _writes(network: Any, plan: BarrierPlan, epochs: Epochs) -> Iterator[SetUpWrite]:
    shape = network.shape
    if not shape.managers:
        for write in set_up.set_up_writes(plan.groups, shape, epochs):
            yield SetUpWrite(*write)
        return
    state, done = (MANAGER_STATUS.pack({"state": s}) for s in (3, ManagerState.DONE))
    ended = Until(config_address(ManagerWord.STATUS), state, done)
    for i, group in enumerate(plan.groups):
        manager = shape.managers[i % len(shape.managers)]
        for address, value in set_up.set_up_command(group, shape, epochs):
            until = ended if address == config_address(ManagerWord.COMMAND) else None
            yield SetUpWrite(manager, address, value, group=group.id, until=until)
        epochs.set_up(group)


@_writes.register
def _(network: StaticSpec, plan: BarrierPlan, epochs: Epochs) -> Iterator[SetUpWrite]:
    """Yield what loads the routes, and gives the members their roles: a read is `SETTLING`."""
    loader, wait = network.layout.loader, 1
    loaded = Until(LoaderWord.LENGTH, _HALF, network.layout.chain_bits & _HALF)
    for target, address, value in static_writes(network, plan.groups):
        word = (LoaderWord if target == loader else StaticWord)(address)
        until = loaded if word is LoaderWord.STROBE else None
        yield SetUpWrite(target, address, value, word.name.lower(), wait=wait, until=until)
        wait = SETTLING if until else 1


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
    network = plan.spec.network
    nodes = dict(enumerate(map(list, network.topology.nodes)))
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
    return {"network": plan.spec.name, **_images(network, plan), "writes": writes}


@singledispatch
def _images(network: Any, plan: BarrierPlan) -> dict[str, Any]:
    """Return the images of all groups by router, from reset: fields, and the staged words."""
    shape, epochs = network.shape, Epochs()
    layout = shape.router.layout
    routers: dict[int, list[dict[str, Any]]] = {}
    for group in plan.groups:
        for image in group_images(group, layout, epochs):
            entry = {
                "entry": image.entry,
                "group": group.id,
                "root": image.router == group.tree.root,
                "epoch": epochs.after((image.router, image.entry)),
                "fields": layout.image.unpack(image.word),
                "words": [
                    {"address": address, "value": f"0x{word:08x}"}
                    for address, word in enumerate(image.words(layout), EngineWord.IMAGE)
                ],
            }
            routers.setdefault(image.router, []).append(entry)
        epochs.set_up(group)
    images = [
        {"router": router, "index": shape.target_of(router), "entries": routers[router]}
        for router in sorted(routers)
    ]
    return {"routers": images}


@_images.register
def _(network: StaticSpec, plan: BarrierPlan) -> dict[str, Any]:
    return {"nodes": None, "switches": None}


def members(plan: BarrierPlan) -> Iterator[tuple[int, int, int]]:
    """Yield (group, node's number, register) of every member."""
    for group in plan.groups:
        yield from ((group.id, *endpoint) for endpoint in plan.endpoints(group))
