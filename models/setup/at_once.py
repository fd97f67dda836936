"""What of set-up may as well happen at once: so fewer states have to be gone through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.messages import Answer
from syncfabric.models.setup.message import Reply

if TYPE_CHECKING:
    from syncfabric.models.setup.managed import ManagedNetwork
    from syncfabric.models.setup.network import Event

__all__ = ["at_once"]


def at_once(network: ManagedNetwork) -> Event | None:
    """Return a step of a manager's command or of an answer that may as well happen now.

    These are ``ask``, ``answer``, ``reply`` and ``free``. What they change nobody reads but
    the manager whom they are about, and of it only what they make possible: requests and
    replies take as long as they like, so to put one of these steps off is to put off what
    comes of it: a request that is served, a next command, a member that may close. In detail,
    each of them and anything else that can happen in between lead to the same state in either
    order, and neither makes the other impossible, or a violation of it:

    - ``ask``: a command's requests go to a switch each, so their order is of no account;
      while one is under way its manager has no other to that switch (``one_command``).
    - ``answer``: for the same reason no request finds the slot taken, and FREED does not need
      it (``freed_apart``).
    - ``free``: nothing but a KILL takes the flag back, and no life here is killed; a meddling
      manager's is denied (``owner``).
    - ``reply``: FREED counts before the root's OK as after it (``hold_free``), and of a group
      that was refused there is none, as the root comes last (``root_last``); with one life for
      each manager and GID it is never about another. Of codes that refuse, which comes first
      decides nothing. Only a repeated request may come too late for a reply that ends a round
      (and ``set_up_once`` leaves no others): such a reply is no such step. It comes from a
      switch that tells this manager no FREED, if it has no other life.

    They end: whatever follows from them, a switch serves none of it. So going through states
    in which none of them is left loses no end and no violation (they are persistent sets of
    one event; every cycle has a state in which all events are gone through).

    Source: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, 1996.
    """
    if not _is_steady(network):
        return None
    for (manager, number), command in network.commands.items():
        if command.next is not None:
            return "ask", manager, number
    for slot in network.slots:
        return "answer", *slot
    for channel, (reply, *_) in network.replies.items():
        if not _may_end_round(network, channel[1], reply):
            return "reply", *channel
    for (seat, gid), entry in network.entries.items():
        if entry.freed:
            return "free", seat, gid
    return None


def _is_steady(network: ManagedNetwork) -> bool:
    """Return whether all is as :func:`at_once` has it."""
    rules, lives = network.rules, network.lives.values()
    managers = {life.manager for life in lives}
    return (
        rules.one_command
        and rules.freed_apart
        and rules.hold_free
        and rules.root_last
        and rules.set_up_once
        and (rules.owner or not network.meddlings)
        and len({(life.manager, life.gid) for life in lives}) == len(lives)
        and not any(life.kill for life in lives)
        and (len(managers) == len(lives) or not any(life.repeats for life in lives))
    )


def _may_end_round(network: ManagedNetwork, manager: int, reply: Reply) -> bool:
    """Return whether a reply may come too early for a request to be repeated."""
    progress = network.progress.get(reply.life)
    if reply.code is Answer.FREED or progress is None or not progress.repeats:
        return False
    return network.commands[manager, reply.life].awaits_all_but_root
