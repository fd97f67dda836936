"""Spilled groups of switches and node interfaces whose lives managers begin and end."""

from typing import Any

import cocotb

from syncfabric.models.messages import (
    ARRIVED,
    COMMAND_WORD,
    CONTROL,
    LIFE,
    TREE,
    Command,
    Kind,
    SwitchWord,
)
from tests.rtl.irregular.bench_spill import Driver, driven
from tests.rtl.irregular.specs import network
from tests.rtl.irregular.spill_model import Request
from tests.rtl.spill.entry import TreeEntries
from tests.rtl.spill.play import EVERYWHERE, WITH_PROCESS, WITH_SINK, live
from tests.rtl.support import Bench

MANAGED: dict[str, Any] = {"spill": True, "setup": "manager", "flit_bits": 32}
CASES = {
    "switch": (network(ports=4, operations="all", **MANAGED), False),
    "turning": (network(ports=3, data_bits=0, turnaround="node", **MANAGED), False),
    "node": (network(data_bits=5, **MANAGED), True),
}


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def engine_lives_as_the_contract_says(dut: Any, case: str) -> None:
    """Three groups under commands, messages, arrivals and requests, good and bad."""
    spec, node = CASES[case]
    seen = await live(dut, case, TreeEntries(spec, node=node), cycles=8000, fixed={})
    wanted = {*EVERYWHERE, *(WITH_PROCESS if node else WITH_SINK)}
    if node:  # GO and BROKEN end there
        wanted = wanted - {"dies in the send register"} | {"a wave that ends here"}
    if case == "turning":
        wanted.add("beyond")
    assert all(seen[name] for name in wanted), [name for name in wanted if not seen[name]]


async def _ask(drive: Driver, gid: int, word: int, data: int | None = None) -> tuple[int, int]:
    """Write or read a word of a group; return error and data."""
    await drive.cycle(**driven({}, Request(gid, word, data is not None, data or 0)))
    await drive.until("config_ready")
    answer = drive.pins["config_error"], drive.pins["config_rdata"]
    await drive.bench.edge()
    return answer


async def _begin(drive: Driver, gid: int, children: int) -> None:
    """Set a root up."""
    assert await _ask(drive, gid, SwitchWord.TREE, TREE.pack({"children": children})) == (0, 0)
    control = CONTROL.pack({"valid": 1, "root": 1, "gid": gid})
    assert await _ask(drive, gid, SwitchWord.CONTROL, control) == (0, 0)


async def _end(drive: Driver, gid: int) -> None:
    """Look whether anything is left of a group."""
    control = CONTROL.pack({"root": 1, "gid": gid})
    assert await _ask(drive, gid, SwitchWord.CONTROL) == (0, control)
    state = LIFE.pack({"last": 1}) << ARRIVED.width
    assert await _ask(drive, gid, SwitchWord.ARRIVED) == (0, state)


@cocotb.test()
@cocotb.parametrize(blocked=[False, True])
async def kill_at_every_moment_leaves_nothing(dut: Any, blocked: bool) -> None:
    """After GO, whatever has become of it, both children hear BROKEN, once and last.

    ``blocked``: another group is in the send register for a while.
    """
    bench, heard = Bench(dut), set()
    pins, go = bench.pins["switch"], (COMMAND_WORD, True, Command.GO)
    drive = Driver(bench, pins)
    await bench.reset()
    for delay in range(16):
        await _begin(drive, 9, 0b0110)
        if blocked:
            await _begin(drive, 8, 0b1000)
            assert await _ask(drive, 8, COMMAND_WORD, Command.GO) == (0, 0)
            await drive.until("send__children")
        await drive.cycle(**driven({}, Request(9, *go)))
        sent = []
        for cycle in range(60):
            if cycle == delay + 3:
                pins.drive(driven({}, Request(9, COMMAND_WORD, True, Command.KILL)))
            await bench.settle()
            # A message in three cycles, one child after the other; the other group's comes late.
            bit = pins["send__children"] & -pins["send__children"]
            if bit and cycle % 3 == 0 and (cycle > 9 or pins["send__gid"] == 9):
                sent.append((pins["send__gid"], pins["send__wave"], bit))
                pins.drive({"send__sent": bit})
            await bench.edge()
            pins.drive({"send__sent": 0, "config_valid": 0})
        assert sent[:blocked] == [(8, Kind.GO, 8)][:blocked]
        assert sent[-2:] == [(9, Kind.BROKEN, 2), (9, Kind.BROKEN, 4)]
        assert sent[blocked:-2] in ([], [(9, Kind.GO, 2), (9, Kind.GO, 4)])
        heard.add(len(sent) - blocked)
        await _end(drive, 9)
        if blocked:
            assert await _ask(drive, 8, COMMAND_WORD, Command.KILL) == (0, 0)
            await drive.until("send__children")
            await drive.cycle(send__sent=8)
            await _end(drive, 8)
    assert heard == ({2, 4} if blocked else {4})
