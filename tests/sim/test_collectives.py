"""Collectives from Python: run, checked, and beside their formulas."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import load
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.timing.static import allreduce_cycles, broadcast_cycles
from syncfabric.sim.collectives import Collective, run_collectives
from syncfabric.sim.drive.static import software

PLAN = make_plan(load("reflex-4x4"))
ASKED = (Collective(1, "allreduce", 32, "max", 1), Collective(1, "broadcast", 5))


def test_results() -> None:
    result = run_collectives(PLAN, ASKED, sim="model", episodes=16)
    assert (result.verdict, result.reason) == ("checked", None)
    assert tuple(done.asked for done in result.collectives) == ASKED
    network = PLAN.spec.network
    bounds = [allreduce_cycles(16, 16, 15, 32, 1, network), broadcast_cycles(16, 5, network)]  # type: ignore[arg-type]
    assert [done.bound for done in result.collectives] == bounds
    assert [max(done.cycles) for done in result.collectives] == bounds
    assert [len(done.cycles) for done in result.collectives] == [16, 16]


def test_a_wrong_result_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(software.COMBINE, "max", lambda own, _: own)
    result = run_collectives(PLAN, ASKED, sim="model", episodes=2)
    assert result.verdict == "mismatch"
    assert "group 1: flits read" in str(result.reason)


@pytest.mark.parametrize(
    ("asked", "values", "message"),
    [
        (ASKED, {"sim": "questa"}, "sim must be one of verilator, icarus, model, not 'questa'"),
        (ASKED, {"episodes": 0}, "episodes must be 1 or more, not 0"),
        ((), {}, "no collective is asked for; give one or more"),
        ((Collective(2, "reduce"),), {}, "collective 1: group 2 is not on the network"),
    ],
)
def test_refused(asked: tuple[Collective, ...], values: dict[str, int], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        run_collectives(PLAN, asked, **values)  # type: ignore[arg-type]
