"""What a spill engine accepts first, and that all others have their turn."""

import random

import pytest

from syncfabric.rtl.spill.turn import OperationTurn
from tests.rtl.support import SEED, clocked

FIRST = (
    ("fetch", "fetches"),
    ("report", "reports"),
    ("config", "configures"),
    ("access", "makes_access"),
)


@pytest.mark.parametrize(("process", "sink"), [(True, True), (True, False), (False, True)])
def test_in_the_contracts_order(process: bool, sink: bool) -> None:
    rng, links, pointer = random.Random(SEED), 3, 0
    asks = [pair for pair in FIRST if sink or pair[0] not in ("report", "access")]
    cases, expected = [], []
    for _ in range(600):
        case = {name: int(rng.random() < 0.15) for name, _ in asks}
        case |= {"idle": int(rng.random() < 0.8), "here": rng.randrange(1 << links)}
        waiting = {p for p in range(links) if case["here"] >> p & 1}
        if process:
            case["local"] = rng.randrange(2)
            waiting |= {links} if case["local"] else set()
        wanted = dict.fromkeys([name for _, name in FIRST] + ["take", "takes_local"], 0)
        first = next((done for name, done in asks if case[name]), None)
        count = links + process
        if case["idle"] and first:
            wanted[first] = 1
        elif case["idle"] and waiting:
            number = min(waiting, key=lambda p: (p - pointer) % count)
            pointer = (number + 1) % count
            wanted |= {"takes_local": 1} if number == links else {"take": 1 << number}
        wanted["accepts"] = int(any(wanted.values()))
        cases.append(case)
        expected.append(wanted)
    assert clocked(OperationTurn(links, process=process, sink=sink), cases) == expected
