"""``syncfabric check``."""

import json
from dataclasses import replace
from pathlib import Path

from syncfabric.models.collectives.certificate import Bound, Distance, Solver
from syncfabric.models.collectives.files import save_schedule
from tests.cli.conftest import Call
from tests.models.collectives.right_schedules import fig_5, ring_aab_strict, table_4


def test_a_right_schedule_is_code_0(call: Call, here: Path) -> None:
    save_schedule(table_4(), here / "s.json")
    result = call("check", "s.json", "--ts", 100, "--t1", 2, "--bytes", 10)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "alltoall (AAS) on octagon-8, all ports, single-use, wormhole"
    assert lines[1] == "steps      4; 56 messages, 56 of 56 served; routing minimal"
    assert lines[2].startswith("time       420 ns by eq. (3), 480 ns if each step pays")
    assert lines[3].startswith("bounds     4: 16 messages must leave 4 vertices by 4 channels")
    assert lines[-1] == "verdict    right, and optimal: a bound is met"


def test_a_wrong_schedule_is_code_1(call: Call, here: Path) -> None:
    steps = table_4().steps
    wrong = replace(table_4(), steps=(steps[0] + steps[1][:1], *steps[1:]))
    save_schedule(wrong, here / "s.json")
    result = call("check", "s.json")
    assert result.exit_code == 1
    said = [line for line in result.stdout.splitlines() if line.startswith("wrong ")]
    assert said[0].startswith("wrong      step 1: channel ")
    assert "carries both message" in said[0]
    assert any("step 2: message 0 to 2 is delivered a second time" in line for line in said)
    assert result.stdout.splitlines()[-1].startswith("verdict    wrong: ")
    assert " rules broken" in result.stdout


def test_as_json(call: Call, here: Path) -> None:
    save_schedule(table_4(), here / "s.json")
    found = json.loads(call("check", "s.json", "--json").stdout)
    assert (found["verdict"], found["steps"], found["bound"]) == ("right", 4, 4)
    assert found["optimal"] is True
    assert found["time"]["eq3"] == 4 * 1000 + 1024
    assert found["time"]["each_step"] == 4 * (1000 + 1024)
    assert {bound["argument"]["kind"] for bound in found["bounds"]} == {
        "cut",
        "distance",
        "load",
        "ports",
        "paper",
    }
    assert found["conflicts"] == []
    assert found["certificate"] is None
    short = replace(table_4(), steps=table_4().steps[:3])
    save_schedule(short, here / "s.json")
    result = call("check", "s.json", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["verdict"] == "wrong"
    assert found["optimal"] is False
    assert found["conflict_count"] == 16
    assert found["conflicts"][0]["messages"] == [[0, 4]]


def test_a_schedule_may_be_right_and_not_optimal(call: Call, here: Path) -> None:
    longer = replace(fig_5(), steps=(*fig_5().steps, ()))
    save_schedule(longer, here / "s.json")
    result = call("check", "s.json")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "verdict    right; not proved optimal"


def test_a_detour_is_reported(call: Call, here: Path) -> None:
    save_schedule(ring_aab_strict(8), here / "s.json")
    assert "routing up to 6 hops longer than minimal" in call("check", "s.json").stdout


def test_certificates_are_verified(call: Call, here: Path) -> None:
    for bound, code, words in (
        (Bound(4, Distance(88, 24)), 0, "88 hops together, 24 a step at most; holds"),
        (Bound(4, Distance(88, 22)), 1, "does not hold: it counts 22 where there are 24"),
        (Bound(5, Distance(88, 24)), 1, "does not hold: it proves 4, not 5"),
        (Bound(4, Solver("s 1", "log")), 0, "cannot be checked without the solver"),
    ):
        save_schedule(replace(table_4(), certificate=bound), here / "s.json")
        result = call("check", "s.json")
        assert result.exit_code == code
        assert words in result.stdout
        found = json.loads(call("check", "s.json", "--json").stdout)["certificate"]
        assert found["holds"] is (None if isinstance(bound.argument, Solver) else code == 0)


def test_bad_input_is_code_2(call: Call, here: Path) -> None:
    values = table_4().to_json()
    values["steps"][1][0]["path"] = [0, 2]
    (here / "s.json").write_text(json.dumps(values))
    result = call("check", "s.json")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: s.json: schedule: steps[1][0].path: topology octagon-8 has no channel [0, 2]\n"
    )
