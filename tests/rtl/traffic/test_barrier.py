# amaranth: UnusedElaboratable=no
"""The bench of the barrier member under each simulator, and its ports beside wires."""

from pathlib import Path

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.traffic.member import BarrierMember
from tests.rtl.support import ports, run_bench
from tests.rtl.traffic.bench_barrier import SPEC


def test_member(simulator: str, tmp_path: Path) -> None:
    parts = {"member": BarrierMember(SPEC)}
    run_bench(simulator, parts, "tests.rtl.traffic.bench_barrier", tmp_path)


def test_a_member_has_a_bit_for_every_register_of_the_node_port() -> None:
    spec = MeshSpec(kind="mesh", width=4, height=4, barrier_registers=3, data_bits=5, sync="both")
    found = ports(BarrierMember(spec))
    assert found["member"] == found["released"] == ("in", 6)
    assert found["arrive"] == ("out", 6)
    assert found["data"] == ("out", 30)
