"""Schedule files, topologies as JSON, and permutations."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.task import Ports, Rules, Task
from tests.fuzz.campaign import fuzzed, sandbox
from tests.fuzz.holds import stub
from tests.fuzz.mutation import as_json, broken_bytes, mutated

TASKS: dict[str, tuple[str, str, Ports]] = {
    "scatter": ("ring-4", "OAS", "all"),
    "broadcast": ("mesh-2x3", "OAB", 1),
    "exchange": ("coated-mesh-2x2", "AAS", "all"),
    "gather": ("star-4", "AOG", "all"),
}
COMMANDS = [
    ["check", "s.json"],
    ["check", "s.json", "--json"],
    ["report", "s.json", "-o", "page.html"],
    ["replay", "s.json", "--sim", "model"],
]


@cache
def _values(name: str) -> dict[str, Any]:
    topology, kind, ports = TASKS[name]
    on = named(topology)
    found = search(Task(on, collective(kind, on), Rules(ports)), time_limit=5)
    assert isinstance(found.schedule, Schedule)
    return found.schedule.to_json()


@pytest.fixture(autouse=True, scope="module")
def _no_long_work() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        stub(patch, "syncfabric.sim.replay.replay.run_job")
        yield


def _call(data: bytes, words: list[str], name: str = "s.json") -> None:
    with sandbox() as box:
        (box.here / name).write_bytes(data)
        box.call(words, differs=words[0] != "report")


@fuzzed(1.5)
@given(
    st.sampled_from(sorted(TASKS)).flatmap(lambda name: mutated(_values(name))),
    st.sampled_from(COMMANDS),
)
def test_values_of_a_schedule(values: Any, words: list[str]) -> None:
    _call(as_json(values), words)


@fuzzed()
@given(
    st.sampled_from(sorted(TASKS)).flatmap(lambda name: broken_bytes(as_json(_values(name)))),
    st.sampled_from(COMMANDS[:3]),
)
def test_bytes_of_a_schedule(data: bytes, words: list[str]) -> None:
    _call(data, words)


@fuzzed()
@given(
    st.sampled_from(sorted(TASKS)).flatmap(lambda name: mutated(_values(name)["topology"])),
)
def test_values_of_a_topology(values: Any) -> None:
    _call(as_json(values), ["topologies", "t.json", "--json"], "t.json")


@fuzzed()
@given(
    st.one_of(
        broken_bytes(b"3 2 1 0\n"),
        broken_bytes(b"[3, 2, 1, 0]\n"),
        mutated([3, 2, 1, 0]).map(as_json),
    )
)
def test_a_permutation(data: bytes) -> None:
    words = ["schedule", "ring-4", "permutation", "--permutation", "p", "--time-limit", "0.1"]
    _call(data, [*words, "--json"], "p")
