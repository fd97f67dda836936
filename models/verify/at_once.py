"""What of set-up may as well happen at once, so that fewer states need to be visited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.verify import sink, software
from syncfabric.models.verify.manager import is_under_way
from syncfabric.models.verify.packets import Code, Operation, Request
from syncfabric.models.verify.scenario import ATTEMPTS

if TYPE_CHECKING:
    from syncfabric.models.verify.explorer import Event
    from syncfabric.models.verify.setup import SetUp

__all__ = ["at_once"]


def at_once(world: SetUp) -> Event | None:
    """Return an event that nothing prevents, and that commutes with all that may come before it.

    - A message that is older than its entry changes nothing, now or later: an epoch comes again
      only after ``under_way`` set-ups, and while it is on its way there are fewer.
    - A reply of an aborted command, and FREED of a former instance, are ignored.

    And while nothing more can be lost or aborted:

    - A reply: a manager that awaits it does nothing else, FREED comes to the same before and after
      it, and of several refusals only the first counts, so two of them are no such event.
    - KILL of an entry that is not alive: no message changes it before or after.
    - SETUP, but not START, of an entry that is not alive, for a command of which nothing was lost,
      of a group that nothing has broken or can break: its routers send nothing before its START.

    All of this needs the rules that keep old and new messages apart; without them only replies and
    FREED happen at once. Every chain ends: each event takes a packet or a message away, and makes
    no router send a message.
    """
    scenario, rules = world.scenario, world.scenario.rules
    n, entries = scenario.routers, scenario.entries
    apart = rules.awaits and rules.root_last and rules.kill_sets and rules.epochs >= rules.under_way
    if apart:
        for k, messages in enumerate(world.links):
            if messages:
                j, x = k // entries % n, k % entries
                entry = world.entries[j * entries + x]
                if messages[0].epoch < entry.epoch + (not entry.alive):
                    return "serve", k // entries // n, j, x
    calm = not world.left[0] and not world.left[1]
    for k, replies in enumerate(world.replies):
        if not replies or replies[0].code == Code.FREED:
            continue
        now = world.managers[k // n]
        if not now.awaited or replies[0].tag != now.tag:
            return "reply", k // n, k % n
        if calm and (replies[0].code == Code.OK or now.awaited == 1 or now.refusal):
            return "reply", k // n, k % n
    for k, freed in enumerate(world.freed):
        if freed and rules.freed_epoch and software.is_former(world, k // n, freed[0]):
            return "freed", k // n, k % n
    if not (calm and apart):
        return None
    for k, requests in enumerate(world.requests):
        if requests and _may_be_served(world, k // n, k % n, requests[0]):
            return "sink", k // n, k % n
    return None


def _may_be_served(world: SetUp, manager: int, router: int, request: Request) -> bool:
    entry = world.entries[router * world.scenario.entries + request.entry]
    if entry.alive or not sink.may_serve(world, router, request):
        return False
    if request.operation == Operation.KILL:
        return True
    if request.operation != Operation.SETUP or request.instance < 0:
        return False
    broken = world.left[2] or world.spoiled >> request.instance // ATTEMPTS & 1
    runs = request.tag == world.managers[manager].tag and is_under_way(world, manager)
    return runs and not broken
