"""Each rule of the node port, by hand and at random."""

import random
from collections import Counter

import pytest

from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePort, NodePortOutputs
from syncfabric.models.layout.engine import Kind
from tests.models.golden.node_port_stimuli import NodePortStimuli

PLAIN, GO, LAST, BROKEN = Kind


class Bench:
    """A node port; ``r`` is the register of messages and arrivals without another."""

    def __init__(self, registers: int = 4, ready: tuple[int, ...] = (1,)) -> None:
        self.port = NodePort(registers)
        for r in ready:
            self.step(GO, r)

    def step(
        self, kind: Kind | None = None, r: int = 1, *, arrive: tuple[int, ...] = (), **more: int
    ) -> NodePortOutputs:
        message = None if kind is None else Message(r, more.get("epoch", 2), kind, 9)
        arrivals = {x: Arrival(x + 4, bool(more.get("last"))) for x in arrive}
        return self.port.step(arrivals, message, granted=bool(more.get("granted")))


def test_1_go_makes_ready_and_releases_nothing() -> None:
    bench = Bench(ready=())
    out = bench.step(GO)
    assert (out.released, out.ready) == (set(), set())
    assert bench.step(BROKEN).ready == {1}
    out = bench.step(GO)
    assert (out.ready, out.done, out.broken) == (set(), {1}, set())
    out = bench.step()
    assert (out.ready, out.done, out.broken) == ({1}, set(), set())


@pytest.mark.parametrize("kind", [PLAIN, LAST, BROKEN])
def test_2_and_3_a_release(kind: Kind) -> None:
    bench = Bench()
    bench.step(arrive=(1,))
    bench.step(granted=1)
    out = bench.step(kind)
    assert (out.released, out.done, out.ready) == ({1}, set(), {1})
    out = bench.step()
    assert (out.released, out.done) == (set(), {1})
    assert out.ready == ({1} if kind == PLAIN else set())
    assert out.broken == ({1} if kind == BROKEN else set())
    assert out.result[1] == (None if kind == BROKEN else 9)


def test_4_and_5_what_is_accepted_and_what_is_counted() -> None:
    bench = Bench(ready=(0, 1, 2))
    bench.step(arrive=(0, 1, 3))  # 3 is not ready
    bench.step(arrive=(0, 1, 2))  # 0 and 1 have arrived
    bench.step(granted=1)
    assert bench.port.refused == 2  # cycles
    bench.step(PLAIN, 0, arrive=(0, 1))  # 0 is released, 1 is not
    bench.step()
    assert bench.port.refused == 2 + 1
    assert [bench.port.offer and bench.port.offer.entry, bench.step(granted=1)][0] == 1


def test_5_refused_arrive_saturates() -> None:
    bench = Bench(16, ready=())
    for _ in range(300):
        bench.step(arrive=tuple(range(16)))
    assert bench.port.refused == 255


def test_6_an_accepted_arrive_is_kept() -> None:
    bench = Bench()
    assert bench.port.offer is None
    bench.step(PLAIN)
    assert bench.step(arrive=(1,), last=1).done == {1}
    assert bench.port.offer == Message(1, 2, LAST, 5)
    assert bench.step().done == set()
    assert bench.port.offer == Message(1, 2, LAST, 5)


def test_7_and_8_the_next_register_above_is_offered() -> None:
    bench = Bench(ready=(0, 1, 2, 3))
    bench.step(arrive=(0, 1, 3))
    order = []
    for later in ((), (2,), (), (), ()):
        offer = bench.port.offer
        order.append(offer and offer.entry)
        bench.step(arrive=later, granted=1)
    assert order == [0, 1, 2, 3, None]
    bench.step(LAST, 3)
    bench.step(GO, 3)
    bench.step(PLAIN, 0, arrive=(0, 3))
    assert [bench.port.offer and bench.port.offer.entry, bench.step(granted=1)][0] == 0


@pytest.mark.parametrize("late", [False, True])
def test_9_an_arrival_that_waits_ends_with_its_group(late: bool) -> None:
    """Also one that is accepted in the cycle of BROKEN."""
    bench = Bench()
    if not late:
        bench.step(arrive=(1,))
    bench.step(BROKEN, arrive=(1,) if late else ())
    assert bench.port.offer is None
    assert bench.step(GO).done == {1}
    bench.step(arrive=(1,))
    bench.step()
    assert bench.port.offer
    assert bench.port.refused == 0


def test_10_an_arrival_has_the_epoch_of_the_last_message() -> None:
    bench = Bench()
    bench.step(PLAIN, epoch=3)
    bench.step(arrive=(1,))
    assert bench.port.offer == Message(1, 3, PLAIN, 5)


def test_each_accepted_arrival_is_offered_once_and_released_once() -> None:
    seen = Counter[str]()
    for seed in range(60):
        rng = random.Random(seed)
        stimuli = NodePortStimuli(rng.choice((1, 2, 4, 16)), rng.choice((0, 5)), rng)
        stimuli.wrong = 0.0
        arrived: dict[int, Arrival] = {}
        granted: set[int] = set()
        refused, rests = 0, False
        for _ in range(300):
            inputs = stimuli.inputs()
            ready = set(stimuli.alive)
            out, offer = stimuli.step(inputs)
            assert out.ready == ready
            assert offer is None or offer[2:4] == (
                LAST if arrived[offer.entry].last else PLAIN,
                arrived[offer.entry].data,
            )
            # A cycle without an offer gives every register its turn again.
            assert offer is None or arrived.keys() > granted
            assert offer or rests or not arrived.keys() > granted
            rests = offer is not None
            message = inputs.message
            over = message.entry if message and message.kind != GO else None
            if offer and inputs.ready:
                granted.add(offer.entry)
            if over is not None:
                assert out.released == {over}
                granted.discard(over)
            again = over if message and message.kind == PLAIN else None
            wrong = {r for r in inputs.arrive if r not in ready or (r in arrived and r != again)}
            refused += bool(wrong)
            for r in inputs.arrive:
                if r not in wrong:
                    arrived[r] = inputs.arrive[r]
            if over is not None and (over != again or over not in inputs.arrive):
                arrived.pop(over, None)
        for _ in range(2):
            stimuli.port.step({}, None, granted=False)
        assert stimuli.port.refused == min(refused, 255)
        seen += stimuli.seen
    assert seen.keys() >= {"granted", "PLAIN", "GO", "LAST", "BROKEN"}
