"""What engines are set up with, as JSON: ``NAME_registers.json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from syncfabric.models.layout.engine import IMAGE_ADDRESS
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.links.group_plan import GroupPlan
from syncfabric.models.planning.links.images import Epochs, group_images

__all__ = ["engine_images"]


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
