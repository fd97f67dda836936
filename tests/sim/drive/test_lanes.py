"""Books kept for all lanes at once, against books kept lane by lane."""

import random

from syncfabric.sim.drive.lanes import CreditLedger, LaneCounter, LaneMasks, bits
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh

SPEC = mesh(2, 2, channels=2, buffer_flits=3, transport="routed")
LANES = 6 * 4 * 4


def test_bits_of_a_word() -> None:
    assert list(bits(0)) == []
    assert list(bits(1 << 100 | 0b1011)) == [0, 1, 3, 100]


def test_masks_name_every_lane_once() -> None:
    masks = LaneMasks(SPEC)
    assert masks.width == 4
    assert masks.ordinary ^ masks.sync == (1 << LANES) - 1
    assert masks.ordinary & masks.sync == 0
    assert list(bits(masks.eject)) == [
        (5 * node + 4) * 4 + channel for node in range(4) for channel in range(2)
    ]
    assert list(bits(masks.inject)) == [
        (20 + node) * 4 + channel for node in range(4) for channel in range(2)
    ]
    assert masks.first_injection == 80


def test_masks_of_an_irregular_network() -> None:
    masks = LaneMasks(irregular(SMALL, channels=2))
    lanes = (3 * 4 + 4) * 3
    assert masks.width == 3
    assert list(bits(masks.sync)) == list(range(2, lanes, 3))
    assert masks.ordinary ^ masks.sync == (1 << lanes) - 1
    to_nodes = (1, 3, 8, 9)
    assert list(bits(masks.eject)) == [
        3 * link + channel for link in to_nodes for channel in (0, 1)
    ]
    assert list(bits(masks.inject)) == [lane for lane in range(36, lanes) if lane % 3 < 2]
    assert masks.first_injection == 36


def test_counts_are_those_of_single_lanes() -> None:
    rng, counter = random.Random(1), LaneCounter()
    plain = dict.fromkeys(range(LANES), 0)
    for _ in range(500):
        word = rng.getrandbits(LANES) & rng.getrandbits(LANES)
        counter.add(word)
        for lane in bits(word):
            plain[lane] += 1
    assert counter.counts() == plain
    assert LaneCounter().counts() == {}


def test_a_ledger_agrees_with_books_of_single_lanes() -> None:
    rng, ledger, masks = random.Random(2), CreditLedger(SPEC), LaneMasks(SPEC)
    places = {lane: 1 if masks.sync >> lane & 1 else 3 for lane in range(LANES)}
    taken = dict.fromkeys(range(LANES), 0)
    for _ in range(500):
        valid = credit = 0
        for lane in range(LANES):
            if taken[lane] < places[lane] and rng.random() < 0.4:
                valid |= 1 << lane
            if taken[lane] and rng.random() < 0.3:
                credit |= 1 << lane
            taken[lane] += (valid >> lane & 1) - (credit >> lane & 1)
        assert list(ledger.note(valid, credit)) == []
        assert ledger.full == sum(1 << n for n in taken if taken[n] == places[n])
        assert ledger.outstanding() == {lane: n for lane, n in taken.items() if n}


def test_a_flit_too_many_is_told_once() -> None:
    ledger = CreditLedger(SPEC)
    assert [list(ledger.note(1, 0)) for _ in range(5)] == [
        [],
        [],
        [],
        [(0, "flit sent without a credit")],
        [],
    ]


def test_a_second_message_in_a_slot() -> None:
    ledger = CreditLedger(SPEC)
    assert list(ledger.note(1 << 2, 0)) == []
    assert list(ledger.note(1 << 2, 0)) == [(2, "flit sent without a credit")]


def test_a_credit_for_nothing() -> None:
    assert list(CreditLedger(SPEC).note(0, 1 << 7)) == [(7, "credit without a flit")]


def test_synchronization_without_credits_has_no_books() -> None:
    ledger = CreditLedger(irregular(SMALL))
    for _ in range(3):
        assert list(ledger.note(0b10, 0)) == []
    assert (ledger.full, ledger.outstanding()) == (0, {})
    assert list(ledger.note(0, 0b10)) == [(1, "credit without a flit")]


def test_with_slots_it_has() -> None:
    ledger = CreditLedger(mesh(2, 1, transport="routed"))
    assert list(ledger.note(0b10, 0)) == []
    assert ledger.full == 0b10
    assert list(ledger.note(0b10, 0)) == [(1, "flit sent without a credit")]
