"""Start-up of messages, by hand from LogGP."""

import pytest

from syncfabric.models.broadcast.start_up import NO_START_UP, StartUp
from syncfabric.models.errors import SpecError
from syncfabric.models.timing.loggp import LogGP

MACHINE = LogGP(L=10, o=3, g=4, G=0.5, h=7)


@pytest.mark.parametrize(
    ("size", "transfer", "interval"),
    [(1, 2 * 3 + 10, 4), (5, 2 * 3 + 10 + 4 * 0.5, 4 + 4 * 0.5)],
)
def test_a_message_takes_its_overheads_latency_and_bytes(
    size: int, transfer: float, interval: float
) -> None:
    assert StartUp.under(MACHINE, size) == StartUp(transfer, interval)


def test_a_busy_processor_decides_where_the_gap_is_shorter() -> None:
    assert StartUp.under(LogGP(L=0, o=9, g=4, G=0.5, h=0), 3).interval == 9


def test_in_other_units() -> None:
    assert StartUp(6, 3).per(2) == StartUp(3, 1.5)


def test_without_start_up_nothing_but_links_costs() -> None:
    assert (NO_START_UP.transfer, NO_START_UP.interval) == (0, 0)


def test_what_is_no_time_or_size_is_refused() -> None:
    with pytest.raises(SpecError, match="message size must be 1 byte or more, not 0"):
        StartUp.under(MACHINE, 0)
    with pytest.raises(SpecError, match="start-up transfer: it must be finite"):
        StartUp(transfer=-1)
    with pytest.raises(SpecError, match="start-up interval: it must be finite"):
        StartUp(interval=float("nan"))
