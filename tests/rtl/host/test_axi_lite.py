"""The bench of the AXI4-Lite front under each simulator, and who goes first."""

import random
from itertools import pairwise
from pathlib import Path

import pytest

from syncfabric.rtl.host.axi_lite import AxiLite
from tests.rtl.support import clocked, run_bench


@pytest.mark.nightly_under("verilator")
def test_axi_lite(simulator: str, tmp_path: Path) -> None:
    run_bench(simulator, {"axi": AxiLite()}, "tests.rtl.host.bench_axi_lite", tmp_path)


WRITE = {"axi__awvalid": 1, "axi__wvalid": 1, "axi__wstrb": 15}
READ = {"axi__arvalid": 1}
READY = {"axi__bready": 1, "axi__rready": 1, "bus__ready": 1}


def on_the_bus(cases: list[dict[str, int]]) -> str:
    """Return what comes to a bus that is always ready: w or r for each request."""
    silent = dict.fromkeys([*WRITE, *READ], 0)
    seen = clocked(AxiLite(), [{**silent, **READY, **case} for case in [{}, *cases]])
    return "".join("rw"[cycle["bus__write"]] for cycle in seen if cycle["bus__valid"])


def test_of_both_that_goes_first_which_did_not_go_last() -> None:
    """A write, a read, or both in one cycle, each time after a pause."""
    asked = [WRITE, WRITE | READ, WRITE | READ, READ, WRITE | READ, READ, WRITE, WRITE | READ]
    cases = [case for each in asked for case in (each, *[{}] * 7)]
    assert on_the_bus(cases) == "wrwrwrwrrwrw"


@pytest.mark.parametrize("seed", range(4))
def test_reads_and_writes_take_turns_for_long(seed: int) -> None:
    """Both sides ask nearly always: neither goes twice while the other waits."""
    rng = random.Random(seed)
    pause, slow = (0, 0.2)[seed % 2], (0, 0.5)[seed // 2]
    wills = dict.fromkeys([*WRITE, *READ, "axi__bready", "axi__rready"], pause)
    rates = {**wills, "bus__ready": slow, "bus__later": 0.7, "bus__error": 0.9}
    cases = [
        {name: int(rng.random() >= rate) for name, rate in rates.items()}
        | {"axi__wstrb": rng.choice((15, 15, 15, 7))}
        for _ in range(2000)
    ]
    seen = clocked(AxiLite(), cases)
    last, contested, went = False, 0, {True: 0, False: 0}
    for now, then in pairwise(seen):
        writes = not (now["axi__awready"] or now["axi__wready"] or now["axi__bvalid"])
        reads = not (now["axi__arready"] or now["axi__rvalid"])
        if now["bus__valid"] or not (writes or reads):
            continue
        refused = then["axi__bvalid"] and not now["axi__bvalid"]
        assert then["bus__valid"] or refused, "a request that can go does not"
        goes = bool(then["bus__write"] or refused)
        assert writes if goes else reads, "a request goes that cannot"
        if writes and reads:
            assert goes is not last, "one side goes twice while the other waits"
            contested += 1
        last = goes
        went[goes] += 1
    assert contested > 100
    assert min(went.values()) > 150


def test_reads_go_on_beside_writes_that_never_pause() -> None:
    assert on_the_bus([WRITE | READ] * 40).count("r") >= 8


PART = WRITE | {"axi__wstrb": 7}


@pytest.mark.parametrize(
    ("stuck", "goes", "seen"),
    [
        ({"axi__awvalid": 1}, READ, "r"),
        ({"axi__wvalid": 1, "axi__wstrb": 15}, READ, "r"),
        (WRITE | {"axi__bready": 0}, READ, "r"),
        (READ | {"axi__rready": 0}, WRITE, "w"),
    ],
    ids=["no data", "no address", "answer of a write", "answer of a read"],
)
def test_what_is_stuck_on_one_side_never_holds_the_other(
    stuck: dict[str, int], goes: dict[str, int], seen: str
) -> None:
    """A half of a write, or an answer that nobody takes; the other side goes on and on."""
    cases = [stuck] * 4 + [stuck | goes] * 40
    assert on_the_bus(cases).count(seen) >= 8


def test_a_write_that_is_refused_for_its_strobes_took_its_turn() -> None:
    """It does not come to the bus; of a write and a read that come together the read goes next."""
    cases = [case for each in (READ, PART, WRITE | READ) for case in (each, *[{}] * 7)]
    assert on_the_bus(cases) == "rrw"
