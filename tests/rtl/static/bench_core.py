"""A node's core alone: what a flush does in the very cycle in which a barrier ends."""

from typing import Any

import cocotb

from syncfabric.models.messages import ROLE_WORD, Role, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from tests.rtl.support import Bench

SPEC = StaticSpec(kind="static", width=2, height=2)


@cocotb.test()
@cocotb.parametrize(flushed=[False, True])
async def a_flush_takes_the_release_back(dut: Any, flushed: bool) -> None:
    """A member of a tree of one flit arrives; the flit is popped, and flushed or not."""
    bench = Bench(dut)
    pins = bench.pins["core"]
    await bench.reset()
    pins.drive({"eject__flush": 1})  # as in reset, from the switch
    await bench.edge()
    role = ROLE_WORD.pack({"role": Role.TREE, "flits": 1})
    request = {"valid": 1, "address": StaticWord.ROLE, "write": 1, "data": role}
    pins.drive({f"config__{name}": value for name, value in request.items()} | {"eject__flush": 0})
    await bench.edge()
    pins.drive({"config__valid": 0, "port__arrive": 1, "eject__valid": 1})
    await bench.settle()
    assert pins.read(["port__ready", "config__ready", "config__error"]) == {
        "port__ready": 1,
        "config__ready": 1,
        "config__error": 0,
    }
    await bench.edge()
    pins.drive({"port__arrive": 0, "eject__valid": 0, "eject__flush": flushed})
    await bench.settle()
    assert pins["eject__credit"] == 1
    await bench.edge()
    pins.drive({"eject__flush": 0, "config__valid": 1, "config__write": 0})
    for cycle in range(3):
        await bench.settle()
        assert pins["port__released"] == (cycle == 0 and not flushed)
        assert pins["port__done"] == (not flushed)
        await bench.edge()
    assert pins["config__rdata"] == role
