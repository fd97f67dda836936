"""What a report is made of: results of runs, folders of figures; and plans read from Python."""

import json
from contextlib import suppress
from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.errors import SyncfabricError
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.network import Network
from tests.fuzz.campaign import fuzzed, sandbox
from tests.fuzz.holds import BYTES, SECONDS, within
from tests.fuzz.mutation import as_json, broken_bytes, mutated

REPORT = ["report", "r.json", "-o", "page.html"]
RUNS: dict[str, dict[str, Any]] = {
    "mesh-2x2": {"background": 0.1},
    "reflex-2x2": {},
    "churn-mesh": {"churn": 2},
    "cluster-fig1": {"background": 0.9},
}
PLANS = ("mesh-4x4", "cluster-fig1", "reflex-4x4", "wires-4x4")
HEADS = b"claim,paper,ours,ratio,verdict,by_formula\n"
CLAIMS = HEADS + b'"as the paper, nearly",12.5,12,0.96,holds,yes\nwords,,3,,,\n'
CURVES = b"series,x,y\nours,1,2.5\nours,2,1e3\npaper,1,2\n"


@cache
def _result(name: str) -> Any:
    result = Network.load(name).run("model", 3, heat=None, **RUNS[name])
    return result.to_json()


@cache
def _plan(name: str) -> Any:
    return json.loads(json.dumps(Network.load(name).plan().to_json()))


def _call(files: dict[str, bytes], words: list[str]) -> None:
    with sandbox() as box:
        (box.here / "figures").mkdir()
        for name, data in files.items():
            (box.here / name).write_bytes(data)
        box.call(words)


@fuzzed()
@given(st.sampled_from(sorted(RUNS)).flatmap(lambda name: mutated(_result(name))))
def test_values_of_a_result(values: Any) -> None:
    _call({"r.json": as_json(values)}, REPORT)


@fuzzed()
@given(st.deferred(lambda: broken_bytes(as_json(_result("mesh-2x2")))))
def test_bytes_of_a_result(data: bytes) -> None:
    _call({"r.json": data}, REPORT)


@fuzzed(0.5)
@given(
    st.one_of(st.just(CLAIMS), broken_bytes(CLAIMS)),
    st.one_of(st.just(CURVES), broken_bytes(CURVES)),
    st.sampled_from(["fig4", "table1", "own", "a" * 200, "<b>", "x\ny", "$x$"]),
)
def test_a_folder_of_figures(claims: bytes, curves: bytes, name: str) -> None:
    files = {f"figures/{name}.csv": claims, f"figures/{name}-series.csv": curves}
    _call(files, ["report", "figures", "-o", "page.html"])


@fuzzed(2)
@given(st.sampled_from(PLANS).flatmap(lambda name: mutated(_plan(name))))
def test_values_of_a_plan(values: Any) -> None:
    with within(SECONDS, BYTES), suppress(SyncfabricError):
        BarrierPlan.from_json(values)
