"""LogGP's parameters and what its messages take, by hand."""

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.loggp import INFINIBAND, TILE64, TILE64_CYCLE_NS, LogGP

BY_HAND = {"L": 1_000.0, "o": 100.0, "g": 10.0, "G": 0.5, "h": 1.0}


def test_a_message_pays_both_ends_and_each_hop_once() -> None:
    loggp = LogGP(**BY_HAND)
    assert loggp.message_ns(0) == 1_200
    assert loggp.message_ns(7) == 1_207


def test_an_access_goes_there_and_back() -> None:
    """LogP: a remote read takes 2 L + 4 o; the hops come to it twice."""
    loggp = LogGP(**BY_HAND)
    assert loggp.access_ns(0) == 2_400
    assert loggp.access_ns(7) == 2_414


def test_a_hop_of_tile64_is_a_cycle_at_700_mhz() -> None:
    assert TILE64.h == TILE64_CYCLE_NS == pytest.approx(1.4286, abs=1e-4)


def test_infiniband_is_what_was_measured_for_8_bytes() -> None:
    """There and back 11.384 µs, o 1.052 and 1.085 µs, g 0.940 µs, 0.497 ns a byte at 1 MiB."""
    assert INFINIBAND.message_ns(0) == pytest.approx(11_384.472 / 2, rel=2e-3)
    assert INFINIBAND.o == pytest.approx((1_052.192 + 1_084.834) / 2, rel=2e-3)
    assert INFINIBAND.g == pytest.approx(940.152, rel=2e-3)
    assert abs(INFINIBAND.G - 0.497) < 0.005


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"L": -1}, r"^LogGP: L must be 0 to 1000000 ns, not -1$"),
        ({"o": 1e7}, r"^LogGP: o must be 0 to 1000000 ns, not 10000000.0$"),
        ({"g": float("nan")}, r"^LogGP: g must be 0 to 1000000 ns, not nan$"),
        ({"G": 10_001}, r"^LogGP: G must be 0 to 10000 ns, not 10001$"),
        ({"h": float("inf")}, r"^LogGP: h must be 0 to 100000 ns, not inf$"),
    ],
)
def test_times_out_of_range_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        LogGP(**BY_HAND | changes)
