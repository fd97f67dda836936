"""A process's port of streams: beats that go up as words, and words that come down as beats."""

from collections.abc import Collection

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.streams import ProcessStreams
from tests.models.golden.stream_bench import head, layout_of, packet, user, word

ONE, TWO = layout_of(), layout_of(channels=2)
HEAD = head(ONE)


def opened(ready: set[int] | None = None) -> ProcessStreams:
    """Return a port of one channel, or of more, with what is ready open."""
    port = ProcessStreams(TWO if ready else ONE)
    port.step(ready or {0})
    return port


def test_v9_open_is_ready_a_cycle_later() -> None:
    port = ProcessStreams(ONE)
    port.step({0})
    assert port.open == {0}
    port.step(set())
    assert port.open == set()


def test_a_packet_goes_up_with_its_head_in_a_cycle_of_its_own() -> None:
    port, beats = opened(), packet([5, 6])
    assert [_up(port, beat) for beat in (beats[0], None, *beats, None)] == [
        (False, (0, HEAD)),
        (False, None),
        (True, (0, word(ONE, 5))),
        (True, (0, word(ONE, 6, tail=True))),
        (False, None),
    ]


def _up(port: ProcessStreams, beat: Beat | None) -> tuple[bool, tuple[int, int] | None]:
    port.step({0, 1}, beat)
    return port.accepted, port.sends


def test_who_gives_nothing_sends_a_head_alone() -> None:
    port = opened()
    for keep in (0, 0b1110):  # no ones from bit 0 on
        assert _up(port, Beat(9, keep, True, 0, user())) == (True, (0, head(ONE, tail=True)))
    takes_not = Beat(0, 0, True, 0, user(takes=False))
    assert _up(port, takes_not) == (True, (0, head(ONE, tail=True, takes=False)))


def test_ones_from_bit_0_count_and_other_bytes_are_0() -> None:
    for keep, data, size in (
        (0b1111, 0x44332211, 0),
        (0b0111, 0x332211, 3),
        (0b1011, 0x2211, 2),
        (0b0001, 0x11, 1),
        (0b1110, 0x44332211, 0),  # none from bit 0 on: all
    ):
        port = opened()
        first = Beat(1, 0, False, 0, user())  # ``keep`` is not looked at
        assert _up(port, first)[1] == (0, HEAD)
        assert _up(port, first)[1] == (0, word(ONE, 1))
        assert _up(port, Beat(0x44332211, keep, True)) == (
            True,
            (0, word(ONE, data, size, tail=True)),
        )


def test_a_word_needs_a_credit_at_the_start_of_the_cycle() -> None:
    port, sent = opened(), 0
    while _up(port, Beat(1, 15, False))[1]:
        sent += 1
    assert sent == ONE.places == 15
    port.step({0}, Beat(1, 15, False), credits=[0])
    assert not port.accepted
    assert _up(port, Beat(1, 15, False))[0]
    assert not _up(port, Beat(1, 15, False))[0]


def test_packets_of_a_channel_that_is_not_open_are_dropped_whole() -> None:
    port, beats = opened({1}), packet([1, 2, 3])
    other = packet([7], 1)[0]
    assert [_up(port, beat) for beat in (*beats, other, other)] == [
        (True, None),  # not open
        (True, None),  # open, but begun before
        (True, None),
        (False, (1, HEAD)),
        (True, (1, word(ONE, 7, tail=True))),
    ]


def test_a_packet_is_dropped_from_where_its_channel_has_been_closed() -> None:
    port, beats = opened(), packet([1, 2, 3])
    assert _up(port, beats[0])[1] == (0, HEAD)
    port.step(set(), beats[0])
    assert port.sends == (0, word(ONE, 1))
    port.step({0})  # not open in this cycle, without a beat
    assert [_up(port, beat) for beat in (*beats[1:], beats[0])] == [
        (True, None),
        (True, None),
        (False, (0, HEAD)),
    ]


def test_channels_count_modulo_theirs() -> None:
    port = opened({0, 1})
    assert _up(port, Beat(0, 0, True, 3, user()))[1] == (1, head(ONE, tail=True))


def down(
    port: ProcessStreams, *words: tuple[int, int] | None, ready: Collection[int] = (0, 1)
) -> list[tuple[Beat | None, list[int]]]:
    """Return the beat and the credits of the cycle after each of these words."""
    seen: list[tuple[Beat | None, list[int]]] = []
    for one in words:
        port.step(ready, word=one)
        seen.append((port.beat, port.freed))
    return seen


def test_words_come_down_as_beats() -> None:
    """A word is in its buffer a cycle later, and its beat is there one more cycle later."""
    words = [HEAD, word(ONE, 5), word(ONE, 0x44332211, 3, tail=True), head(ONE, tail=True)]
    assert down(opened(), *((0, one) for one in words), None, None) == [
        (None, []),
        (None, [0]),
        (Beat(5, 15, False), [0]),
        (Beat(0x332211, 7, True), [0]),
        (Beat(0, 0, True), [0]),
        (None, []),
    ]


def test_a_beat_stays_until_it_is_taken() -> None:
    port = opened()
    port.step({0}, word=(0, HEAD))
    port.step({0}, word=(0, word(ONE, 5)))
    for accepts in (True, False, False):
        port.step({0}, accepts=accepts)
        assert port.beat == Beat(5, 15, False)
    port.step({0})
    assert port.beat is None


def test_channels_take_turns_in_the_register() -> None:
    port = opened({0, 1})
    for c in (0, 1):  # beats of a word each, behind a head that is no beat
        port.step({0, 1}, word=(c, HEAD), accepts=False)
    for c in (0, 1, 1, 0):
        port.step({0, 1}, word=(c, word(ONE, c)), accepts=False)
    tids = []
    for _ in range(6):
        port.step({0, 1})
        tids.append(port.beat and port.beat.tid)
    assert tids == [1, 0, 1, None, None, None]


def test_a_group_that_ends_ends_its_packet() -> None:
    port = opened()
    ended = Beat(0, 0, True, 0, 1)
    words = [(0, HEAD), (0, word(ONE, 5)), (0, word(ONE, 6)), None]
    assert down(port, *words)[-1] == (Beat(6, 15, False), [0])
    # ``ready`` falls in the first cycle: the channel is not open in the third one.
    assert down(port, None, None, None, (0, word(ONE, 7)), None, None, ready=()) == [
        (None, []),
        (ended, []),
        (None, []),
        (None, []),
        (None, [0]),
        (None, []),
    ]


def test_a_packet_that_is_ended_is_so_before_the_next_group_has_a_beat() -> None:
    port = opened()
    down(port, (0, HEAD), (0, word(ONE, 5)), None)
    port.step(set(), accepts=False)
    port.step({0}, accepts=False)  # not open
    port.step({0}, word=(0, head(ONE, tail=True)), accepts=False)
    beats = []
    for _ in range(4):
        port.step({0})
        beats.append(port.beat)
    assert beats == [Beat(0, 0, True, 0, 1), Beat(0, 0, True), None, None]
