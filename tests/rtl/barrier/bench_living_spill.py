"""Spilled groups of a mesh node whose lives managers begin and end."""

from typing import Any

import cocotb

from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.spill.entry import MeshEntries
from tests.rtl.spill.play import EVERYWHERE, WITH_PROCESS, WITH_SINK, live

X, Y = 1, 1


def network(**options: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=3, height=3, spill=True, setup="manager", **options)


CASES = {
    "all": network(data_bits=6, operations="all"),
    "bitwise": network(),
}


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def engine_lives_as_the_contract_says(dut: Any, case: str) -> None:
    """Three groups under commands, messages, arrivals and requests, good and bad."""
    kind = MeshEntries(CASES[case], X, Y)
    seen = await live(dut, case, kind, cycles=8000, fixed={"x": X, "y": Y})
    wanted = {*EVERYWHERE, *WITH_SINK, *WITH_PROCESS}
    assert all(seen[name] for name in wanted), [name for name in wanted if not seen[name]]
