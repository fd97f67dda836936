"""Lines of a console over a port, and what goes wrong on it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial

from syncfabric.fpga.host.link import Link, RefusedError
from syncfabric.models.errors import BoardError, ToolError
from tests.fpga.host.peer import Peer, Words

LONG, SHORT = 30.0, 0.05
"""Seconds: for an answer that comes, and for one that does not."""


def scripted(*answers: str, then: Callable[[str], str] | None = None) -> Callable[[str], str]:
    """Answer the requests so, one after the other, then like a board; ``?`` as ever."""
    coming, words = iter(answers), then or Words({7: 1})

    def answer(line: str) -> str:
        if line == "?":
            return "error line\r\n"
        said = next(coming, None)
        return words(line) if said is None else said

    return answer


def test_words_are_read_and_written() -> None:
    board = Words({7: 0xAB})
    with Peer(board) as peer, Link(peer.port, timeout=LONG) as link:
        assert link.read(7) == 0xAB
        link.write(7, 0xDEADBEEF)
        assert link.read(7) == 0xDEADBEEF
        with pytest.raises(RefusedError):
            link.read(8)
        with pytest.raises(RefusedError):
            link.write(8, 1)
    assert peer.heard == ["?", "r 7", "w 7 deadbeef", "r 7", "r 8", "w 8 1"]
    assert board.written == [(7, 0xDEADBEEF)]


def test_half_a_line_before_is_not_carried_out() -> None:
    board = Words({7: 5})
    with Peer(board) as peer:
        with serial.Serial(peer.port) as other:
            other.write(b"w 7 1")
        with Link(peer.port, timeout=LONG) as link:
            assert link.read(7) == 5
    assert peer.heard[0] == "w 7 1?"
    assert board.written == []


@pytest.mark.parametrize("noise", ["= 12345678\r\n", "error busy\r\nerror line\r\n", "\0\xff=\r"])
def test_what_was_said_before_is_forgotten(noise: str) -> None:
    with Peer(Words({7: 5}), before=noise) as peer, Link(peer.port, timeout=LONG) as link:
        assert link.read(7) == 5


def test_what_is_said_late_is_forgotten() -> None:
    """The answer to a line that somebody else began comes before the one to ours."""
    board = Words({7: 5})
    with (
        Peer(lambda line: ("ok\r\n" if line == "?" else "") + board(line)) as peer,
        Link(peer.port, timeout=LONG) as link,
    ):
        assert link.read(7) == 5


@pytest.mark.parametrize(
    "bad",
    [
        ["error line\r\n"],
        ["error line\r\n", "error line\r\n"],
        ["error busy\r\n"],
        ["= 0000\r\n"],
        ["= 0000000g\r\n"],
        ["ok\r\n"],
        ["\xff\xff\r\n"],
        ["\r\n"],
    ],
)
def test_a_read_that_noise_spoils_is_asked_again(bad: list[str]) -> None:
    with Peer(scripted(*bad)) as peer, Link(peer.port, timeout=LONG) as link:
        assert link.read(7) == 1
    assert peer.heard.count("r 7") == len(bad) + 1


def test_an_answer_after_busy_is_ours() -> None:
    with (
        Peer(scripted("error busy\r\n= 00000009\r\n", "error busy\r\nok\r\n")) as peer,
        Link(peer.port, timeout=LONG) as link,
    ):
        assert link.read(7) == 9
        link.write(7, 2)
    assert peer.heard == ["?", "r 7", "w 7 2"]


@pytest.mark.parametrize("lost", ["error line\r\n", "error busy\r\n"])
def test_a_write_that_was_surely_lost_is_done_again(lost: str) -> None:
    board = Words({7: 1})
    with Peer(scripted(lost, then=board)) as peer, Link(peer.port, timeout=LONG) as link:
        link.write(7, 2)
    assert board.written == [(7, 2)]


@pytest.mark.parametrize("answer", ["oj\r\n", "= 00000001\r\n"])
def test_a_write_that_may_have_been_done_is_not(answer: str) -> None:
    with Peer(scripted(answer)) as peer, Link(peer.port, timeout=LONG) as link:
        with pytest.raises(BoardError, match=r"a write was answered by '.*'; whether .* not known"):
            link.write(7, 2)
        assert link.read(7) == 1  # and the link goes on
    assert peer.heard.count("w 7 2") == 1


def test_noise_without_end() -> None:
    with (
        Peer(scripted(*["= \r\n"] * 99)) as peer,
        Link(peer.port, timeout=LONG) as link,
        pytest.raises(BoardError, match=r"answers cannot be understood; check the cable"),
    ):
        link.read(7)


def test_silence() -> None:
    with (
        Peer(lambda line: "") as peer,
        pytest.raises(BoardError, match=r"no answer; check --port, --baud"),
    ):
        Link(peer.port, timeout=SHORT)


def test_a_board_that_falls_silent() -> None:
    talks = iter(["error line\r\n"])
    with (
        Peer(lambda line: next(talks, "")) as peer,
        Link(peer.port, timeout=LONG) as link,
    ):
        link._timeout = SHORT
        with pytest.raises(BoardError, match="no answer"):
            link.read(7)


def test_a_board_that_is_pulled_out() -> None:
    with Peer(Words({7: 5})) as peer:
        link = Link(peer.port, timeout=LONG)
    with link, pytest.raises(BoardError, match=f"port {peer.port} is gone: Input/output error"):
        link.read(7)


@pytest.mark.parametrize("said", ["login: \r\n", "error \xfe\xff\r\n", "?\r\n"])
def test_somebody_else(said: str) -> None:
    with (
        Peer(lambda line: said) as peer,
        pytest.raises(BoardError, match=r"is no answer of a Syncfabric board; check --port"),
    ):
        Link(peer.port, timeout=LONG)


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Give ports that cannot be had."""
    file = tmp_path / "file"
    file.write_text("text")
    with Peer(Words()) as peer, serial.Serial(peer.port, exclusive=True):
        yield {"none": str(tmp_path / "none"), "file": str(file), "taken": peer.port}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none", "No such file or directory"),
        ("file", "it is no serial port"),
        ("taken", "another program uses it"),
    ],
)
def test_ports_that_cannot_be_opened(ports: dict[str, str], name: str, reason: str) -> None:
    with pytest.raises(BoardError) as caught:
        Link(ports[name])
    assert str(caught.value) == f"port {ports[name]} cannot be opened: {reason}"


def test_a_baud_rate_that_is_none() -> None:
    with Peer(Words()) as peer, pytest.raises(BoardError, match=r"cannot be opened: .* -1"):
        Link(peer.port, -1)


def test_pyserial_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(
        ToolError, match=r"install it in the checkout with: \.venv/bin/pip install -e '\.\[board\]'"
    ):
        Link("port")
