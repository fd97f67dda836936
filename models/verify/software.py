"""Software of a manager (networks N6): what it does after replies, FREED, and of itself.

It reads of the replies what STATUS shows: the first refusal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.verify.explorer import Event, Violation
from syncfabric.models.verify.manager import (
    KILL,
    OVER,
    RUN,
    SETUP,
    assume_done,
    at,
    believe,
    group_of,
    instance_of,
    is_under_way,
    may_abort,
    number_of,
    send,
    unserved,
    withdraw,
)
from syncfabric.models.verify.packets import Code, Reply
from syncfabric.models.verify.scenario import ATTEMPTS

if TYPE_CHECKING:
    from syncfabric.models.verify.setup import SetUp

__all__ = ["act", "events", "is_former", "is_over", "next_group", "take_freed", "take_reply"]


def is_over(world: SetUp, manager: int) -> bool:
    """Return whether a manager has come to the end of its script."""
    return world.managers[manager].phase == OVER


def next_group(world: SetUp, manager: int, place: int) -> None:
    """Set the next group of a script up, if there is one."""
    script = world.scenario.managers[manager]
    now = world.managers[manager]._replace(
        place=place, attempt=0, phase=SETUP, part=0, refusal=(), again=0, freed=0, rebuild=0
    )
    if not now.epochs:
        now = now._replace(epochs=(0,) * len(world.entries))
    if place == len(script):
        world.managers[manager] = now._replace(phase=OVER)
        return
    if world.scenario.epochs and place == 0:
        # KILL makes the epochs of entries that are not alive known.
        now = now._replace(phase=KILL, rebuild=1)
    world.managers[manager] = now
    send(world, manager)


def take_reply(world: SetUp, manager: int, router: int, reply: Reply) -> None:
    """Take a reply (N5.8)."""
    now = world.managers[manager]
    if not now.awaited or reply.tag != now.tag:
        return
    now = now._replace(awaited=now.awaited - 1)
    if reply.code != Code.OK and not now.refusal:
        now = now._replace(refusal=(reply.code, router, reply.epoch))
    world.managers[manager] = now
    if not now.awaited:
        _end_part(world, manager)


def take_freed(world: SetUp, manager: int, router: int, freed: Reply) -> None:
    """Believe FREED if it is of the root of the group that is set up or runs."""
    now, rules = world.managers[manager], world.scenario.rules
    if now.phase not in (SETUP, RUN):
        return
    group, instance = group_of(world, manager), instance_of(world, manager)
    epoch = now.epochs[at(world, router, freed.entry)] + (now.phase == SETUP)
    if router != group.root or freed.entry != group.entry(router):
        return
    if rules.freed_epoch and (freed.epoch - epoch) % rules.epochs:
        return
    if freed.instance != instance:
        raise Violation("FREED of another instance is believed")
    if now.phase == RUN:
        next_group(world, manager, now.place + 1)
    else:
        world.managers[manager] = now._replace(freed=1)


def is_former(world: SetUp, manager: int, freed: Reply) -> bool:
    """Return whether FREED is of a former group of its entry, or of none that is awaited."""
    now = world.managers[manager]
    return now.phase in (KILL, OVER) or freed.instance != instance_of(world, manager)


def events(world: SetUp, manager: int) -> list[Event]:
    """Return what software may do of itself."""
    now = world.managers[manager]
    if now.phase == RUN:
        return [("software", manager, "kill")] if _may_kill(world, manager) else []
    if now.phase == SETUP and now.refusal and not now.awaited:
        return [("software", manager, "again"), ("software", manager, "give up")]
    if not now.awaited or not may_abort(world, manager):
        return []
    how = ["same", "kill"] if now.phase == SETUP else ["same"]
    if now.phase == SETUP and not world.scenario.rules.kills_before_reuse:
        how.append("other")
    if not is_under_way(world, manager):
        return [("software", manager, "abort", choice, 0) for choice in how]
    if not world.left[1]:
        return []
    cuts = range(unserved(world, manager) + 1)
    return [("software", manager, "abort", choice, cut) for choice in how for cut in cuts]


def act(world: SetUp, manager: int, what: str, how: str = "", cut: int = 0) -> None:
    """Let software do what :func:`events` offered."""
    now = world.managers[manager]
    if what == "kill":
        world.spoiled |= 1 << number_of(world, manager)
        world.managers[manager] = now._replace(phase=KILL)
        send(world, manager)
        return
    if what == "again":
        _again(world, manager)
        return
    if what == "give up":
        world.spoiled |= 1 << number_of(world, manager)
        world.managers[manager] = assume_done(world, manager, now)._replace(phase=KILL)
        send(world, manager)
        return
    if is_under_way(world, manager):
        world.left[1] -= 1
    withdraw(world, manager, cut)
    now = now._replace(
        tag=(now.tag + 1) % world.scenario.rules.tags, awaited=0, refusal=(), part=0, again=1
    )
    if how == "kill":
        world.spoiled |= 1 << number_of(world, manager)
        now = assume_done(world, manager, now)._replace(phase=KILL)
    world.managers[manager] = now
    if how == "other":
        world.spoiled |= 1 << number_of(world, manager)
        next_group(world, manager, now.place + 1)
    else:
        send(world, manager)


def _end_part(world: SetUp, manager: int) -> None:
    """Go on after the last reply of a part."""
    now, rules = world.managers[manager], world.scenario.rules
    if now.phase == KILL:
        _end_kill(world, manager)
    elif now.refusal:
        _refused(world, manager)
    elif now.part == 0 and rules.awaits:
        world.managers[manager] = now._replace(part=1)
        send(world, manager)
    else:
        _done(world, manager)


def _done(world: SetUp, manager: int) -> None:
    now, group = world.managers[manager], group_of(world, manager)
    instance = instance_of(world, manager)
    for router in group.routers:
        k = at(world, router, group.entry(router))
        entry = world.entries[k]
        if entry.epoch != now.epochs[k] + 1 or (entry.alive and entry.instance != instance):
            raise Violation("SETUP is done, but not at all routers")
    _started(world, manager)


def _started(world: SetUp, manager: int) -> None:
    now = world.managers[manager]
    freed = now.freed
    world.managers[manager] = assume_done(world, manager, now)._replace(
        phase=RUN, freed=0, again=0, part=0
    )
    if freed:
        next_group(world, manager, now.place + 1)


def _again(world: SetUp, manager: int) -> None:
    """Give the same SETUP again."""
    world.managers[manager] = world.managers[manager]._replace(part=0)
    send(world, manager)


def _refused(world: SetUp, manager: int) -> None:
    now, rules = world.managers[manager], world.scenario.rules
    code, router, epoch = now.refusal
    if code == Code.BUSY and rules.again:
        if not group_of(world, manager).kill:
            _again(world, manager)
    elif code == Code.ENDED and now.again:
        _started(world, manager)
    else:
        # KILL with the epochs that SETUP would have made; then the group is set up anew.
        if code in (Code.EPOCH, Code.ENDED):
            now = believe(world, now, router, group_of(world, manager).entry(router), epoch)
        now = assume_done(world, manager, now)
        world.managers[manager] = now._replace(phase=KILL, rebuild=1, part=0, freed=0)
        send(world, manager)


def _end_kill(world: SetUp, manager: int) -> None:
    now, group = world.managers[manager], group_of(world, manager)
    if now.refusal:
        send(world, manager)
        return
    for router in group.routers:
        entry = world.entries[at(world, router, group.entry(router))]
        if entry.alive and entry.instance // ATTEMPTS == number_of(world, manager):
            raise Violation("KILL is done, but an entry is alive")
    if not now.rebuild:
        next_group(world, manager, now.place + 1)
    elif now.attempt + 1 == ATTEMPTS:
        raise Violation("a group is set up again and again")
    else:
        world.managers[manager] = now._replace(
            attempt=now.attempt + 1, phase=SETUP, rebuild=0, again=0
        )
        send(world, manager)


def _may_kill(world: SetUp, manager: int) -> bool:
    """Return whether software has a reason to kill a group that runs.

    It wants to; or a process has reported that it is broken; or it has waited for too long for
    FREED, which was lost.
    """
    group, n = group_of(world, manager), world.scenario.routers
    if group.kill or world.spoiled >> number_of(world, manager) & 1:
        return True
    root = world.entries[at(world, group.root, group.entry(group.root))]
    gone = not root.alive or root.instance != instance_of(world, manager)
    k = manager * n + group.root
    under_way = (*world.freed[k], *world.replies[k])
    lost = world.left[0] < world.scenario.losses
    return lost and gone and all(reply.code != Code.FREED for reply in under_way)
