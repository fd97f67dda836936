"""Which old messages could still be taken for those of a new life."""

from __future__ import annotations

from collections.abc import Mapping

from syncfabric.models.planning.switch_tree import Seat
from syncfabric.models.setup.entry import Entry
from syncfabric.models.setup.life import Life
from syncfabric.models.setup.message import Message
from syncfabric.models.setup.rules import Rules

__all__ = ["mistakable"]


def mistakable(
    life: Life,
    links: Mapping[tuple[Seat, int, int], tuple[Message, ...]],
    entries: Mapping[tuple[Seat, int], Entry],
    rules: Rules,
) -> bool:
    """Return whether an old life's message of this one's GID and epoch is under way, or will be.

    An epoch comes again after four set-ups, and no message is under way for so long: links are
    short, and a manager needs a while. With ``drained``, the epoch does not matter.
    """
    if not rules.epochs and not rules.drained:
        return False
    seen = [
        (message.epoch, message.life)
        for (_, _, gid), link in links.items()
        if gid == life.gid
        for message in link
    ]
    for (_, gid), entry in entries.items():
        if gid == life.gid and entry.dying:
            seen.append((entry.image.epoch, entry.life))
    return any(
        number != life.number and (rules.drained or epoch == life.epoch) for epoch, number in seen
    )
