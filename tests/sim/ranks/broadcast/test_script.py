"""What is to happen, and what cannot."""

from collections.abc import Callable

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.ranks.broadcast.member import Setting
from syncfabric.sim.ranks.broadcast.script import (
    Event,
    Script,
    Slow,
    parse_events,
    parse_slow,
)


def test_options_are_read() -> None:
    assert parse_slow(["4-0:10@5", "path:2.5@0"]) == (Slow((0, 4), 10, 5), Slow(None, 2.5, 0))
    assert parse_events("leave", ["3@7"]) == (Event("leave", 3, 7),)


@pytest.mark.parametrize("word", ["0-4:10", "0-4@5", "4:10@5", "0-4:x@5", "0-4:-1@5", "0-4:1@5 "])
def test_what_is_no_slow_link_is_refused(word: str) -> None:
    with pytest.raises(SpecError) as error:
        parse_slow([word])
    assert str(error.value) == (
        f'--slow: "{word}" is not A-B:FACTOR@ROUND, as 0-4:10@5, or path:10@5'
    )


@pytest.mark.parametrize("word", ["3", "@3", "3@", "3@x", "-3@2"])
def test_what_is_no_event_is_refused(word: str) -> None:
    with pytest.raises(SpecError) as error:
        parse_events("kill", [word])
    assert str(error.value) == f'--kill: "{word}" is not RANK@ROUND, as 3@5'


def made(*events: Event, slows: tuple[Slow, ...] = (), latency: float = 0.01) -> Script:
    return Script(4, 10, latency, slows, events)


def test_ranks_that_are_there_at_first() -> None:
    script = made(Event("join", 2, 3), Event("leave", 1, 4), Event("join", 1, 6))
    assert script.at_first() == [1, 3]
    assert script.of(1) == [Event("leave", 1, 4), Event("join", 1, 6)]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Script(1, 3, 0.0), "--ranks: a broadcast takes 2 or more, not 1"),
        (
            lambda: made(Event("leave", 0, 1)),
            "--leave: rank 0 is the root, which is always there",
        ),
        (lambda: made(Event("kill", 4, 1)), "--kill: there is no rank 4; they are 0 to 3"),
        (lambda: made(Event("join", 1, 10)), "--join: round 10 is not played; they are 0 to 9"),
        (
            lambda: made(Event("leave", 1, 2), Event("kill", 1, 4)),
            "--kill: in round 4 rank 1 is not there",
        ),
        (
            lambda: made(Event("join", 1, 2), Event("join", 1, 4)),
            "--join: in round 4 rank 1 is there already",
        ),
        (
            lambda: made(Event("kill", 1, 2), Event("join", 1, 4)),
            "--join: rank 1 is dead from round 2 on",
        ),
        (
            lambda: made(Event("leave", 1, 2), Event("join", 1, 2)),
            "--join: rank 1 has two events in round 2",
        ),
        (
            lambda: made(*(Event("join", rank, 2) for rank in (1, 2, 3))),
            "--join: there must be a rank besides the root from the beginning",
        ),
        (
            lambda: made(slows=(Slow((1, 4), 2, 1),)),
            "--slow: there is no rank 4; they are 0 to 3",
        ),
        (lambda: made(slows=(Slow((1, 1), 2, 1),)), "--slow: rank 1 has no link to itself"),
        (
            lambda: made(slows=(Slow((0, 1), 2, 10),)),
            "--slow: round 10 is not played; they are 0 to 9",
        ),
        (
            lambda: made(slows=(Slow((0, 1), 2, 1),), latency=0.0),
            "--slow: it is a factor on --latency, which must not be 0 then",
        ),
    ],
)
def test_what_cannot_happen_is_refused(make: Callable[[], Script], said: str) -> None:
    with pytest.raises(SpecError) as error:
        make()
    assert str(error.value) == said


def test_a_time_out_shorter_than_the_links_is_refused() -> None:
    script = made(slows=(Slow((0, 1), 10, 1),))
    # Three ping-pongs one after the other, there and back.
    Setting(script, 8, 1, 0.61)
    with pytest.raises(SpecError) as error:
        Setting(script, 8, 1, 0.6)
    assert str(error.value) == (
        "--timeout: 0.6 s, but with these latencies an answer may take 0.6 s"
    )
