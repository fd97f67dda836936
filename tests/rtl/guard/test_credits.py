# amaranth: UnusedElaboratable=no
"""What a sender's guard makes of credits that nobody sent."""

from amaranth.lib import wiring

from syncfabric.rtl.guard.sender import SenderGuard
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
