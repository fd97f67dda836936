"""A queue of GIDs against Python's, until it is full, and until it is empty again."""

import random
from collections import deque

from syncfabric.rtl.parts.gid_queue import GidQueue
from tests.rtl.support import SEED, clocked


def test_gids_come_out_in_order_and_all_256_fit() -> None:
    rng, model = random.Random(SEED), deque[int]()
    expected: list[tuple[bool, bool, int | None]] = []
    popped: int | None = None
    cases, full = [], 0
    for cycle in range(1500):
        grows = cycle // 400 % 2 == 0
        push = len(model) < 256 and rng.random() < (0.95 if grows else 0.1)
        pop = len(model) > 0 and rng.random() < (0.1 if grows else 0.95)
        gid = rng.randrange(256)
        cases.append({"push": push, "pop": pop, "gid": gid})
        expected.append((len(model) > 0, len(model) == 256, popped))
        full += len(model) == 256
        popped = model.popleft() if pop else None
        if push:
            model.append(gid)
    assert full
    for out, (some, is_full, oldest) in zip(clocked(GidQueue(), cases), expected, strict=True):
        assert (out["some"], out["full"]) == (some, is_full)
        assert oldest in (None, out["oldest"])
