# amaranth: UnusedElaboratable=no
"""The bench of member and watch under each simulator, and what they refuse."""

from pathlib import Path

import pytest
from amaranth.lib import wiring

from syncfabric.rtl.traffic.member import BarrierMember
from syncfabric.rtl.traffic.watch import BarrierWatch
from tests.rtl.support import run_bench
from tests.rtl.traffic.bench_barrier import MEMBERS, SPEC


def test_member_and_watch(simulator: str, tmp_path: Path) -> None:
    parts: dict[str, wiring.Component] = {"member": BarrierMember(SPEC)}
    parts |= {f"watch_{members}": BarrierWatch(members) for members in MEMBERS}
    run_bench(simulator, parts, "tests.rtl.traffic.bench_barrier", tmp_path)


def test_watch_over_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^BarrierWatch needs at least 1 member, not 0$"):
        BarrierWatch(0)
