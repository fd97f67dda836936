"""The AXI4-Lite front: cocotbext-axi is the client, and a memory is on the bus."""

import random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge, Timer, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from tests.rtl.host.memory import PUT_OFF, REFUSED, Memory
from tests.rtl.support import SEED, Bench


async def rules(dut: Any, bench: Bench) -> None:
    """Answers stay until they are taken, and nothing leads through from input to output."""
    pins, before = bench.pins["axi"], dict[str, int]()
    outputs = ["axi__bvalid", "axi__bresp", "axi__rvalid", "axi__rdata", "axi__rresp"]
    outputs += ["axi__awready", "axi__wready", "axi__arready"]
    while True:
        await RisingEdge(dut.clk)
        await Timer(1, "ns")
        early = pins.read(outputs)
        for channel, payload in (("b", ["bresp"]), ("r", ["rdata", "rresp"])):
            if before.get(f"{channel}valid") and not before[f"{channel}taken"]:
                assert early[f"axi__{channel}valid"]
                assert all(early[f"axi__{name}"] == before[name] for name in payload)
        await Timer(8, "ns")
        late = pins.read(outputs)
        assert late == early, "an output changed within a cycle"
        before = {name.removeprefix("axi__"): value for name, value in late.items()}
        for channel in "br":
            ready = int(getattr(dut, f"axi__axi__{channel}ready").value)
            before[f"{channel}taken"] = before[f"{channel}valid"] & ready


async def start(dut: Any) -> tuple[AxiLiteMaster, Memory]:
    """Reset, and place client, memory and rules."""
    bench = Bench(dut)
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axi__axi_"), dut.clk, dut.rst)
    await bench.reset()
    memory = Memory(dut, "axi", bench.pins["axi"], random.Random(SEED))
    cocotb.start_soon(memory.run())
    cocotb.start_soon(rules(dut, bench))
    return master, memory


async def write(master: AxiLiteMaster, word: int, value: int) -> AxiResp:
    """Write a word."""
    answer = await with_timeout(master.write(4 * word, value.to_bytes(4, "little")), 20, "us")
    return answer.resp


async def read(master: AxiLiteMaster, word: int) -> tuple[int, AxiResp]:
    """Read a word."""
    answer = await with_timeout(master.read(4 * word, 4), 20, "us")
    return int.from_bytes(answer.data, "little"), answer.resp


def paused(rng: random.Random, share: float) -> Any:
    """Yield for ever whether a channel pauses in a cycle."""
    while True:
        yield rng.random() < share


@cocotb.test()
@cocotb.parametrize(
    pauses=[(0, 0, 0, 0, 0), (0.9, 0, 0, 0, 0), (0, 0.9, 0, 0, 0), (0, 0, 0.8, 0, 0.8)]
)
async def words_are_written_and_read(dut: Any, pauses: tuple[float, ...]) -> None:
    """Address before data and data before address; answers that wait; reads beside writes."""
    master, memory = await start(dut)
    rng = random.Random(f"{SEED} {pauses}")
    channels = (
        master.write_if.aw_channel,
        master.write_if.w_channel,
        master.write_if.b_channel,
        master.read_if.ar_channel,
        master.read_if.r_channel,
    )
    for channel, share in zip(channels, pauses, strict=True):
        if share:
            channel.set_pause_generator(paused(random.Random(rng.random()), share))
    expected = list(memory.words)

    async def writer() -> None:
        for _ in range(30):
            word, value = rng.randrange(32), rng.getrandbits(32)
            assert await write(master, word, value) is AxiResp.OKAY
            expected[word] = value

    async def reader() -> None:
        for _ in range(30):
            word = rng.randrange(32, 62)
            assert await read(master, word) == (expected[word], AxiResp.OKAY)

    tasks = [cocotb.start_soon(writer()), cocotb.start_soon(reader())]
    for task in tasks:
        await task
    assert memory.words == expected
    for word in range(0, 32, 3):
        assert await read(master, word) == (expected[word], AxiResp.OKAY)
    assert len({write for write, _ in memory.log[:8]}) == 2, "one channel came before the other"


