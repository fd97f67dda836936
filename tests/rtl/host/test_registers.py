"""The bench of the host's registers under each simulator, and what they refuse to be."""

from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.host import HostShape
from syncfabric.rtl.host.registers import HostRegisters
from tests.rtl.host.bench_registers import SHAPES
from tests.rtl.support import run_bench


@pytest.mark.long
def test_registers(simulator: str, tmp_path: Path) -> None:
    parts = {name: HostRegisters(shape) for name, shape in SHAPES.items()}
    run_bench(simulator, parts, "tests.rtl.host.bench_registers", tmp_path)


@pytest.mark.parametrize(
    ("nodes", "registers", "meters", "words"),
    [
        (1025, 4, 1, "nodes = 1025: a host front has room for at most 1024"),
        (4, 33, 1, "registers of a node = 33: a host front has room for at most 32"),
        (4, 4, 17, "meters = 17: a host front has room for at most 16"),
        (1024, 16, 1, "a host front would look at 180224 wires"),
    ],
)
def test_what_there_is_no_room_for(nodes: int, registers: int, meters: int, words: str) -> None:
    shape = HostShape(nodes=nodes, registers=registers, data_bits=8, targets=nodes, meters=meters)
    with pytest.raises(SpecError, match=words):
        shape.check()
