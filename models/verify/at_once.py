"""What of set-up may as well happen at once, so that fewer states need to be visited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.verify import software
from syncfabric.models.verify.packets import Code, Operation

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
    - SETUP, but not START, and KILL of an entry that is not alive: no message changes one.

    Every chain ends, as each of them takes a packet or a message away, and no router sends more.
    """
    scenario, rules = world.scenario, world.scenario.rules
    n, entries = scenario.routers, scenario.entries
    if rules.epochs >= rules.under_way:
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
    if not calm:
        return None
    for k, requests in enumerate(world.requests):
        if requests and requests[0].operation in (Operation.SETUP, Operation.KILL):
            entry = world.entries[k % n * entries + requests[0].entry]
            if not entry.alive and world.may_serve(k % n, requests[0]):
                return "sink", k // n, k % n
    return None