@cocotb.test()
async def several_are_in_flight(dut: Any) -> None:
    """The client sends many words at once, and takes the answers as they come."""
    master, memory = await start(dut)
    data = bytes(range(64))
    both = [cocotb.start_soon(master.write(0, data)), cocotb.start_soon(master.read(128, 64))]
    answers = [await with_timeout(task, 50, "us") for task in both]
    assert answers[0].resp is AxiResp.OKAY
    assert answers[1].data == b"".join(w.to_bytes(4, "little") for w in memory.words[32:48])
    assert (await master.read(0, 64)).data == data


@cocotb.test()
async def answers_wait_until_they_are_taken(dut: Any) -> None:
    """One is held back on each side, with others behind it: none is lost, none is changed."""
    master, memory = await start(dut)
    held = (master.write_if.b_channel, master.read_if.r_channel)
    for channel in held:
        channel.pause = True
    last = 4 * (REFUSED - 3)
    tasks = [cocotb.start_soon(master.read(4 * word, 4)) for word in range(20, 26)]
    tasks += [cocotb.start_soon(master.write(last + 4 * i, bytes(4))) for i in (3, 0, 3, 1)]
    await Timer(1, "us")
    assert len(memory.log) == 2, "the bus is asked again though no answer was taken"
    for channel in held:
        channel.pause = False
    answers = [await with_timeout(task, 20, "us") for task in tasks]
    words = [int.from_bytes(answer.data, "little") for answer in answers[:6]]
    assert words == memory.words[20:26]
    refused, okay = AxiResp.SLVERR, AxiResp.OKAY
    assert [answer.resp for answer in answers[6:]] == [refused, okay, refused, okay]


@cocotb.test()
async def what_is_refused(dut: Any) -> None:
    """SLVERR: of the bus, and for a part of a word; nothing is written then, the next goes well."""
    master, memory = await start(dut)
    before = list(memory.words)
    assert await write(master, REFUSED, 1) is AxiResp.SLVERR
    assert (await read(master, REFUSED)) == (0, AxiResp.SLVERR)
    seen = len(memory.log)
    for address, length in ((4, 1), (5, 1), (6, 2), (9, 3)):
        answer = await with_timeout(master.write(address, bytes([0xA5] * length)), 20, "us")
        assert answer.resp is AxiResp.SLVERR, (address, length)
    assert len(memory.log) == seen
    assert memory.words == before
    assert await write(master, 1, 77) is AxiResp.OKAY
    assert await read(master, 1) == (77, AxiResp.OKAY)
    part = await with_timeout(master.read(6, 2), 20, "us")
    assert bytes(part.data) == (77).to_bytes(4, "little")[2:]


@cocotb.test()
async def a_read_that_is_put_off_lets_writes_through(dut: Any) -> None:
    master, memory = await start(dut)
    waiting = cocotb.start_soon(master.read(4 * PUT_OFF, 4))
    for i in range(5):
        assert await write(master, 5 + i, i) is AxiResp.OKAY
    assert memory.log.count((False, PUT_OFF)) >= 4
    assert not waiting.done()
    assert await write(master, 0, 9) is AxiResp.OKAY
    answer = await with_timeout(waiting, 20, "us")
    assert int.from_bytes(answer.data, "little") == memory.words[PUT_OFF]


@cocotb.test()
async def all_addresses_come_through(dut: Any) -> None:
    """Of 20 bits the upper 18, the lower two being ignored."""
    master, memory = await start(dut)
    for bit in range(18):
        assert await write(master, 1 << bit | 0x20000, 1) is AxiResp.SLVERR
        assert memory.log[-1] == (True, 1 << bit | 0x20000)
        await read(master, 1 << bit)
        assert memory.log[-1] == (False, 1 << bit)
