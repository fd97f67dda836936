"""A manager and its software (networks N5, N6).

A manager has one command at a time; its requests leave in order, and its software reads of the
replies what STATUS shows: the first refusal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from syncfabric.models.verify.entry import Image
from syncfabric.models.verify.explorer import Event, Violation
from syncfabric.models.verify.packets import Code, Operation, Reply, Request
from syncfabric.models.verify.scenario import ATTEMPTS, Group

if TYPE_CHECKING:
    from syncfabric.models.verify.setup import SetUp

__all__ = [
    "START",
    "Manager",
    "act",
    "events",
    "is_former",
    "is_over",
    "is_under_way",
    "next_group",
    "take_freed",
    "take_reply",
]

SETUP, RUN, KILL, OVER = range(4)


class Manager(NamedTuple):
    """What a manager and its software know.

    Attributes
    ----------
    place, attempt : int
        The group of the script, and how often it was set up anew.
    phase : int
        SETUP, KILL: a command runs; RUN: the group was started.
    epochs : tuple[int, ...]
        Believed epochs of all entries before the command.
    part, awaited : int
        The part of SETUP that runs; replies that are awaited.
    refusal : tuple[int, ...]
        Code, router and epoch of the first refusal.
    tag : int
        Changes with ABORT.
    again : int
        The command is given again after ABORT.
    freed : int
        FREED came before START's OK.
    rebuild : int
        After KILL the same group is set up again.
    """

    place: int = 0
    attempt: int = 0
    phase: int = OVER
    epochs: tuple[int, ...] = ()
    part: int = 0
    awaited: int = 0
    refusal: tuple[int, ...] = ()
    tag: int = 0
    again: int = 0
    freed: int = 0
    rebuild: int = 0


START = Manager()


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
    _send(world, manager)


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
    group, instance = _group(world, manager), _instance(world, manager)
    epoch = now.epochs[_at(world, router, freed.entry)] + (now.phase == SETUP)
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
    return now.phase in (KILL, OVER) or freed.instance != _instance(world, manager)


def events(world: SetUp, manager: int) -> list[Event]:
    """Return what software may do of itself."""
    now = world.managers[manager]
    if now.phase == RUN:
        return [("software", manager, "kill")] if _may_kill(world, manager) else []
    if now.phase == SETUP and now.refusal and not now.awaited:
        return [("software", manager, "again"), ("software", manager, "give up")]
    if not now.awaited or not _may_abort(world, manager):
        return []
    how = ["same", "kill"] if now.phase == SETUP else ["same"]
    if now.phase == SETUP and not world.scenario.rules.kills_before_reuse:
        how.append("other")
    if not is_under_way(world, manager):
        return [("software", manager, "abort", choice, 0) for choice in how]
    if not world.left[1]:
        return []
    cuts = range(_unserved(world, manager) + 1)
    return [("software", manager, "abort", choice, cut) for choice in how for cut in cuts]


def act(world: SetUp, manager: int, what: str, how: str = "", cut: int = 0) -> None:
    """Let software do what :func:`events` offered."""
    now = world.managers[manager]
    if what == "kill":
        world.spoiled |= 1 << _number(world, manager)
        world.managers[manager] = now._replace(phase=KILL)
        _send(world, manager)
        return
    if what == "again":
        _again(world, manager)
        return
    if what == "give up":
        world.spoiled |= 1 << _number(world, manager)
        world.managers[manager] = _assume_done(world, manager, now)._replace(phase=KILL)
        _send(world, manager)
        return
    if is_under_way(world, manager):
        world.left[1] -= 1
    part = _part(world, manager)
    for router in part[len(part) - cut :]:
        k = manager * world.scenario.routers + router
        world.requests[k] = world.requests[k][:-1]
    now = now._replace(
        tag=(now.tag + 1) % world.scenario.rules.tags, awaited=0, refusal=(), part=0, again=1
    )
    if how == "kill":
        world.spoiled |= 1 << _number(world, manager)
        now = _assume_done(world, manager, now)._replace(phase=KILL)
    world.managers[manager] = now
    if how == "other":
        world.spoiled |= 1 << _number(world, manager)
        next_group(world, manager, now.place + 1)
    else:
        _send(world, manager)


def _number(world: SetUp, manager: int) -> int:
    return world.scenario.managers[manager][world.managers[manager].place]


def _group(world: SetUp, manager: int) -> Group:
    return world.scenario.groups[_number(world, manager)]


def _instance(world: SetUp, manager: int) -> int:
    return _number(world, manager) * ATTEMPTS + world.managers[manager].attempt


def _at(world: SetUp, router: int, entry: int) -> int:
    return router * world.scenario.entries + entry


def _believe(world: SetUp, now: Manager, router: int, entry: int, epoch: int) -> Manager:
    epochs = list(now.epochs)
    epochs[_at(world, router, entry)] = epoch
    return now._replace(epochs=tuple(epochs))


def _assume_done(world: SetUp, manager: int, now: Manager) -> Manager:
    """Return what software knows if all SETUPs of a command were obeyed."""
    group = _group(world, manager)
    for router in group.routers:
        x = group.entry(router)
        now = _believe(world, now, router, x, now.epochs[_at(world, router, x)] + 1)
    return now


def _part(world: SetUp, manager: int) -> tuple[int, ...]:
    """Return the routers to which the part of the command that runs is sent."""
    now, rules, routers = (
        world.managers[manager],
        world.scenario.rules,
        _group(world, manager).routers,
    )
    if now.phase == KILL or not rules.awaits:
        return routers
    others, root = routers[:-1], routers[-1:]
    return (others, root)[now.part] if rules.root_last else (root, others)[now.part]


def _send(world: SetUp, manager: int) -> None:
    """Send the requests of a part, or of the next one if it has none."""
    now, group = world.managers[manager], _group(world, manager)
    part = _part(world, manager)
    if not part:
        world.managers[manager] = now._replace(part=1)
        part = _part(world, manager)
    epochs = {router: now.epochs[_at(world, router, group.entry(router))] for router in group.tree}
    after = {router: epoch + 1 for router, epoch in epochs.items()}
    for router in part:
        image = Image(0, 0, ())
        if now.phase == KILL:
            operation = Operation.KILL
        else:
            operation = Operation.START if router == group.root else Operation.SETUP
            image = group.image(router, world.scenario.routers, after)
        world.requests[manager * world.scenario.routers + router] += (
            Request(
                operation,
                now.tag,
                group.entry(router),
                epochs[router],
                _instance(world, manager),
                image,
            ),
        )
    world.managers[manager] = world.managers[manager]._replace(awaited=len(part), refusal=())


def _end_part(world: SetUp, manager: int) -> None:
    """Go on after the last reply of a part."""
    now, rules = world.managers[manager], world.scenario.rules
    if now.phase == KILL:
        _end_kill(world, manager)
    elif now.refusal:
        _refused(world, manager)
    elif now.part == 0 and rules.awaits:
        world.managers[manager] = now._replace(part=1)
        _send(world, manager)
    else:
        _done(world, manager)


def _done(world: SetUp, manager: int) -> None:
    now, group = world.managers[manager], _group(world, manager)
    for router in group.routers:
        x = group.entry(router)
        entry, expected = (
            world.entries[_at(world, router, x)],
            now.epochs[_at(world, router, x)] + 1,
        )
        if entry.epoch != expected or (entry.alive and entry.instance != _instance(world, manager)):
            raise Violation("SETUP is done, but not at all routers")
    _started(world, manager)


def _started(world: SetUp, manager: int) -> None:
    now = world.managers[manager]
    freed = now.freed
    world.managers[manager] = _assume_done(world, manager, now)._replace(
        phase=RUN, freed=0, again=0, part=0
    )
    if freed:
        next_group(world, manager, now.place + 1)


def _again(world: SetUp, manager: int) -> None:
    """Give the same SETUP again."""
    world.managers[manager] = world.managers[manager]._replace(part=0)
    _send(world, manager)


def _refused(world: SetUp, manager: int) -> None:
    now, rules = world.managers[manager], world.scenario.rules
    code, router, epoch = now.refusal
    if code == Code.BUSY and rules.again:
        if not _group(world, manager).kill:
            _again(world, manager)
    elif code == Code.ENDED and now.again:
        _started(world, manager)
    else:
        # KILL with the epochs that SETUP would have made; then the group is set up anew.
        if code in (Code.EPOCH, Code.ENDED):
            now = _believe(world, now, router, _group(world, manager).entry(router), epoch)
        now = _assume_done(world, manager, now)
        world.managers[manager] = now._replace(phase=KILL, rebuild=1, part=0, freed=0)
        _send(world, manager)


def _end_kill(world: SetUp, manager: int) -> None:
    now, group = world.managers[manager], _group(world, manager)
    if now.refusal:
        _send(world, manager)
        return
    for router in group.routers:
        entry = world.entries[_at(world, router, group.entry(router))]
        if entry.alive and entry.instance // ATTEMPTS == _number(world, manager):
            raise Violation("KILL is done, but an entry is alive")
    if not now.rebuild:
        next_group(world, manager, now.place + 1)
    elif now.attempt + 1 == ATTEMPTS:
        raise Violation("a group is set up again and again")
    else:
        world.managers[manager] = now._replace(
            attempt=now.attempt + 1, phase=SETUP, rebuild=0, again=0
        )
        _send(world, manager)


def _may_kill(world: SetUp, manager: int) -> bool:
    """Return whether software has a reason to kill a group that runs.

    It wants to; or a process has reported that it is broken; or it has waited for too long for
    FREED, which was lost.
    """
    group, n = _group(world, manager), world.scenario.routers
    if group.kill or world.spoiled >> _number(world, manager) & 1:
        return True
    root = world.entries[_at(world, group.root, group.entry(group.root))]
    gone = not root.alive or root.instance != _instance(world, manager)
    at = manager * n + group.root
    under_way = (*world.freed[at], *world.replies[at])
    return gone and all(reply.code != Code.FREED for reply in under_way)


def _under_way(world: SetUp, manager: int, tag: int) -> int:
    """Return how many requests and replies of a tag are under way."""
    n = world.scenario.routers
    return sum(
        packet.tag == tag
        for channels in (world.requests, world.replies)
        for packets in channels[manager * n : manager * n + n]
        for packet in packets
    )


def is_under_way(world: SetUp, manager: int) -> bool:
    """Return whether all that the command awaits is on its way."""
    now = world.managers[manager]
    return _under_way(world, manager, now.tag) >= now.awaited


def _may_abort(world: SetUp, manager: int) -> bool:
    """Return whether the next tag is free, as is assumed."""
    tags, tag = world.scenario.rules.tags, world.managers[manager].tag
    return tags == 1 or not _under_way(world, manager, (tag + 1) % tags)


def _unserved(world: SetUp, manager: int) -> int:
    """Return how many of the last requests have not been served: ABORT may have been before."""
    now, n = world.managers[manager], world.scenario.routers
    count = 0
    for router in reversed(_part(world, manager)):
        requests = world.requests[manager * n + router]
        if not requests or requests[-1].tag != now.tag or requests[-1].operation == Operation.GO:
            break
        count += 1
    return count
