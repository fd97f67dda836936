# amaranth: UnusedElaboratable=no
"""The register's bench under each simulator, and its ports under every option."""

from pathlib import Path

import pytest

from syncfabric.models.messages import CONTROL, NODE_WORD, STATUS, Kind, RegisterWord
from syncfabric.rtl.barrier.register import BarrierRegister
from tests.rtl.barrier.bench_register import CASES, network
from tests.rtl.support import clocked, ports, run_bench


@pytest.mark.long_under("verilator")
def test_barrier_register(simulator: str, tmp_path: Path) -> None:
    parts = {name: BarrierRegister(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.barrier.bench_register", tmp_path)


@pytest.mark.parametrize("operations", ["bitwise", "all"])
def test_only_serial_combining_has_a_choice(operations: str) -> None:
    found = ports(BarrierRegister(network(operations=operations)))
    assert ("chosen" in found) == ("chosen_local" in found) == (operations == "all")
    assert found["status"] == ("out", STATUS.width)


def test_register_without_data_has_no_data_pins() -> None:
    found = ports(BarrierRegister(network(data_bits=0)))
    assert all(found[name][1] == 0 for name in ("data", "result", "accumulated", "send__data"))


@pytest.mark.parametrize("operations", ["bitwise", "all"])
@pytest.mark.parametrize("written", [0, 1])
def test_a_message_that_meets_a_write_of_word_0_leaves_nothing(
    written: int, operations: str
) -> None:
    spec = network(operations=operations)
    zeros = dict.fromkeys((field.name for field in spec.layout.sync.fields), 0)
    child = NODE_WORD.pack({"x": 2, "y": 1, "present": 1})
    image = dict.fromkeys((field.name for field in CONTROL.fields), 0)
    control = CONTROL.pack({**image, "valid": 1, "root": 1, "gid": 7})
    message = spec.layout.sync.pack({**zeros, "kind": Kind.REDUCE, "gid": 7, "turn": 1, "data": 3})
    serial = {"chosen": 1} if operations == "all" else {}
    *_, meets, after = clocked(
        BarrierRegister(spec),
        [
            {"write": 1 << RegisterWord.EAST, "write_data": child, **serial},
            {"write": 1, "write_data": control},
            {"write": written, "here": 1, "class_0": 2, "message_0": message},
            {"write": 0, "here": 0},
        ],
    )
    assert meets["used"] == (0 if written else 1)
    assert meets["write_refused"] == 0
    assert (after["status"], after["accumulated"]) == ((0, 0) if written else (1, 3))
