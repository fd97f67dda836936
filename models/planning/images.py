"""Register images: what to write to every node and switch, as words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncfabric.models.messages import (
    CONTROL,
    NODE_WORD,
    PARENT_WORD,
    Op,
    RegisterWord,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import EngineSpec, StaticSpec
from syncfabric.models.planning.links.images_json import engine_images
from syncfabric.models.planning.plan import (
    AnyGroupPlan,
    BarrierPlan,
    GroupPlan,
    IrregularGroupPlan,
    WireGroupPlan,
)
from syncfabric.models.planning.port_words import port_words
from syncfabric.models.planning.switch_tree import PortRegister
from syncfabric.models.planning.tree import Register

__all__ = ["config_writes", "group_writes", "images_json", "register_words"]

Image = Register | PortRegister
Word = RegisterWord | SwitchWord

CHILD_WORDS = (RegisterWord.EAST, RegisterWord.NORTH, RegisterWord.WEST, RegisterWord.SOUTH)


def register_words(register: Image) -> dict[Word, int]:
    """Return the packed words of a register image, in the order to write them.

    The control word with its valid bit comes last.
    """
    if isinstance(register, PortRegister):
        return port_words(register)
    relay = PARENT_WORD.pack({"relay": register.relay})
    values: dict[Word, int] = {RegisterWord.PARENT: _node_word(register.parent) | relay}
    for word, child in zip(CHILD_WORDS, register.children, strict=True):
        values[word] = _node_word(child)
    values[RegisterWord.CONTROL] = CONTROL.pack(
        {
            "valid": 1,
            "root": register.parent is None,
            "turn": register.turn,
            "op": Op[register.op.upper()],
            "epoch": register.epoch,
            "gid": register.gid,
        }
    )
    return values


def _node_word(node: Node | None) -> int:
    if node is None:
        return 0
    return NODE_WORD.pack({"x": node[0], "y": node[1], "present": 1})


def config_writes(plan: BarrierPlan) -> Iterator[tuple[int, int, int]]:
    """Yield every (target, config address, word) that sets up the plan, in order.

    Targets are nodes by their index and then, on an irregular network, switches.
    """
    for group in plan.groups:
        yield from group_writes(plan, group)


def group_writes(plan: BarrierPlan, group: AnyGroupPlan) -> Iterator[tuple[int, int, int]]:
    """Yield those of one group."""
    for target, register, place in _placed(plan, group):
        for word, value in register_words(register).items():
            yield target, register_address(place, word), value


def _placed(plan: BarrierPlan, group: AnyGroupPlan) -> Iterator[tuple[int, Image, int]]:
    """Yield each of a group's registers: its target, image, and number."""
    topology = plan.spec.network.topology
    if isinstance(group, WireGroupPlan):
        for target, number, register in group.images():
            yield target, register, number
    elif isinstance(group, GroupPlan):
        for image in group.registers():
            yield topology.index(image.node), image, group.node_places[image.node]
    elif isinstance(group, IrregularGroupPlan):
        for register in group.registers():
            if isinstance(register.seat, int):
                target = len(topology.nodes) + register.seat
                yield target, register, group.switch_places[register.seat]
            else:
                yield topology.index(register.seat), register, group.places[register.seat]


def images_json(plan: BarrierPlan) -> dict[str, Any]:
    """Return every register's fields and packed words, node by node and switch by switch.

    ``index`` is the config port's number of the node or switch; ``words`` maps each word's config
    address to its value. A mesh's ``switches`` is null; a static network has no registers, and
    ``nodes`` is null too.
    """
    if isinstance(plan.spec.network, StaticSpec):
        return {"network": plan.spec.name, "nodes": None, "switches": None}
    if isinstance(plan.spec.network, EngineSpec):
        return {"network": plan.spec.name, **engine_images(plan.engine_groups, plan.spec.network)}
    topology = plan.spec.network.topology
    entries: dict[int, list[dict[str, Any]]] = {}
    for group in plan.groups:
        for target, register, place in _placed(plan, group):
            entries.setdefault(target, []).append(_entry(register, place))
    count = len(topology.nodes)
    nodes = [
        {"node": list(topology.node(index)), "index": index, "registers": entries[index]}
        for index in sorted(entries)
        if index < count
    ]
    switches = [
        {"switch": index - count, "index": index, "registers": entries[index]}
        for index in sorted(entries)
        if index >= count
    ]
    mesh = plan.spec.network.kind == "mesh"
    return {"network": plan.spec.name, "nodes": nodes, "switches": None if mesh else switches}


def _entry(register: Image, place: int) -> dict[str, Any]:
    return {
        "register": place,
        "fields": {
            "gid": register.gid,
            "root": register.parent is None,
            **_neighbours(register),
            "op": register.op,
            "epoch": register.epoch,
        },
        "words": {
            word.name.lower(): {
                "address": register_address(place, word),
                "value": f"0x{value:08x}",
            }
            for word, value in register_words(register).items()
        },
    }


def _neighbours(register: Image) -> dict[str, Any]:
    """Return parent and children: ports, or on a mesh nodes, with the parent's turn and relay."""
    if isinstance(register, PortRegister):
        return {
            "parent": register.parent,
            "relay": None,
            "turn": None,
            "children": list(register.children),
        }
    children = zip(("+x", "+y", "-x", "-y"), register.children, strict=True)
    return {
        "parent": register.parent and list(register.parent),
        "relay": register.relay,
        "turn": int(register.turn),
        "children": {side: child and list(child) for side, child in children},
    }
