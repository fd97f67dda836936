# amaranth: UnusedElaboratable=no
"""Every single fault of a link is found, and everything comes back after it."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest

from tests.rtl.guard.harness import CUT, FORWARD, HEAD, TAIL, WIDTHS, Harness, Word
from tests.rtl.guard.lockstep import ReceiverLockstep, SenderLockstep
from tests.rtl.planes.lockstep import together
from tests.rtl.support import SEED

BUSY, REST = 60, 300
"""Cycles in which something is sent, and after which all must be back."""
CHANNELS = 3
"""What one wrong word costs at most: a packet or message of each, as it cannot be attributed."""

HEAD_AT, TAIL_AT = HEAD.bit_length() - 1, TAIL.bit_length() - 1
VALID_AT = WIDTHS["flit"]
"""Places of wires in a mask."""


def packets() -> tuple[list[list[int]], list[list[int]]]:
    """Return packets of 1 to 4 flits for both channels."""
    return [[1], [2, 3], [4, 5, 6, 7], [8, 9, 10]], [[11, 12, 13], [14, 15], [1, 2, 3, 4]]


def flipped(mask: int) -> Callable[[Word], Word]:
    """Return what flips these wires, the first of ``WIDTHS`` lowest."""

    def fault(wires: Word) -> Word:
        rest, seen = mask, {}
        for name, width in WIDTHS.items():
            seen[name] = wires[name] ^ rest & (1 << width) - 1
            rest >>= width
        return seen

    return fault


def dropped(wires: Word) -> Word:
    """Lose all that is on the wires."""
    return dict.fromkeys(wires, 0)


def check(harness: Harness) -> int:
    """See that all credits are back and no packet is wrong without a mark; return packets lost."""
    assert harness.have == [2, 2, 1]
    assert harness.received == sorted(set(harness.received))
    assert set(harness.received) <= set(range(1, harness.messages + 1))
    lost = harness.messages - len(harness.received)
    for sent, flits in zip(harness.packets, harness.flits, strict=True):
        assert not flits or flits[-1] & TAIL
        left, packet = list(sent), list[int]()
        for flit in flits:
            assert bool(flit & HEAD) == (not packet)
            packet.append(flit & 15 if not flit & CUT else -1)
            if not flit & TAIL:
                continue
            if packet[-1] != -1:
                while left and left[0] != packet:
                    left.pop(0)
                    lost += 1
                assert left, f"{packet} was not sent, or out of order"
                left.pop(0)
            packet = []
        lost += len(left)
        assert not packet
    return lost


def test_without_faults_all_comes_as_it_was_sent() -> None:
    harness = Harness(packets(), messages=6, seed=SEED).run(BUSY + REST)
    assert check(harness) == 0
    assert (harness.corrupt, harness.lost) == (0, 0)


def play(masks: list[tuple[int, int]]) -> None:
    """Flip wires in one cycle of a run each."""
    for cycle, mask in masks:
        harness = Harness(packets(), 6, forward={cycle: flipped(mask)}, seed=SEED).run(BUSY + REST)
        assert check(harness) <= CHANNELS, (cycle, mask)


class Once:
    """Flips wires once: in the n-th cycle in which one of a name is high (or the link is idle)."""

    def __init__(self, mask: int, wire: str, number: int) -> None:
        self._flip, self._wire, self._left = flipped(mask), wire, number

    def __call__(self, wires: Word) -> Word:
        """Return the wires as they arrive."""
        here = wires[self._wire] if self._wire else not any(wires.values())
        self._left -= bool(here)
        return self._flip(wires) if here and self._left == 0 else wires


@pytest.mark.parametrize(
    ("wire", "number", "bits"),
    [
        ("valid", 3, (0,)),  # the second of four flits
        ("valid", 12, (1, 2)),
        *(("valid", 4, (bit,)) for bit in (HEAD_AT, TAIL_AT, VALID_AT, VALID_AT + 1)),
        ("valid", 4, (VALID_AT, VALID_AT + 1)),
        ("valid", 4, (HEAD_AT, FORWARD - 1, VALID_AT + 2)),
        ("sync_valid", 4, (1,)),
        ("", 4, (VALID_AT,)),
    ],
)
def test_flips_are_found(wire: str, number: int, bits: tuple[int, ...]) -> None:
    fault = Once(sum(1 << bit for bit in bits), wire, number)
    harness = Harness(packets(), 6, forward=dict.fromkeys(range(BUSY), fault), seed=SEED)
    assert check(harness.run(BUSY + REST)) <= CHANNELS
    assert harness.corrupt > 0


@pytest.mark.nightly
def test_every_one_to_three_flips_of_a_cycle_are_found() -> None:
    masks = [
        sum(1 << b for b in some) for n in (1, 2, 3) for some in combinations(range(FORWARD), n)
    ]
    rng = random.Random(SEED)
    play([(rng.randrange(3, BUSY), mask) for mask in masks])


@pytest.mark.parametrize("cycle", [10, pytest.param(0, marks=pytest.mark.nightly)])
def test_what_is_dropped_comes_back(cycle: int) -> None:
    for at in [cycle, cycle + 7, cycle + 15] if cycle else range(BUSY):
        harness = Harness(packets(), 6, forward={at: dropped}, seed=SEED).run(BUSY + REST)
        assert check(harness) <= 2, at


@pytest.mark.parametrize("cycle", [10, pytest.param(0, marks=pytest.mark.nightly)])
def test_a_credit_that_is_lost_comes_back(cycle: int) -> None:
    lost = 0
    for at in [cycle, cycle + 7, cycle + 15] if cycle else range(BUSY):
        harness = Harness(packets(), 6, credits={at: 7}, seed=SEED).run(BUSY + REST)
        assert check(harness) <= 1, at
        lost += harness.lost
    assert lost > 0


@pytest.mark.parametrize("registers", [0, 1, 3])
@pytest.mark.parametrize("kind", [SenderLockstep, ReceiverLockstep])
def test_a_guard_is_its_model(
    kind: type[SenderLockstep | ReceiverLockstep], registers: int
) -> None:
    seen = Counter[str]()
    for seed in range(4):
        lockstep = kind(random.Random(f"{SEED} {seed}"), registers)
        seen += together(lockstep.part, lockstep, SEED, 2000)
    sender = kind is SenderLockstep
    wanted = (
        ["probe", "lost", "returns"]
        if sender
        else ["cut", "flit", "message", "event", "empty", "late"]
    )
    assert all(seen[name] > 2 for name in [*wanted, "fenced"]), seen


def test_who_waits_in_a_router_that_is_blocked_is_not_lost() -> None:
    harness = Harness(packets(), 6, blocked=range(250), seed=SEED).run(250 + BUSY + REST)
    assert check(harness) == 0
    assert (harness.corrupt, harness.lost) == (0, 0)


def test_a_fence_gives_all_back_and_ends_what_is_open() -> None:
    harness = Harness(packets(), 6, fence=range(20, 600), seed=SEED).run(BUSY + REST)
    assert harness.have == [2, 2, 1]
    assert all(not flits or flits[-1] & TAIL for flits in harness.flits)
    assert any(flits and flits[-1] & CUT for flits in harness.flits)
    assert harness.lost == 0


def test_a_link_that_is_dead_is_asked_again_and_again() -> None:
    dead = dict.fromkeys(range(20, 400), dropped)
    harness = Harness(packets(), 6, forward=dead, credits=dict.fromkeys(range(20, 400), 7)).run(400)
    assert harness.lost == 0
    assert harness.have != [2, 2, 1]
