"""A manager (networks N5): what it knows, and the requests of its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from syncfabric.models.verify.entry import Image
from syncfabric.models.verify.packets import Operation, Request
from syncfabric.models.verify.scenario import ATTEMPTS, Group

if TYPE_CHECKING:
    from syncfabric.models.verify.setup import SetUp

__all__ = [
    "KILL",
    "OVER",
    "RUN",
    "SETUP",
    "START",
    "Manager",
    "assume_done",
    "at",
    "believe",
    "group_of",
    "instance_of",
    "is_under_way",
    "may_abort",
    "number_of",
    "send",
    "unserved",
    "withdraw",
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


def number_of(world: SetUp, manager: int) -> int:
    """Return the number of the manager's group."""
    return world.scenario.managers[manager][world.managers[manager].place]


def group_of(world: SetUp, manager: int) -> Group:
    """Return the manager's group."""
    return world.scenario.groups[number_of(world, manager)]


def instance_of(world: SetUp, manager: int) -> int:
    """Return the number of the instance that the manager sets up, runs or kills."""
    return number_of(world, manager) * ATTEMPTS + world.managers[manager].attempt


def at(world: SetUp, router: int, entry: int) -> int:
    """Return the place of a router's entry in the lists of entries."""
    return router * world.scenario.entries + entry


def believe(world: SetUp, now: Manager, router: int, entry: int, epoch: int) -> Manager:
    """Return a manager that believes an entry to have an epoch."""
    epochs = list(now.epochs)
    epochs[at(world, router, entry)] = epoch
    return now._replace(epochs=tuple(epochs))


def assume_done(world: SetUp, manager: int, now: Manager) -> Manager:
    """Return what software knows if all SETUPs of a command were obeyed."""
    group = group_of(world, manager)
    for router in group.routers:
        x = group.entry(router)
        now = believe(world, now, router, x, now.epochs[at(world, router, x)] + 1)
    return now


def _part(world: SetUp, manager: int) -> tuple[int, ...]:
    """Return the routers to which the part of the command that runs is sent."""
    now, rules, routers = (
        world.managers[manager],
        world.scenario.rules,
        group_of(world, manager).routers,
    )
    if now.phase == KILL or not rules.awaits:
        return routers
    others, root = routers[:-1], routers[-1:]
    return (others, root)[now.part] if rules.root_last else (root, others)[now.part]


def send(world: SetUp, manager: int) -> None:
    """Send the requests of a part, or of the next one if it has none."""
    now, group = world.managers[manager], group_of(world, manager)
    part = _part(world, manager)
    if not part:
        world.managers[manager] = now._replace(part=1)
        part = _part(world, manager)
    epochs = {router: now.epochs[at(world, router, group.entry(router))] for router in group.tree}
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
                instance_of(world, manager),
                image,
            ),
        )
    world.managers[manager] = world.managers[manager]._replace(awaited=len(part), refusal=())


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


def may_abort(world: SetUp, manager: int) -> bool:
    """Return whether the next tag is free, as is assumed."""
    tags, tag = world.scenario.rules.tags, world.managers[manager].tag
    return tags == 1 or not _under_way(world, manager, (tag + 1) % tags)


def unserved(world: SetUp, manager: int) -> int:
    """Return how many of the last requests have not been served: ABORT may have been before."""
    now, n = world.managers[manager], world.scenario.routers
    count = 0
    for router in reversed(_part(world, manager)):
        requests = world.requests[manager * n + router]
        if not requests or requests[-1].tag != now.tag or requests[-1].operation == Operation.GO:
            break
        count += 1
    return count


def withdraw(world: SetUp, manager: int, count: int) -> None:
    """Take back the last requests of a part, which ABORT kept from being sent."""
    part = _part(world, manager)
    for router in part[len(part) - count :]:
        k = manager * world.scenario.routers + router
        world.requests[k] = world.requests[k][:-1]
