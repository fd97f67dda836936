"""The bench of the barrier member under each simulator."""

from pathlib import Path

from syncfabric.rtl.traffic.member import BarrierMember
from tests.rtl.support import run_bench
from tests.rtl.traffic.bench_barrier import SPEC


def test_member(simulator: str, tmp_path: Path) -> None:
    parts = {"member": BarrierMember(SPEC)}
    run_bench(simulator, parts, "tests.rtl.traffic.bench_barrier", tmp_path)
