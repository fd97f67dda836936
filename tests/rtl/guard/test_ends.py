# amaranth: UnusedElaboratable=no
"""What a receiver's guard makes of flits out of their place (F3), and a sender's of credits."""

import dataclasses

import pytest
from amaranth.lib import wiring

from syncfabric.rtl.guard.ends import ReceiverGuard, SenderGuard
from tests.rtl.guard.harness import CUT, HEAD, SHAPE, TAIL, inside_link
from tests.rtl.guard.lockstep import sealed
from tests.rtl.support import clocked

HARM = 1
"""A wire of the payload."""

Row = dict[str, int]


def harmed(row: Row) -> Row:
    """Return wires of which one is wrong."""
    return {**row, "link__flit": row["link__flit"] ^ HARM}


def play(*rows: Row) -> list[tuple[int, int, int, int]]:
    """Return valid and flit for the router, credits for the sender, and events."""
    inside = inside_link()
    guard = ReceiverGuard(SHAPE, inside, wiring.Signature({**inside.members, **SHAPE.members}))
    idle = {"inside__credit": 0, "inside__sync_credit": 0, "fence": 0}
    seen = []
    for each in clocked(guard, [{**idle, **row} for row in rows]):
        valid = each["inside__valid"] | each["inside__sync_valid"] << 2
        credit = each["link__credit"] | each["link__sync_credit"] << 2
        flit = each["inside__flit"] if valid else 0
        seen.append((valid, flit, credit, each["corrupt"].bit_count()))
    return seen


def test_a_head_where_a_tail_is_missing_is_a_cut() -> None:
    assert play(
        sealed(HEAD | 2, 1),
        sealed(HEAD | 4, 1, sequence=1),
        sealed(6, 1, sequence=2),
        sealed(TAIL, 1, sequence=3),
        sealed(HEAD | 8, 1),
    ) == [
        (1, HEAD | 2, 0, 0),
        (1, TAIL | CUT, 0, 1),
        (0, 0, 0, 1),
        (0, 0, 1, 1),
        (1, HEAD | 8, 1, 0),
    ]


def test_a_spoilt_packet_ends_with_its_next_flit_and_gives_no_credit_for_the_wrong_one() -> None:
    assert play(
        sealed(HEAD, 2),
        harmed(sealed(2, 2, sequence=1)),
        sealed(4, 2, sequence=1),
        sealed(TAIL, 2, sequence=2),
        sealed(),
        sealed(),
    ) == [
        (2, HEAD, 0, 0),
        (0, 0, 0, 1),
        (2, TAIL | CUT, 0, 1),
        (0, 0, 0, 1),
        (0, 0, 2, 0),
        (0, 0, 0, 0),
    ]


def test_what_is_wrong_spoils_every_open_packet_whoever_it_names() -> None:
    wrong = harmed(sealed(2, 2))
    assert play(sealed(HEAD, 1), wrong, sealed(TAIL, 1, sequence=1), sealed(HEAD, 2)) == [
        (1, HEAD, 0, 0),
        (0, 0, 0, 1),
        (1, TAIL | CUT, 0, 1),
        (2, HEAD, 0, 0),
    ]


def test_a_flit_that_lost_its_valid_bit_is_missed() -> None:
    nameless = {**sealed(2, 1), "link__valid": 0}
    body, tail = sealed(4, 1, sequence=1), sealed(TAIL, 1, sequence=2)
    assert play(nameless, sealed(HEAD, 1), nameless, body, tail) == [
        (0, 0, 0, 1),
        (1, HEAD, 0, 0),
        (0, 0, 0, 1),
        (1, TAIL | CUT, 0, 1),
        (0, 0, 0, 1),
    ]


