"""The set-up sink of a switch: what a request makes of an entry, and the answer to it.

Source: SPEC, rules 4, 5 and 7 of set-up.
"""

from __future__ import annotations

from syncfabric.models.messages import Answer, Request
from syncfabric.models.setup.entry import Entry, die, start
from syncfabric.models.setup.message import Packet
from syncfabric.models.setup.rules import Rules

__all__ = ["serve"]


def serve(
    packet: Packet, found: Entry | None, *, full: bool, rules: Rules
) -> tuple[Answer, Entry | None]:
    """Obey a request, or refuse it.

    Parameters
    ----------
    packet : Packet
        The request.
    found : Entry or None
        The switch's valid register of the GID.
    full : bool
        The switch has no free register.

    Returns
    -------
    Answer
        The reply's code.
    Entry or None
        The register as it is now.
    """
    if packet.operation is Request.SETUP:
        return _set_up(packet, found, full, rules)
    if found is None:
        return Answer.OK, None
    if rules.owner and found.image.manager != packet.manager:
        return Answer.DENIED, found
    if packet.operation is Request.KILL:
        up = packet.fire and not found.image.root and rules.kill_tells_root_node
        return Answer.OK, die(found, node=False, up=up, rules=rules).entry
    if found.busy and rules.idle_test:
        return Answer.BUSY, found
    return Answer.OK, None


def _set_up(
    packet: Packet, found: Entry | None, full: bool, rules: Rules
) -> tuple[Answer, Entry | None]:
    if found is None and full:
        return Answer.FULL, None
    if found is None or not rules.free_places:
        entry = Entry(packet.image, packet.life)
    elif found.image == packet.image and not found.busy:
        entry = found
    else:
        return Answer.EXISTS, found
    return Answer.OK, start(entry) if packet.fire else entry
