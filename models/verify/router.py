"""Routers: messages at entries and on links (engine E4, E6, E12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.verify import node
from syncfabric.models.verify.entry import BROKEN, LAST, Entry, Message, kill, serve
from syncfabric.models.verify.explorer import Violation
from syncfabric.models.verify.packets import Code, Reply
from syncfabric.models.verify.scenario import ATTEMPTS

if TYPE_CHECKING:
    from syncfabric.models.verify.setup import SetUp

__all__ = ["arrive", "end", "is_watched", "take"]


def take(world: SetUp, i: int, x: int, port: int, message: Message) -> bool:
    """Serve a message at entry x of router i; return whether it changed it."""
    k, rules = i * world.scenario.entries + x, world.scenario.rules
    entry = world.entries[k]
    fired = serve(entry, port, message, modulo=rules.epochs, whole=rules.whole, anded=rules.anded)
    if fired is None:
        return False
    _fire(world, i, x, entry, *fired)
    return True


def arrive(world: SetUp, i: int, x: int) -> None:
    """Let a process arrive."""
    message = node.arrive(world, i, x)
    if message is None:
        return
    if world.scenario.linked:
        world.up[i * world.scenario.entries + x] += (message,)
    else:
        take(world, i, x, 1 << world.scenario.routers, message)


def end(world: SetUp, i: int, x: int) -> None:
    """End an entry that is alive by KILL, or by its watchdog."""
    entry = world.entries[i * world.scenario.entries + x]
    _fire(world, i, x, entry, *kill(entry))


def is_watched(world: SetUp, entry: Entry) -> bool:
    """Return whether an entry waits in vain: then its own watchdog ends it, too (E3.2, E8)."""
    waits = not entry.fresh or (entry.turn and entry.last and entry.image.parent)
    spoiled = world.spoiled >> entry.instance // ATTEMPTS & 1
    return bool(world.scenario.drops and waits and spoiled)


def _fire(
    world: SetUp, i: int, x: int, before: Entry, after: Entry, to: int, kind: int, data: int
) -> None:
    n, entries = world.scenario.routers, world.scenario.entries
    world.entries[i * entries + x] = after
    for j in range(n):
        if to >> j & 1:
            entry, epoch = before.image.names[j]
            k = (i * n + j) * entries + entry
            world.links[k] += (Message(epoch, kind, data, before.instance),)
            _measure(world, k)
    if to >> n & 1:
        message = Message(before.epoch, kind, data, before.instance)
        if world.scenario.linked:
            world.down[i * entries + x] += (message,)
        else:
            node.take(world, i, x, message)
    if kind == LAST and not after.alive and not before.image.parent:
        freed = Reply(Code.FREED, -1, x, before.epoch, before.instance)
        channels = world.replies if world.scenario.rules.freed_in_order else world.freed
        channels[world.scenario.owner(x) * n + i] += (freed,)


def _measure(world: SetUp, k: int) -> None:
    """Check E12.1 on a link, and measure what former instances left there."""
    instances = [message.instance for message in world.links[k] if message.kind != BROKEN]
    if len(set(instances)) < len(instances):
        raise Violation("two messages of one instance are unmerged on a link")
    world.most["left over"] = max(world.most["left over"], len(instances) - 1)
