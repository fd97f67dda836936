"""Sinks: what becomes of a request at a router (networks N4, engine E7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.verify import router
from syncfabric.models.verify.entry import GO, Entry, Message
from syncfabric.models.verify.explorer import Violation
from syncfabric.models.verify.packets import Code, Operation, Reply, Request
from syncfabric.models.verify.scenario import ATTEMPTS

if TYPE_CHECKING:
    from syncfabric.models.verify.setup import SetUp

__all__ = ["may_serve", "serve"]


def may_serve(world: SetUp, i: int, request: Request) -> bool:
    """Return whether the assumption on messages under way lets a request be served."""
    scenario, x = world.scenario, request.entry
    n, entries = scenario.routers, scenario.entries
    k = i * entries + x
    if request.operation == Operation.KILL or world.entries[k].alive:
        return True
    oldest = world.entries[k].epoch + 1 - scenario.rules.under_way
    return not (
        any(m.epoch <= oldest for j in range(n) for m in world.links[(j * n + i) * entries + x])
        or any(m.epoch <= oldest for m in (*world.down[k], *world.up[k]))
        or any(
            freed.entry == x and freed.epoch <= oldest + 1
            for freed in world.freed[scenario.owner(x) * n + i]
        )
    )


def serve(world: SetUp, manager: int, i: int) -> None:
    """Serve the request of a manager that has come to router i."""
    scenario, k = world.scenario, manager * world.scenario.routers + i
    request, *rest = world.requests[k]
    world.requests[k] = tuple(rest)
    if scenario.rules.shares and scenario.owner(request.entry) != manager:
        code = Code.DENIED
    elif request.operation == Operation.KILL:
        code = _kill(world, i, manager, request)
    elif request.operation == Operation.GO:
        code = _go(world, i, request)
    else:
        code = _set_up(world, i, manager, request)
        if code == Code.OK and request.operation == Operation.START:
            # The second access of N4.5: anything may come between.
            request = request._replace(operation=Operation.GO)
            world.requests[k] = (request, *world.requests[k])
            return
    world.most[code.name] = 1
    epoch = world.entries[i * scenario.entries + request.entry].epoch
    world.replies[k] += (Reply(code, request.tag, request.entry, epoch, request.instance),)


def _same(world: SetUp, one: int, other: int) -> bool:
    return (one - other) % world.scenario.rules.epochs == 0


def _go(world: SetUp, i: int, request: Request) -> Code:
    entry = world.entries[i * world.scenario.entries + request.entry]
    go = Message(request.epoch + 1, GO, 0, request.instance)
    done = entry.alive and _same(world, entry.epoch, go.epoch)
    return Code.OK if router.take(world, i, request.entry, 0, go) or done else Code.ENDED


def _set_up(world: SetUp, i: int, manager: int, request: Request) -> Code:
    at, rules = i * world.scenario.entries + request.entry, world.scenario.rules
    entry, parent = world.entries[at], request.image.parent
    done = _same(world, entry.epoch, request.epoch + 1)
    if entry.alive and (rules.busy or done):
        return Code.OK if done else Code.BUSY
    if not _same(world, entry.epoch, request.epoch):
        return Code.ENDED if done and rules.ended else Code.EPOCH
    _check_owner(world, request.entry, manager)
    world.entries[at] = Entry(
        entry.epoch + 1, 1, request.instance, request.image, parent, turn=1, last=0, fresh=1
    )
    return Code.OK


def _kill(world: SetUp, i: int, manager: int, request: Request) -> Code:
    at, rules = i * world.scenario.entries + request.entry, world.scenario.rules
    entry = world.entries[at]
    if entry.alive and rules.kill_epoch and not _same(world, entry.epoch, request.epoch):
        return Code.DENIED
    _check_owner(world, request.entry, manager)
    if not entry.alive:
        if rules.kill_sets:
            world.entries[at] = Entry(request.epoch)
        return Code.OK
    if entry.instance // ATTEMPTS != request.instance // ATTEMPTS:
        raise Violation("KILL ends another group")
    router.end(world, i, request.entry)
    return Code.OK


def _check_owner(world: SetUp, x: int, manager: int) -> None:
    if world.scenario.owner(x) != manager:
        raise Violation("a manager changes an entry that is not its own")
