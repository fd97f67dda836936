"""How many packets a group costs: two a router to set up, two to kill, one FREED."""

import random
from collections import Counter
from collections.abc import Callable

import pytest

from tests.models.verify.scenario import Group, Scenario
from tests.models.verify.setup import SetUp


@pytest.mark.parametrize("routers", [1, 4, 13, 34, 59])
@pytest.mark.parametrize("kill", [False, True], ids=["LAST", "KILL"])
def test_packets(routers: int, kill: bool, record_property: Callable[[str, object], None]) -> None:
    rng = random.Random(routers)
    tree = {router: rng.randrange(router) if router else 0 for router in range(routers)}
    group = Group(tree, tuple(tree), kill=kill)
    state, packets = SetUp(Scenario(routers, (group,), ((0,),))), Counter[str]()
    while events := state.events():
        # Requests and replies first, so that KILL comes before the group ends by itself.
        event = min(events, key=lambda event: (event[0] in ("arrive", "freed"), rng.random()))
        packets[event[0]] += 1
        state.apply(event)
    state.check_end()
    commands = 2 if kill else 1
    assert packets["reply"] == commands * routers
    assert packets["obey"] == commands * routers + 1, "START is two accesses"
    assert packets["freed"] == (0 if kill else 1)
    if not kill:
        record_property(
            "coverage",
            f"set-up, tree of {routers} routers: {2 * routers} packets to set up, 1 FREED, "
            f"or {2 * routers} to kill",
        )