@pytest.mark.parametrize("dropped", [1, 2])
def test_flits_dropped_whole_in_mid_packet_end_it_with_the_next_one(dropped: int) -> None:
    """As many as the channel has places; then numbers go on from the last that came."""
    number, after = 3 + 1 + dropped, 3 + 2 + dropped
    assert play(
        sealed(HEAD | 1, 2),
        sealed(HEAD, 1, sequence=2),
        sealed(2, 1, sequence=3),
        sealed(4, 1, sequence=number & 3),
        sealed(TAIL, 1, sequence=after & 3),
        sealed(HEAD | 8, 1, sequence=0),
        sealed(TAIL | 8, 1, sequence=1),
        sealed(TAIL | 3, 2, sequence=1),
    ) == [
        (2, HEAD | 1, 0, 0),
        (1, HEAD, 0, 0),
        (1, 2, 0, 0),
        (1, TAIL | CUT, 0, 1),
        (0, 0, 0, 1),
        (1, HEAD | 8, 1, 0),
        (1, TAIL | 8, 0, 0),
        (2, TAIL | 3, 0, 0),
    ]


def test_messages_that_are_wrong_or_two_at_once_go_no_further() -> None:
    assert play(sealed(2, message=1), harmed(sealed(2, message=1)), sealed(2, 1, 1)) == [
        (4, 2, 0, 0),
        (0, 0, 0, 1),
        (0, 0, 0, 1),
    ]


def test_a_probe_ends_a_packet_only_if_it_is_right_and_the_router_holds_nothing() -> None:
    probe, freed = sealed(probe=1), {"inside__credit": 1}
    rows = [sealed(HEAD, 1), probe, {**sealed(), **freed}, harmed(probe), probe, probe]
    assert play(*rows) == [
        (1, HEAD, 0, 0),
        (0, 0, 0, 0),
        (0, 0, 1, 0),
        (0, 0, 0, 1),
        (1, TAIL | CUT, 0, 1),
        (0, 0, 0, 0),
    ]


def test_a_fenced_link_brings_nothing_and_ends_what_is_open_without_an_event() -> None:
    fenced = {"fence": 1}
    rows = [
        sealed(HEAD, 1),
        {**sealed(TAIL, 1), **fenced},
        {**sealed(), **fenced, "inside__credit": 1},
        {**sealed(message=1), **fenced},
        {**sealed(), **fenced},
    ]
    assert play(*rows) == [
        (1, HEAD, 0, 0),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        (1, TAIL | CUT, 0, 0),
        (0, 0, 0, 0),
    ]


def test_a_credit_that_is_not_awaited_is_nothing() -> None:
    inside = inside_link()
    guard = SenderGuard(SHAPE, inside, wiring.Signature({**inside.members, **SHAPE.members}))
    # A flit of channel 0 goes in cycle 1; credits of all channels come in every cycle.
    cases = [
        {"inside__valid": int(now == 1), "link__credit": 3, "link__sync_credit": 1}
        for now in range(6)
    ]
    seen = clocked(guard, cases)
    assert [each["inside__credit"] for each in seen] == [0, 0, 1, 0, 0, 0]
    assert not any(each["inside__sync_credit"] for each in seen)


@pytest.mark.parametrize("registers", [0, 1, 3])
@pytest.mark.parametrize("sends", [False, True])
def test_a_flit_after_the_probe_is_not_taken_for_lost(registers: int, *, sends: bool) -> None:
    """The first flit is lost; the second is in flight as the receiver says that it is empty."""
    inside = inside_link()
    shape = dataclasses.replace(SHAPE, registers=registers)
    guard = SenderGuard(shape, inside, wiring.Signature({**inside.members, **shape.members}))
    asked, answered = 130, 131 + 2 * registers
    cases = [
        {
            "inside__valid": int(now == 1 or (sends and now == asked + 1)),
            "link__empty": int(now == answered),
        }
        for now in range(answered + 4)
    ]
    seen = clocked(guard, cases)
    assert [now for now, each in enumerate(seen) if each["link__probe"]] == [asked]
    # Without registers there is nothing in flight.
    refunded = registers == 0 or not sends
    assert any(each["lost"] for each in seen) == refunded
    assert any(each["inside__credit"] for each in seen) == refunded
