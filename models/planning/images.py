"""What engines are set up with at the routers of groups' trees, and the epochs of entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from syncfabric.models.layout.engine import EPOCH_BITS, IMAGE_ADDRESS, WORD_BITS, EngineLayout
from syncfabric.models.messages import Op
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.group_plan import GroupPlan

__all__ = ["EPOCHS", "Epochs", "RouterImage", "engine_images", "group_images"]

EPOCHS = 1 << EPOCH_BITS
"""Epochs of an entry."""
_WORD = (1 << WORD_BITS) - 1


class Epochs:
    """The epoch of every entry that a software sets up: 0 after reset, and one more a SETUP.

    Source: docs/microarchitecture-engine.md, E7 and E9; docs/microarchitecture-networks.md, N6.1.
    """

    def __init__(self) -> None:
        self._epochs: dict[tuple[int, int], int] = {}

    def __getitem__(self, place: tuple[int, int]) -> int:
        """Return the epoch of a router's entry."""
        return self._epochs.get(place, 0)

    def __setitem__(self, place: tuple[int, int], epoch: int) -> None:
        """Learn an epoch that a reply named."""
        self._epochs[place] = epoch % EPOCHS

    def after(self, place: tuple[int, int]) -> int:
        """Return the epoch that the next SETUP makes."""
        return (self[place] + 1) % EPOCHS

    def set_up(self, group: GroupPlan) -> None:
        """Count a SETUP at every router of a group."""
        for place in group.placement.items():
            self[place] = self.after(place)


@dataclass(frozen=True)
class RouterImage:
    """What SETUP writes at a router.

    Parameters
    ----------
    router, entry : int
    epoch : int
        The entry's before SETUP.
    word : int
        The image, packed.
    """

    router: int
    entry: int
    epoch: int
    word: int

    def words(self, layout: EngineLayout) -> list[int]:
        """Return the staged words, word 0 first."""
        return [self.word >> WORD_BITS * k & _WORD for k in range(layout.image_words)]


def group_images(group: GroupPlan, layout: EngineLayout, epochs: Epochs) -> Iterator[RouterImage]:
    """Yield the images of a group at all its routers, by rising number, but the root last.

    Names are the neighbours' entries with their epochs after SETUP; at a port to a node interface
    they are the router's own entry and epoch (N2.7). Of routed messages the parent's is ``u``.

    Parameters
    ----------
    group : GroupPlan
    layout : EngineLayout
    epochs : Epochs
        Before SETUP.
    """
    tree = group.shape
    order = [i for i in range(len(tree)) if tree.parent[i] >= 0]
    links = _links(group)
    for position in (*order, tree.position[tree.root]):
        router, up = int(tree.routers[position]), int(tree.parent_port[position])
        above = -1 if up < 0 else int(tree.routers[tree.parent[position]])
        values = {
            "children": int(tree.child_mask[position]),
            "parent": 0 if up < 0 else 1 << up,
            "op": Op[group.op.upper()] if layout.op_bits else 0,
        }
        for port, there, route_class in links[router] if group.slot_register is None else ():
            name = "u" if layout.routed and there == above else port
            entry = group.placement[there]
            values[f"entry_{name}"] = entry
            values[f"epoch_{name}"] = epochs.after((there, entry))
            if layout.routed:
                y, x = divmod(there, group.graph.columns)
                values |= {f"x_{name}": x, f"y_{name}": y, f"route_class_{name}": route_class}
        entry = group.placement[router]
        yield RouterImage(router, entry, epochs[router, entry], layout.image.pack(values))


def _links(group: GroupPlan) -> dict[int, list[tuple[int, int, int]]]:
    """Return for each router its link ports in use: port, router there, class of messages."""
    tree = group.shape
    links: dict[int, list[tuple[int, int, int]]] = {r: [] for r in group.placement}
    for child, above, up, down in zip(
        tree.routers.tolist(),
        tree.parent.tolist(),
        tree.parent_port.tolist(),
        tree.far_port.tolist(),
        strict=True,
    ):
        if above >= 0:
            parent = int(tree.routers[above])
            # Down along the row first by EAST and WEST, and back by the other class.
            links[child].append((up, parent, 1 - down % 2))
            links[parent].append((down, child, down % 2))
    if group.graph.own_links:
        for router, port in tree.nodes.tolist():
            links[router].append((port, router, 0))
    return links


def engine_images(groups: Sequence[GroupPlan], network: MessageSpec) -> dict[str, Any]:
    """Return the images of all groups by router, from reset: fields, and the staged words.

    ``routers`` has an entry for each router that some group passes, ``index`` being its target.
    """
    shape, epochs = network.shape, Epochs()
    layout = shape.router.layout
    routers: dict[int, list[dict[str, Any]]] = {}
    for group in groups:
        for image in group_images(group, layout, epochs):
            words = [
                {"address": IMAGE_ADDRESS + k, "value": f"0x{word:08x}"}
                for k, word in enumerate(image.words(layout))
            ]
            entry = {
                "entry": image.entry,
                "group": group.id,
                "root": image.router == group.shape.root,
                "epoch": epochs.after((image.router, image.entry)),
                "fields": layout.image.unpack(image.word),
                "words": words,
            }
            routers.setdefault(image.router, []).append(entry)
        epochs.set_up(group)
    return {
        "routers": [
            {"router": router, "index": shape.target_of(router), "entries": routers[router]}
            for router in sorted(routers)
        ]
    }
