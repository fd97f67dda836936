"""Networks with barrier wires sleep over cycles in which nothing happens, and say how long."""

import random
from itertools import product
from typing import Any

import pytest

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.traffic import rate_word
from tests.models.golden.wire_bench import WireBench, mesh_keys, switch_keys
from tests.models.golden.wire_nets import wires_in

GROUPS = {3: (0, 1, 2, 3, 4), 5: (1, 3), 7: (0, 4)}
END = 3000


class Play:
    """A run by chance, in which cycles are slept over or not."""

    def __init__(self, keys: dict[str, Any], seed: str, traffic: int) -> None:
        rng = random.Random(seed)
        self.traffic = traffic
        self.made = WireBench(keys, GROUPS)
        self.made.write()
        self.model = self.made.model
        begin = self.model.cycle
        self.arrivals: dict[int, dict[tuple[int, int], int]] = {}
        for _ in range(300):
            group = self.made.groups[rng.choice(list(GROUPS))]
            node = rng.choice(self.made.members(group))
            at = rng.randrange(begin + 1, END)
            self.arrivals.setdefault(at, {})[node, group.number] = rng.getrandbits(4)
        writes = self.made.writes_of(GROUPS)
        self.configs = {}
        for _ in range(4):
            target, address, word = rng.choice(writes)
            at = rng.randrange(begin + 1, END - 100)
            self.configs[at] = ConfigRequest(target, address // 8 * 8, True, 0)
            self.configs[at + 60] = ConfigRequest(target, address, True, word)
        self.lines: list[tuple[int, Record | None, Any, Any]] = []
        self.steps = 0

    def step(self) -> None:
        model, now = self.model, self.model.cycle
        seen = model.release, model.config_answer
        config, arrive = self.configs.get(now), self.arrivals.get(now, {})
        traffic = self.traffic
        load = 5 if traffic and not self.steps else None
        record = model.step(
            arrive=arrive, config=config, load=load, enable=traffic > 0, rate=traffic
        )
        self.steps += 1
        if record is not None or seen[0] or seen[1][0]:
            self.lines.append((now, record, *seen))

    def run(self, *, sleeps: bool) -> "Play":
        model, enable = self.model, bool(self.traffic)
        events = sorted({*self.configs, *self.arrivals, END})
        while model.cycle < END:
            now = model.cycle
            if sleeps and self.steps:
                while events[0] < now:
                    events.pop(0)
                wake = model.idle_until(enable=enable, rate=self.traffic)
                until = events[0] if wake is None else min(wake, events[0])
                if until > now:
                    model.skip(until - now, enable=enable)
                    continue
            self.step()
        return self


CASES = [
    (kind, sync, channels, watchdog)
    for kind, sync, channels, watchdog in product(
        ("mesh", "irregular"), ("wires", "both"), (0, 1), (0, 300)
    )
    if channels or sync == "wires"
]


@pytest.mark.parametrize(("kind", "sync", "channels", "watchdog"), CASES)
def test_sleeping_changes_nothing(kind: str, sync: str, channels: int, watchdog: int) -> None:
    keys = mesh_keys(3, 3) if kind == "mesh" else switch_keys()
    seed = f"{kind}{sync}{channels}{watchdog}"
    rng = random.Random(seed)
    keys |= {"setup": "local", "sync": sync, "channels": channels, "watchdog": watchdog}
    keys |= {"link_registers": rng.randrange(4), "wires": rng.choice(("shared", "separate"))}
    traffic = rate_word(0.002) if channels else 0
    stepped = Play(keys, seed, traffic).run(sleeps=False)
    skipped = Play(keys, seed, traffic).run(sleeps=True)
    assert skipped.lines == stepped.lines
    assert skipped.steps < 0.9 * stepped.steps
    assert any(record and record.wires for _, record, *_ in stepped.lines)
    released = [release for _, _, release, _ in stepped.lines if release]
    assert len(released) > 3
    for target in range(9):  # routers; five nodes and four switches
        assert skipped.model.observe(target) == stepped.model.observe(target)


def test_a_wire_that_does_not_fall_is_not_slept_over() -> None:
    """Nothing changes any more, and yet the root turns bad when its `stale` ends."""
    keys = mesh_keys(2, 1) | {"setup": "local", "sync": "wires", "channels": 0}
    made = WireBench(keys | {"link_registers": 3, "watchdog": 0}, {3: (0, 1)})
    made.write()
    model, group = made.model, made.groups[3]
    assert group.tree is not None
    root = group.tree.root
    made.request(1 - root, 8 * group.number, 0)  # so that nothing else comes from there
    made.rest(20)
    wires = wires_in(model)
    # Output 0 of node 0 leads east, output 2 of node 1, which is 4 + 2, west.
    wires.stick(6 if root == 0 else 0, high=1 << wires.form.up(group.slot))
    model.step(arrive={(root, group.number): 0})
    while (wake := model.idle_until()) is not None:
        if wake > model.cycle:
            model.skip(wake - model.cycle)
        model.step()
    assert not model.ready(root, group.number)
