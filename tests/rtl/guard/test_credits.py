# amaranth: UnusedElaboratable=no
"""What a sender's guard makes of credits that nobody sent."""

import dataclasses

import pytest
from amaranth.lib import wiring

from syncfabric.rtl.guard.ends import SenderGuard
from tests.rtl.guard.rig import SHAPE, inside_link
from tests.rtl.support import clocked


def test_a_credit_that_nobody_waits_for_is_nothing() -> None:
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
    """The first flit is lost; the second is on its way as the receiver says that it is empty."""
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
    # Without registers there is nothing on its way.
    refunded = registers == 0 or not sends
    assert any(each["lost"] for each in seen) == refunded
    assert any(each["inside__credit"] for each in seen) == refunded
