"""The trace corpus agrees with the code, sees what is changed, and has all there is to choose."""

import dataclasses
import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any, get_args

import pytest

from syncfabric.models.networks.linked_table import LinkedTable
from syncfabric.models.networks.schema import NetworkFile
from syncfabric.sim.drive.recovery.run import RecoveryRunner
from syncfabric.sim.drive.recovery.scenario import RecoveryScenario
from syncfabric.sim.drive.scenario import Policy, Scenario
from syncfabric.sim.drive.schemes import SCHEMES
from syncfabric.sim.drive.static.operations import KINDS
from tests.nightly import nightly_but
from tests.trace import run
from tests.trace.corpus import FOLDER, Entry, corpus
from tests.trace.play import texts

ENTRIES = {entry.name: entry for entry in corpus()}
LARGE = {
    *("dimension-concentrated", "dimension-torus", "dimension-ring"),
    *("adaptive-torus", "adaptive-cube", "topology-torus", "static-torus"),
}
TABLES = {"mesh": "MeshSpec", "irregular": "IrregularTable", "static": "StaticTable"}
REFUSED = {
    ("mesh", "setup"): {"paper"},
    ("static", "data_bits"): {"1"},
}
"""Values that the schema allows, and the network refuses."""
TRACE, LINE = "mixed.trace", 100
LIMIT_BYTES = 300_000


@pytest.mark.parametrize("name", nightly_but(ENTRIES.keys() - LARGE, ENTRIES))
def test_files_and_golden_model_are_as_recorded(name: str) -> None:
    for source in ("files", "model"):
        old = run.recorded(ENTRIES[name], source)
        assert run.differences(ENTRIES[name], source, old) == []


@pytest.mark.nightly
def test_verilog_and_hardware_are_as_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["check", "--simulators"]) == 0, capsys.readouterr().out


def test_what_is_recorded_is_small_and_whole() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.*")) < LIMIT_BYTES
    for path, sources in (("digests.json", ("files", "model")), ("verilog.json", ("verilog",))):
        assert {*json.loads((FOLDER / path).read_text())} == ENTRIES.keys()
        for entry in ENTRIES.values():
            fronts = [front.kind if front else "network" for front in entry.fronts]
            made = {f"{front}.v" for front in fronts}
            if "model" in sources:
                made = {*entry.files(), *(f"{name}.trace" for name in entry.scenarios)}
            assert run.recorded(entry, sources[0]).keys() == made


DOCTORED: dict[str, Callable[[list[str]], list[str]]] = {
    "a line is another": lambda lines: [*lines[: LINE - 1], "0 0 0 0", *lines[LINE:]],
    "a line is missing": lambda lines: lines[: LINE - 1] + lines[LINE:],
    "a line is too many": lambda lines: [*lines[: LINE - 1], lines[0], *lines[LINE - 1 :]],
    "two lines are swapped": lambda lines: [
        *lines[: LINE - 1],
        *(lines[LINE], lines[LINE - 1]),
        *lines[LINE + 1 :],
    ],
    "the end is missing": lambda lines: lines[: LINE - 1],
}


@pytest.mark.parametrize("how", DOCTORED)
def test_a_doctored_trace_is_found_and_located(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ENTRIES["mesh"]
    lines = texts(entry, "model")[TRACE].splitlines()
    size, cycle = run.SIZES["digests.json"], int(lines[96].split()[0], 16)
    text = "\n".join(DOCTORED[how](lines))
    monkeypatch.setattr(run, "texts", lambda *_: {TRACE: text})
    (found,) = run.differences(entry, "model", run.recorded(entry, "model"))
    first = (LINE - 1) // size * size + 1
    assert first == 97
    assert found == (
        f"mesh: {TRACE} (model): differs from line {first} on, cycle {cycle}; "
        f"see both: scripts/trace diff mesh {TRACE}"
    )


def test_both_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    old = run.show("wires", TRACE)
    lines = old.splitlines()
    monkeypatch.setattr(run, "_show_at", lambda *_: "\n".join(DOCTORED["a line is another"](lines)))
    shown = run.diff("wires", TRACE, "0123456").splitlines()
    assert shown[:2] == ["--- 0123456", "+++ now"]
    assert "-0 0 0 0" in shown
    assert f"+{lines[LINE - 1]}" in shown


@pytest.mark.nightly
def test_a_commit_s_own_code_makes_the_other() -> None:
    assert run.diff("wires", "plan.json", "HEAD") == ""


def test_a_hang_is_reported_and_not_recorded() -> None:
    entry = ENTRIES["mesh"]
    table = {**entry.table, "run": {"mixed": {**entry.table["run"]["mixed"], "limit": 300}}}
    table.pop("recover", None)
    short = Entry("mesh", table)
    found, last = run.differences(short, "model", run.recorded(entry, "model"))
    assert found.startswith(f"mesh: {TRACE} (model): differs from line ")
    assert last.startswith("  ! hang: ")
    with pytest.raises(SystemExit, match=r"^mesh: mixed\.trace is wrong, and not recorded: ! hang"):
        run.record([short], ["model"])


def test_words_that_no_entry_has_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["check", "engine-mesh"]) == 0
    assert "all agree: 3 networks; files, model" in capsys.readouterr().out
    assert run.main(["check", "nowhere"]) == 2
    assert run.main([]) == 2


