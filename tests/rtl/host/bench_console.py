"""The console against a UART of the bench's own, a memory being on the bus."""

import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

from tests.rtl.host.line import Line
from tests.rtl.host.memory import PUT_OFF, REFUSED, Memory
from tests.rtl.support import SEED, Bench

PARTS = {"short": 4, "odd": 9, "long": 14}
"""Cycles a bit."""

CASES = [("short", 0.0), ("odd", 0.03), ("odd", -0.03), ("long", 0.04)]
"""Parts, and how much longer than right the bits of the other end are."""


async def start(dut: Any, name: str, skew: float = 0.0) -> tuple[Line, Memory]:
    """Reset, and place line and memory."""
    bench = Bench(dut)
    for part in PARTS:
        getattr(dut, f"{part}__rx").value = 1
    line = Line(getattr(dut, f"{name}__rx"), getattr(dut, f"{name}__tx"), PARTS[name], skew)
    await bench.reset()
    for pins in bench.pins.values():
        pins.drive({"rx": 1})
    memory = Memory(dut, name, bench.pins[name], random.Random(f"{SEED} {name}"))
    cocotb.start_soon(memory.run())
    cocotb.start_soon(line.listen())
    await Timer(1, "us")
    return line, memory


async def ask(line: Line, *texts: str, end: str = "\n") -> list[str]:
    """Send lines one after the other, and return their answers."""
    answers = []
    for text in texts:
        await line.send((text + end).encode("ascii"))
        answers += await line.lines(1)
    await line.wait(2)
    assert (not line.heard, line.bad) == (True, 0)
    return answers


@cocotb.test()
@cocotb.parametrize(case=CASES)
async def words_are_written_and_read(dut: Any, case: tuple[str, float]) -> None:
    """Also by a line whose bits are a little too long or too short."""
    line, memory = await start(dut, *case)
    expected, rng = list(memory.words), random.Random(f"{SEED} {case}")
    for end in ("\n", "\r", "\r\n"):
        word, value = rng.randrange(62), rng.getrandbits(32)
        expected[word] = value
        assert await ask(line, f"w {word:x} {value:X}", end=end) == ["ok"]
        assert await ask(line, f"r {word:05X}", end=end) == [f"= {value:08X}"]
    other = rng.randrange(62)
    assert await ask(line, f"r {other:x}") == [f"= {expected[other]:08X}"]
    assert memory.words == expected


@cocotb.test()
async def addresses_and_data_have_all_their_bits(dut: Any) -> None:
    line, memory = await start(dut, "short")
    for bit in (0, 5, 12, 17):
        assert await ask(line, f"w {1 << bit | 0x20000:X} 0") == ["error refused"]
        assert memory.log[-1] == (True, 1 << bit | 0x20000)
    for value in ("0123abcd", "FEDCBA98", "7"):
        assert await ask(line, f"w 5 {value}", "r 5") == ["ok", f"= {int(value, 16):08X}"]


@cocotb.test()
async def what_is_no_request(dut: Any) -> None:
    """Noise, half a line, too much of one, numbers that are too long or too large: no request."""
    line, memory = await start(dut, "short")
    wrong = ["r", "r ", "x 1", "R 1", "r1", "r  1", " r 1", "r 1 ", "r g", "r 000001", "r 40000"]
    wrong += ["w", "w 1", "w 1 ", "w 1 2 ", "w 1 123456789", "w 1  2", "w 40000 1", "w 1 0x2"]
    wrong += ["r `", "r @", "r :", "r /", "r 1 2", "w 1 2G", "hello, is anybody there?", "\0"]
    assert set(await ask(line, *wrong)) == {"error line"}
    assert memory.log == []
    assert await ask(line, f"r {REFUSED:x}", f"w {REFUSED:x} 1") == ["error refused"] * 2
    await line.send(b"\n\r\n\r\r\n\n")
    assert await ask(line, "r 3") == [f"= {memory.words[3]:08X}"]


@cocotb.test()
async def breaks_and_glitches_invalidate_their_line(dut: Any) -> None:
    line, memory = await start(dut, "odd")
    await line.send(b"r ")
    await line.level(0, 25)
    await line.level(1, 3)
    assert await ask(line, "1") == ["error line"]
    await line.send(b"r 1")
    await line.send(b"\n", stop=0)
    await line.level(1, 2)
    await line.wait(30)
    assert not line.heard
    assert await ask(line, "") == ["error line"]
    await line.level(0, 0.3)  # less than half a start bit
    await line.level(1, 3)
    assert await ask(line, "r 1") == [f"= {memory.words[1]:08X}"]
    assert len(memory.log) == 1


@cocotb.test()
async def what_comes_while_it_is_busy_is_lost(dut: Any) -> None:
    """And is reported once; a line whose beginning is lost is lost to its end."""
    line, memory = await start(dut, "short")
    await line.send(f"r {PUT_OFF:x}\r\n".encode())
    await line.send(b"r 1\nr 2\nw 3 4")
    await line.wait(30)
    assert not line.heard
    memory.released = True
    assert await line.lines(2) == [f"= {memory.words[PUT_OFF]:08X}", "error busy"]
    before = list(memory.words)
    await line.send(b"5\n")
    assert await ask(line, "r 3") == [f"= {before[3]:08X}"]
    assert memory.words == before
    await line.send(b"r 3\nr 4\n")
    assert await line.lines(2) == [f"= {before[3]:08X}", "error busy"]
    assert await ask(line, "r 4") == [f"= {before[4]:08X}"]
    assert memory.log.count((False, PUT_OFF)) > 10
