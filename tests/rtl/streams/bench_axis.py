"""A process's ports of streams: cocotbext-axi is the process, and a router sends all back."""

import logging
import random
from collections import defaultdict
from itertools import count
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, with_timeout
from cocotbext.axi import (
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamMonitor,
    AxiStreamSink,
    AxiStreamSource,
)

from syncfabric.models.layout.streams import HEAD, Function, StreamLayout, Type
from tests.rtl.support import SEED, Bench, Pins

BYTES = 4
SUM = {"function": Function.ADD, "type": Type.INT32}
LAYOUTS = {f"loop_{k}": StreamLayout(k, 8 * BYTES, ("add",), "tree", 1, True) for k in (1, 2)}
PACKETS = 40
PAUSES = [(0, 0), (0.7, 0), (0, 0.7), (0.4, 0.4)]
_WIRES = ("ready", "valid", "data", "keep", "last", "id", "user")


class Process:
    """The process of one loop, and a monitor on each of its streams."""

    def __init__(self, dut: Any, bench: Bench, name: str) -> None:
        self.pins: Pins = bench.pins[name]
        self._dut, self._name = dut, name
        self.channels = LAYOUTS[name].channels
        sides = [AxiStreamBus.from_prefix(dut, f"{name}__{side}_axis_") for side in "sm"]
        wires = dut.clk, dut.rst
        self.source = AxiStreamSource(sides[0], *wires)
        self.sink = AxiStreamSink(sides[1], *wires)
        self.monitors = [AxiStreamMonitor(side, *wires) for side in sides]
        for one in (self.source, self.sink, *self.monitors):
            one.log.setLevel(logging.WARNING)
        self.alive = 0
        self.taken: list[list[int]] = [[], []]
        """Cycles in which a beat was taken, by side."""
        cocotb.start_soon(self._rules())

    async def _rules(self) -> None:
        """Watch each side: a beat stays as it is until it is taken, and says what it must."""
        kept: list[tuple[int, ...] | None] = [None, None]
        handles = [
            [getattr(self._dut, f"{self._name}__{side}_axis__t{wire}") for wire in _WIRES]
            for side in "sm"
        ]
        for cycle in count():
            await FallingEdge(self._dut.clk)
            assert not self.pins["dropped"]
            for i, side in enumerate("sm"):
                ready, valid, *wires = handles[i]
                before, kept[i] = kept[i], None
                assert before is None or valid.value, f"{side}: a beat is withdrawn"
                if not valid.value:
                    continue
                beat = tuple(int(wire.value) for wire in wires)
                assert before in (None, beat), f"{side}: a beat changes"
                _, keep, last, tid, user = beat
                assert last or keep == (1 << BYTES) - 1, f"{side}: a hole within a packet"
                assert keep & (keep + 1) == 0, f"{side}: bytes do not begin at 0"
                assert tid < self.channels
                if side == "m":
                    assert not user or (last and not keep)
                if ready.value:
                    self.taken[i].append(cycle)
                else:
                    kept[i] = beat

    async def open(self, channels: int) -> None:
        """Let groups begin whose channels are drained."""
        while self.pins["waits"] & channels:
            await FallingEdge(self._dut.clk)
        self.alive |= channels
        self.pins.drive({"alive": self.alive})
        for starts in (0, channels, 0):
            self.pins.drive({"starts": starts})
            await FallingEdge(self._dut.clk)

    async def close(self, channels: int) -> None:
        """End groups."""
        await FallingEdge(self._dut.clk)
        self.alive &= ~channels
        self.pins.drive({"alive": self.alive})

    def send(self, data: bytes, tid: int, *, takes: bool) -> None:
        """Have a packet sent; one without data gives nothing."""
        user = HEAD.pack({**SUM, "takes": int(takes)})
        keep = [1] * len(data) or [0]
        self.source.send_nowait(AxiStreamFrame(data or bytes(1), tkeep=keep, tid=tid, tuser=user))

    async def packet(self) -> list[tuple[int, bytes, int, bool]]:
        """Return the beats up to one that ends a packet: channel, data, user, the last one."""
        frame = await with_timeout(self.sink.recv(compact=False), 100, "us")
        beats = list[tuple[int, bytes, int, bool]]()
        for i in range(0, len(frame.tdata), BYTES):
            word = zip(frame.tdata[i : i + BYTES], frame.tkeep[i : i + BYTES], strict=True)
            counts = bytes(byte for byte, keep in word if keep)
            beats.append((frame.tid[i], counts, frame.tuser[i], i + BYTES == len(frame.tdata)))
        return beats


