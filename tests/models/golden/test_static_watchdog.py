"""Nodes of static networks count who waits for too long, once a barrier."""

import pytest

from syncfabric.models.messages.registers import COUNTER_BASE, Counter
from syncfabric.models.messages.static import STATUS_WORD, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from tests.models.golden.static_bench import Bench, Group, cycle, ready_bench, ring, tree

H = 20
SPEC = StaticSpec(kind="static", width=2, height=2, watchdog=H)
STRAY = COUNTER_BASE + Counter.STRAY
GROUPS = {
    "ring": ring(cycle(2, 2)),
    "tree": tree({(1, 0): (0, 0), (0, 1): (0, 0), (1, 1): (1, 0)}, (0, 0), cycle(2, 2)),
}
LATE = 3
"""The member that does not come."""


def unexpected(bench: Bench) -> list[int]:
    """Return what each node has counted, as its agent knows it."""
    return [agent.counters[Counter.STRAY] for agent in bench.model._agents]


def begin(group: Group, spec: StaticSpec = SPEC) -> Bench:
    bench = ready_bench(spec, group)
    bench.quiesce()
    return bench


def wait(bench: Bench, cycles: int) -> None:
    for _ in range(cycles):
        bench.step()


@pytest.mark.parametrize("name", GROUPS)
def test_who_waits_is_counted_once_and_who_is_missing_can_be_read(name: str) -> None:
    bench = begin(GROUPS[name])
    bench.step(arrive={(node, 0): 0 for node in range(4) if node != LATE})
    wait(bench, H - 1)
    assert unexpected(bench) == [0] * 4
    wait(bench, 1)
    assert unexpected(bench) == [int(node != LATE) for node in range(4)]
    wait(bench, 3 * H)
    assert sum(unexpected(bench)) == 3
    missing = []
    for node, (x, y) in enumerate(SPEC.topology.nodes):
        state = STATUS_WORD.unpack(bench.request(node, StaticWord.STATUS))
        is_root = name == "tree" and (x, y) == GROUPS[name].root
        missing += [node] if not state["go" if is_root else "left"] else []
    assert missing == [LATE]
    bench.step(arrive={(LATE, 0): 0})  # nobody was let go: the barrier comes to its end
    wait(bench, 3 * H)
    assert all(bench.model.done(node) for node in range(4))
    assert bench.request(LATE, STRAY) == 0


def test_the_timeout_is_software_s_and_counts_from_the_next_barrier_on() -> None:
    bench = begin(GROUPS["ring"])
    assert bench.request(0, StaticWord.TIMEOUT) == H
    bench.step(arrive={(0, 0): 0, (1, 0): 0})
    bench.request(0, StaticWord.TIMEOUT, 5)
    bench.request(1, StaticWord.TIMEOUT, 0)
    wait(bench, H - 4)
    assert unexpected(bench) == [0] * 4
    wait(bench, 10)
    assert unexpected(bench) == [1, 1, 0, 0]
    bench.step(arrive={(2, 0): 0, (3, 0): 0})
    wait(bench, 3 * H)
    assert unexpected(bench) == [1, 1, 0, 0]
    bench.step(arrive={(0, 0): 0, (1, 0): 0})
    wait(bench, 5)
    assert unexpected(bench) == [2, 1, 0, 0]
    wait(bench, 5 * H)
    assert unexpected(bench) == [2, 1, 0, 0]


def test_a_model_that_sleeps_wakes_for_it() -> None:
    bench = begin(GROUPS["ring"])
    bench.step(arrive={(0, 0): 0})
    begun = bench.model.cycle
    while (wake := bench.model.idle_until()) is not None:
        bench.model.skip(wake - bench.model.cycle)
        bench.step()
    assert bench.model.cycle == begun + H
    assert unexpected(bench) == [1, 0, 0, 0]


def test_without_a_watchdog_there_is_no_such_word() -> None:
    bench = begin(GROUPS["ring"], StaticSpec(kind="static", width=2, height=2))
    with pytest.raises(AssertionError):
        bench.request(0, StaticWord.TIMEOUT)
    bench.step(arrive={(0, 0): 0})
    wait(bench, 10 * H)
    assert sum(unexpected(bench)) == 0