@pytest.mark.parametrize("kind", TABLES)
def test_every_key_of_a_network_has_entries(kind: str) -> None:
    """All its values, if they are few; else one that is not the default.

    What says where links are is read alike for irregular and static networks: once is enough.
    """
    keys = NetworkFile.model_json_schema()["$defs"][TABLES[kind]]["properties"]
    if kind == "static":
        keys = {key: keys[key] for key in keys.keys() - LinkedTable.model_fields.keys()}
    used: defaultdict[str, list[Any]] = defaultdict(list)
    for entry in ENTRIES.values():
        table = entry.table["network"]
        if table["kind"] == kind:
            for key, schema in keys.items():
                used[key].append(table.get(key, schema.get("default")))
    for key, schema in keys.items():
        values = set(map(str, used[key]))
        refused: set[str] = REFUSED.get((kind, key), set())
        if "enum" in schema:
            assert values == set(map(str, schema["enum"])) - refused, key
        elif key != "kind" and not refused:
            assert len(values) > 1, key


def test_every_planner_operation_and_form_of_members_has_entries() -> None:
    planners, wanted, ops = (defaultdict[str, set[str]](set) for _ in range(3))
    forms = set()
    for entry in ENTRIES.values():
        network = entry.spec.network
        kind = getattr(network, "transport", network.kind)
        wanted[kind] |= {*network.planners}
        for group in entry.spec.groups:
            planners[kind].add(group.planner)
            ops[network.kind].add(group.op)
        forms |= {type(group["members"]) for group in entry.table["group"]}
    assert planners == wanted
    every = {"or", "and", "xor", "max", "min", "sum"}
    assert ops.pop("static") == {"or"}
    assert ops == dict.fromkeys(("mesh", "irregular"), every)
    assert forms == {str, list, dict}
    assert {*NetworkFile.model_json_schema()["$defs"]["GroupTable"]["properties"]} == {
        *("id", "members", "planner", "op", "fence", "stream")
    }


def test_every_field_of_a_scenario_has_entries() -> None:
    runs = [what for entry in ENTRIES.values() for what in entry.scenarios.values()]
    for kind in (Scenario, RecoveryScenario):
        some = [what for what in runs if isinstance(what, kind)]
        for field in dataclasses.fields(kind):
            assert any(getattr(what, field.name) != field.default for what in some), field.name
    scenarios = [what for what in runs if isinstance(what, Scenario)]
    assert {what.policy for what in scenarios} == {*get_args(Policy)}
    assert {what.scheme for what in scenarios} == {"", *SCHEMES}
    assert {each.kind for what in scenarios for each in what.collectives} == {*KINDS}


RECOVERIES = [
    (entry.name, name) for entry in ENTRIES.values() for name in entry.table.get("recover", ())
]


@pytest.mark.parametrize(("entry", "name"), RECOVERIES)
def test_groups_are_hit_and_come_back(entry: str, name: str) -> None:
    runner = ENTRIES[entry].runner(name)
    assert isinstance(runner, RecoveryRunner)
    while not runner.finished:
        runner.take(runner.advance(), None)
    assert runner.outcome().costs


def test_groups_are_killed() -> None:
    runner = ENTRIES["cluster"].runner("churn")
    while not runner.finished:
        runner.take(runner.advance(), None)
    churn = runner.outcome().churn
    assert churn
    assert churn.killed > 1
