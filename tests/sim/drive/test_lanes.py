"""Credits of all lanes at once, against those of single lanes."""

import random

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.lanes import CreditLedger, LaneMasks, Load, ledger_of
from syncfabric.sim.drive.trace import EMPTY, Line, bits
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh

SPEC = mesh(2, 2, channels=2, buffer_flits=3, transport="routed")
LANES = 6 * 4 * 4
EXTRA, NOTHING = "flit sent without a credit", "credit without a flit"


def broken(ledger: CreditLedger, valid: int, credit: int) -> list[str]:
    """Return the rules that a cycle breaks, with their lanes' links."""
    line = Line(5, EMPTY._replace(valid=valid, credit=credit))
    return [each.signal for each in ledger.wires(line)]


def test_bits_of_a_word() -> None:
    assert list(bits(0)) == []
    assert list(bits(1 << 100 | 0b1011)) == [0, 1, 3, 100]


@pytest.mark.parametrize(
    ("spec", "lanes", "eject", "inject"),
    [
        (SPEC, 4, [5 * node + 4 for node in range(4)], range(20, 24)),
        (irregular(SMALL, channels=2), 3, [1, 3, 8, 9], range(12, 16)),
    ],
)
def test_masks_name_every_lane_once(
    spec: MessageSpec, lanes: int, eject: list[int], inject: range
) -> None:
    masks = LaneMasks(spec)
    assert masks.width == lanes
    every = (1 << lanes * (inject[-1] + 1)) - 1
    assert (masks.ordinary ^ masks.sync, masks.ordinary & masks.sync) == (every, 0)
    for mask, links in ((masks.eject, eject), (masks.inject, inject)):
        assert list(bits(mask)) == [lanes * link + channel for link in links for channel in (0, 1)]


def test_counts_are_those_of_single_lanes() -> None:
    rng, load = random.Random(1), Load()
    plain = dict.fromkeys(range(LANES), 0)
    for _ in range(500):
        word = rng.getrandbits(LANES) & rng.getrandbits(LANES)
        load.wires(Line(1, EMPTY._replace(valid=word)))
        for lane in bits(word):
            plain[lane] += 1
    assert load.counts() == plain
    assert Load().counts() == {}


@pytest.mark.parametrize("places", [(3, 1), (1, 16), (5, 8)])
def test_a_ledger_agrees_with_counts_of_single_lanes(places: tuple[int, int]) -> None:
    rng, masks = random.Random(2), LaneMasks(SPEC)
    of = {lane: places[masks.sync >> lane & 1] for lane in range(LANES)}
    ledger = CreditLedger(SPEC, {masks.ordinary: places[0], masks.sync: places[1]})
    taken = dict.fromkeys(range(LANES), 0)
    for _ in range(500):
        valid = credit = 0
        for lane in range(LANES):
            if taken[lane] < of[lane] and rng.random() < 0.4:
                valid |= 1 << lane
            if taken[lane] and rng.random() < 0.3:
                credit |= 1 << lane
            taken[lane] += (valid >> lane & 1) - (credit >> lane & 1)
        assert broken(ledger, valid, credit) == []
        assert ledger.full == sum(1 << n for n in taken if taken[n] == of[n])
        assert ledger.held == sum(1 << n for n in taken if taken[n])
        assert ledger.outstanding() == {lane: n for lane, n in taken.items() if n}
    held = [each.hardware for each in ledger.close(9)]
    assert held == list(ledger.outstanding().values())


@pytest.mark.parametrize(
    ("cycles", "rules"),
    [
        ([(1, 0)] * 5, ["", "", "", f"east[0]: {EXTRA}", ""]),  # reported once
        ([(1, 0)] * 3 + [(1, 1)], ["", "", "", f"east[0]: {EXTRA}"]),
        ([(1 << 2, 0)] * 2, ["", f"east[2]: {EXTRA}"]),  # a message's slot
        ([(0, 1 << 5)], [f"north[1]: {NOTHING}"]),
        ([(1 << 5, 1 << 5)], [f"north[1]: {NOTHING}"]),
    ],
)
def test_a_flit_or_a_credit_too_many(cycles: list[tuple[int, int]], rules: list[str]) -> None:
    ledger = ledger_of(SPEC)
    assert ["".join(broken(ledger, *cycle)) for cycle in cycles] == rules


def test_messages_have_credits_where_they_are_routed() -> None:
    for spec, full in ((irregular(SMALL), 0), (mesh(2, 1, transport="routed"), 0b10)):
        ledger = ledger_of(spec)
        assert broken(ledger, 0b10, 0) == []
        assert ledger.full == full
        assert len(broken(ledger, 0b10, 0)) == bool(full)