async def start(dut: Any) -> list[Process]:
    """Reset, and place a process at each loop."""
    bench = Bench(dut)
    made = [Process(dut, bench, name) for name in LAYOUTS]
    await bench.reset()
    for one in made:
        await one.open((1 << one.channels) - 1)
    return made


def paused(rng: random.Random, share: float) -> Any:
    """Yield for ever whether a side pauses in a cycle."""
    while True:
        yield rng.random() < share


async def collect(process: Process, packets: int) -> dict[int, list[tuple[bytes, int]]]:
    """Take packets; return them by channel, each with the ``tuser`` of its last beat."""
    seen, part = defaultdict[int, list[tuple[bytes, int]]](list), defaultdict[int, bytes](bytes)
    for _ in range(packets):
        for tid, data, user, last in await process.packet():
            part[tid] += data
            if last:
                seen[tid].append((part.pop(tid), user))
    assert not part
    return seen


@cocotb.test()
@cocotb.parametrize(pauses=PAUSES)
async def what_is_sent_comes_back(dut: Any, pauses: tuple[float, float]) -> None:
    """Packets of all lengths, of several channels; who gives nothing, or takes nothing, gets 0."""
    for process in await start(dut):
        rng = random.Random(f"{SEED} {pauses} {process.channels}")
        for side, share in zip((process.source, process.sink), pauses, strict=True):
            if share:
                side.set_pause_generator(paused(random.Random(rng.random()), share))
        expected = defaultdict[int, list[tuple[bytes, int]]](list)
        for i in range(PACKETS):
            tid, takes = rng.randrange(process.channels), rng.random() < 0.8
            data = rng.randbytes(rng.choice((0, 1, BYTES, i, rng.randrange(1, 200))))
            process.send(data, tid, takes=takes)
            expected[tid].append((data if takes else b"", 0))
        assert await collect(process, PACKETS) == expected
        # Who takes nothing has its packet back before all of it is sent.
        await with_timeout(process.source.wait(), 100, "us")
        await FallingEdge(dut.clk)
        sent, got = (monitor.count() for monitor in process.monitors)
        assert (sent, got) == (PACKETS, PACKETS)
        process.sink.clear_pause_generator()
        process.source.clear_pause_generator()


@cocotb.test()
async def a_word_goes_in_every_cycle(dut: Any) -> None:
    """Of a long packet: as many cycles as V10 says, and not one more."""
    process, words = (await start(dut))[0], 256
    data = random.Random(SEED).randbytes(words * BYTES)
    process.send(data, 0, takes=True)
    assert (await collect(process, 1))[0] == [(data, 0)]
    into, out = process.taken
    # The first beat stays in its first cycle, while the head is sent.
    assert out[0] - (into[0] - 1) == LAYOUTS["loop_1"].cycles(0)
    assert out[-1] - out[0] == words - 1


@cocotb.test()
async def a_group_that_ends_ends_its_packets(dut: Any) -> None:
    """Each with one last beat; what is left of the packet is dropped, and the next group starts."""
    for process in await start(dut):
        rng = random.Random(f"{SEED} {process.channels}")
        for tid in range(process.channels):
            for _ in range(8):
                data = rng.randbytes(300)
                process.send(data, tid, takes=True)
                for _ in range(rng.randrange(12, 70)):
                    await FallingEdge(dut.clk)
                await process.close(1 << tid)
                beats = await process.packet()
                assert [beat[2] for beat in beats] == [0] * (len(beats) - 1) + [1]
                came = b"".join(beat[1] for beat in beats)
                assert came == data[: len(came)]
                await with_timeout(process.source.wait(), 100, "us")
                await process.open(1 << tid)
                process.send(data, tid, takes=True)
                assert (await collect(process, 1))[tid] == [(data, 0)]
