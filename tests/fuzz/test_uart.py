"""A board's console, and the software that talks to one: bytes that nobody meant."""

import re
from typing import Any

from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.fpga.host.link import Link
from syncfabric.models.errors import BoardError
from syncfabric.rtl.host.console import Console
from tests.fpga.host.peer import Peer, Words
from tests.fuzz.campaign import fuzzed

BIT = 4
"""Cycles of a bit."""
ADDRESS, WORD, OTHER = 0x12, 0xCAFE0123, 0x3FFFF
"""Where the only word is, what it holds, and where reads and writes are refused."""
REQUEST = re.compile(rb"([rw]) ([0-9a-fA-F]{1,5})(?: ([0-9a-fA-F]{1,8}))?")

_numbers = st.one_of(
    st.sampled_from([b"12", b"00012", b"3ffff", b"40000", b"fffff", b"123456", b"", b"0x12", b"g"]),
    st.binary(max_size=9),
)
_lines = st.one_of(
    st.builds(b"r %b".__mod__, _numbers),
    st.builds(lambda a, d: b"w %b %b" % (a, d), _numbers, _numbers),
    st.binary(max_size=20),
    st.lists(st.sampled_from([b"r", b"w", b" ", b"12", b"?", b"\0", b"\xff"]), max_size=8).map(
        b"".join
    ),
).map(lambda line: re.sub(rb"[\r\n]", b"", line))


def _expected(line: bytes, words: dict[int, int]) -> bytes:
    """Return the answer by the page's table; a write changes the word."""
    if not line:
        return b""
    request = REQUEST.fullmatch(line)
    if request is None or (request[1] == b"w") != (request[3] is not None):
        return b"error line\r\n"
    address = int(request[2], 16)
    if address > OTHER:
        return b"error line\r\n"
    if address not in words:
        return b"error refused\r\n"
    if request[3] is None:
        return b"= %08X\r\n" % words[address]
    words[address] = int(request[3], 16)
    return b"ok\r\n"


class _Wire:
    """A console with one word behind it, and the other end of its lines."""

    def __init__(self) -> None:
        self.console = Console(BIT)
        self.words = {ADDRESS: WORD}
        self.heard = bytearray()

    def play(self, lines: list[tuple[bytes, bytes]]) -> list[bytes]:
        """Return what is answered to each line and its end."""
        answers: list[bytes] = []

        async def talk(context: Any) -> None:
            rx = self.console.rx
            context.set(rx, 1)
            await context.tick().repeat(4 * BIT)
            for line, end in lines:
                for byte in line + end:
                    for level in (0, *(byte >> i & 1 for i in range(8)), 1):
                        context.set(rx, level)
                        await context.tick().repeat(BIT)
                # The longest answer, and a little to spare.
                await context.tick().repeat(20 * 10 * BIT)
                answers.append(bytes(self.heard))
                self.heard.clear()

        async def listen(context: Any) -> None:
            tx = self.console.tx
            while True:
                while context.get(tx):
                    await context.tick()
                await context.tick().repeat(BIT // 2)
                byte = 0
                for i in range(8):
                    await context.tick().repeat(BIT)
                    byte |= context.get(tx) << i
                await context.tick().repeat(BIT)
                self.heard.append(byte)

        async def hold(context: Any) -> None:
            bus = self.console.bus
            while True:
                while not context.get(bus.valid):
                    await context.tick()
                address = context.get(bus.address)
                if known := address in self.words:
                    if context.get(bus.write):
                        self.words[address] = context.get(bus.data)
                    else:
                        context.set(bus.rdata, self.words[address])
                context.set(bus.error, not known)
                context.set(bus.ready, 1)
                await context.tick()
                for wire in (bus.ready, bus.error, bus.rdata):
                    context.set(wire, 0)

        simulator = Simulator(self.console)
        simulator.add_clock(1e-6)
        simulator.add_testbench(talk)
        simulator.add_testbench(listen, background=True)
        simulator.add_testbench(hold, background=True)
        simulator.run()
        return answers


@fuzzed(0.3)
@given(st.lists(st.tuples(_lines, st.sampled_from([b"\n", b"\r", b"\r\n"])), max_size=6))
def test_a_console(lines: list[tuple[bytes, bytes]]) -> None:
    wire, words = _Wire(), {ADDRESS: WORD}
    lines = [*lines, (b"r 12", b"\n")]
    expected = [_expected(line, words) for line, _ in lines]
    assert wire.play(lines) == expected
    assert wire.words == words


_answers = st.one_of(
    st.sampled_from([None, "", "ok\r\n", "error line\r\n", "error busy\r\n", "error refused\r\n"]),
    st.sampled_from(["= 0000000G\r\n", "= 12345\r\n", "=\r\n", "\r\n", "\n" * 9, "x" * 5000]),
    st.text(st.characters(max_codepoint=255), max_size=30),
)


@fuzzed(0.1)
@given(st.lists(_answers, max_size=12))
def test_software_at_a_port(answers: list[str | None]) -> None:
    """What is heard is a word that was really said, or refused in one line."""
    board, coming = Words({7: 5}), iter(answers)
    said: list[str] = []

    def answer(line: str) -> str:
        said.append(board(line) if (word := next(coming, None)) is None else word)
        return said[-1]

    with Peer(answer) as peer:
        try:
            with Link(peer.port, timeout=0.05) as link:
                link.write(7, 6)
                word = link.read(7)
            refusal = None
        except BoardError as error:
            refusal = str(error)
    if refusal is None:
        assert f"= {word:08X}\r\n" in "".join(said)
    else:
        assert "\n" not in refusal
        assert len(refusal) < 200
