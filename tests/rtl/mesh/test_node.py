# amaranth: UnusedElaboratable=no
"""The bench of one node alone under each simulator, and its ports under every option."""

from pathlib import Path

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.node import MeshNode
from syncfabric.rtl.mesh.ports import DIRECTIONS
from tests.rtl.mesh.bench_node import SPEC
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_node(simulator: str, tmp_path: Path) -> None:
    run_bench(simulator, {"node": MeshNode(SPEC)}, "tests.rtl.mesh.bench_node", tmp_path)


def test_ports() -> None:
    spec = MeshSpec(
        kind="mesh", width=4, height=2, channels=2, barrier_registers=3,
        sync_links="own",
    )  # fmt: skip
    found = ports(MeshNode(spec))
    for name in DIRECTIONS:
        assert found[f"{name}_in__sync"] == ("in", spec.layout.sync.width)
        assert found[f"{name}_in__credit"] == ("out", 2)
        assert found[f"{name}_out__flit"] == ("out", spec.layout.flit.width)
        assert found[f"{name}_out__sync_credit"] == ("in", 2)
    assert found["local_in__valid"] == ("in", 2)
    assert "local_in__sync_valid" not in found
    assert found["result"] == ("out", 3 * spec.data_bits)
