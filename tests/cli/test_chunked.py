"""``syncfabric schedule`` and ``check`` in chunks."""

import json
from pathlib import Path

import pytest

from syncfabric.cli.chunked import numbers_of_chunks
from syncfabric.models.errors import SpecError
from tests.cli.conftest import Call
from tests.models.collectives.chunks.test_msccl_json import allgather


def test_a_schedule_is_found_written_and_checked(call: Call, here: Path) -> None:
    result = call("schedule", "ring-4", "MPI_Allreduce", "--bytes", "64K", "-o", "s.json")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == (
        "allreduce on ring-4, 4 ranks, 65,536 bytes each, links of alpha 1000 ns, beta 1 ns a byte"
    )
    assert lines[-1].startswith("verdict    right; ")
    checked = call("check", "s.json")
    assert checked.exit_code == 0
    assert checked.stdout.splitlines()[-1] == lines[-1]
    found = json.loads(call("check", "s.json", "--json").stdout)
    assert (found["right"], found["ranks"], found["bytes"]) == (True, 4, 65536)
    assert found["bound"] == 1000 + 49152
    values = json.loads((here / "s.json").read_text())
    (here / "s.json").write_text(json.dumps({**values, "cut": [[]]}))
    assert "by latency alone; the cut in the file proves less" in call("check", "s.json").stdout


def test_a_schedule_may_be_optimal_for_its_number_of_chunks(call: Call, here: Path) -> None:
    words = ("dgx-a100-pair", "scatter", "--bytes", "64M", "--chunks", "1", "-o", "s.json")
    made = call("schedule", *words).stdout.splitlines()[-1]
    said = "verdict    right; 1.343 of the bound, 202,659 ns; optimal for 1 chunk"
    assert made == call("check", "s.json").stdout.splitlines()[-1] == said
    found = json.loads(call("check", "s.json", "--json").stdout)
    assert found["bound"] < found["bound_in_chunks"] == found["time"]
    values = json.loads((here / "s.json").read_text())
    values["in_chunks"]["times"][0][1] = "1"
    (here / "s.json").write_text(json.dumps(values))
    assert "optimal" not in call("check", "s.json").stdout


def test_what_is_wrong_is_code_1(call: Call, here: Path) -> None:
    call("schedule", "ring-4", "allgather", "--chunks", "2", "-o", "s.json")
    values = json.loads((here / "s.json").read_text())
    values["sends"].pop()
    (here / "s.json").write_text(json.dumps(values))
    result = call("check", "s.json")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "verdict    wrong: 1 rule broken"
    assert "ends without what rank" in result.stdout


def test_as_json(call: Call) -> None:
    found = json.loads(
        call("schedule", "dgx-1", "reduce", "--receivers", "2", "--chunks", "4:8", "--json").stdout
    )
    assert (found["collective"], found["root"], found["ranks"]) == ("reduce", 2, 8)
    assert {one["chunks"] for one in found["found"]} == {4, 6, 8}
    assert {one["method"] for one in found["found"]} == {
        "shortest",
        "trees",
        "greedy",
        "exact",
    }
    assert found["best"]["time"] == min(one["time"] for one in found["found"])
    assert found["pareto"]
    assert found["schedule"]["format"] == "syncfabric-schedule/2"


def test_a_program_in_xml(call: Call, here: Path) -> None:
    words = ["dgx-1", "allreduce", "--chunks", "6", "--bytes", "1M", "--method", "trees"]
    words += ["-o", "p.xml"]
    made = call("schedule", *words).stdout.splitlines()[-1]
    result = call("check", "p.xml", "--topology", "dgx-1", "--bytes", "1M")
    assert result.exit_code == 0
    assert made.startswith(result.stdout.splitlines()[-1])
    text = (here / "p.xml").read_text()
    (here / "p.xml").write_text(text.replace('type="rrc"', 'type="r"', 1))
    wrong = call("check", "p.xml", "--json")
    assert wrong.exit_code == 1
    found = json.loads(wrong.stdout)
    assert (found["topology"], found["right"]) == ("complete-8", False)
    assert found["rules_broken"] > 0


def test_machines_are_listed(call: Call) -> None:
    assert "dgx-1-pair" in call("topologies").stdout
    assert json.loads(call("topologies", "--json").stdout)[-1]["family"] == "dgx-a100-pair"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("3", [3]), ("1:8", [1, 2, 3, 4, 6, 8]), ("5:17", [5, 6, 8, 12, 16, 17])],
)
def test_numbers_of_chunks(text: str, numbers: list[int]) -> None:
    assert numbers_of_chunks(text) == numbers


@pytest.mark.parametrize("text", ["0", "4:2", "-1", "1:2:3", "", "1:99999"])
def test_what_are_no_numbers_of_chunks(text: str) -> None:
    with pytest.raises(SpecError, match="--chunks: it must be a number from 1 to 65,536"):
        numbers_of_chunks(text)


def test_trees_in_the_network(call: Call, here: Path) -> None:
    result = call(
        "schedule", "complete-4", "allreduce", "--in-network", "--bytes", "4K", "-o", "n.toml"
    )
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "allreduce in the network on complete-4, 4 members, 4,096 bytes each"
    assert lines[3] == "rate       2 words a cycle; no link is in two trees"
    assert lines[4] == "bound      2 words a cycle, by what passes between 4 parts"
    assert lines[6] == "run        syncfabric run n-2.toml --stream allreduce --words 512"
    ran = call(
        "run", "n-2.toml", "--stream", "allreduce", "--words", "9", "--sim", "model", "--json"
    )
    assert json.loads(ran.stdout)["streams"][0]["checked"] is True
    found = json.loads(call("schedule", "ring-4", "allreduce", "--in-network", "--json").stdout)
    assert (found["rate"], found["bound"], found["files"]) == (1, 4 / 3, [])


def test_a_schedule_in_chunks_is_replayed(call: Call, here: Path) -> None:
    call("schedule", "ring-4", "allreduce", "--bytes", "64", "--chunks", "1", "-o", "s.json")
    lines = call("replay", "s.json", "--sim", "model").stdout.splitlines()
    assert lines[0] == "allreduce on ring-4, 4 ranks, 64 bytes each, 1 chunks of a share"
    assert lines[-1] == "verdict    right: all packets have come"
    found = json.loads(call("replay", "s.json", "--sim", "model", "--ports", 1, "--json").stdout)
    assert (found["ok"], found["nodes"], found["messages"]) == (True, 4, 24)


def test_an_alltoall_goes_through_all(call: Call, here: Path) -> None:
    asked = ("schedule", "ring-4", "MPI_Alltoall", "--chunks", "2", "--bytes", "64")
    for name in ("s.json", "s.xml", "s.h", "s.et.json"):
        made = call(*asked, "-o", name)
        assert made.exit_code == 0, made.stderr
    verdict = made.stdout.splitlines()[-1]
    assert call("check", "s.json").stdout.splitlines()[-1] == verdict
    program = call("check", "s.xml", "--topology", "ring-4", "--bytes", "64", "--json")
    found = json.loads(program.stdout)
    assert (found["right"], found["collective"]) == (True, "alltoall")
    assert call(*asked, "--draw", "s.svg").exit_code == 0
    assert call("report", "s.json", "-o", "r.html").exit_code == 0
    assert "from→to" in (here / "r.html").read_text()
    values = json.loads((here / "s.json").read_text())
    values["sends"].pop()
    (here / "s.json").write_text(json.dumps(values))
    assert call("check", "s.json").exit_code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("alltoall", "--in-network"), "--in-network: it is of allreduce, not alltoall"),
        (("alltoall", "--senders", "1"), "--senders: alltoall in chunks is of all ranks"),
        (("gather", "--senders", "1"), "--senders: gather in chunks is of all ranks"),
        (("scatter", "--senders", "1,2"), "--senders: scatter in chunks has one root, not 2"),
        (("gather", "--receivers", "9"), "root must be a rank, 0 to 3, not 9"),
        (("alltoall", "--method", "trees"), "method trees: it does not fit alltoall on topology"),
        (("allgather", "--method", "paths"), "method paths: it does not fit allgather on topology"),
    ],
)
def test_what_is_refused_of_them(call: Call, here: Path, words: tuple[str, ...], said: str) -> None:
    chunks = () if "--in-network" in words else ("--chunks", "1")
    result = call("schedule", "ring-4", *words, *chunks, "-o", "s.json")
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (here / "s.json").exists()


def test_traces_and_a_header_are_written(call: Call, here: Path) -> None:
    for name in ("t.et", "t.et.json", "t.h"):
        words = "ring-4", "allgather", "--chunks", "1", "--method", "greedy", "-o", name
        assert call("schedule", *words).exit_code == 0
    traces = [f"t.{rank}.et{form}" for rank in range(4) for form in ("", ".json")]
    assert {file.name for file in here.iterdir()} >= {"t.h", *traces}
    assert len(json.loads((here / "t.2.et.json").read_text())["workload_graph"]) == 6


def test_a_schedule_in_chunks_is_drawn_and_reported(call: Call, here: Path) -> None:
    words = (
        "ring-4",
        "allreduce",
        "--chunks",
        "1",
        "--bytes",
        "64",
        "--draw",
        "s.png",
        "-o",
        "s.json",
    )
    assert call("schedule", *words).exit_code == 0
    assert (here / "s.png").stat().st_size > 1000
    assert call("report", "s.json", "-o", "r.html").exit_code == 0
    page = (here / "r.html").read_text()
    for part in (
        "allreduce on ring-4",
        "Links over time",
        "Sends of s.json",
        "the cut in the file",
    ):
        assert part in page


def test_an_algorithm_of_msccl_tools_is_checked(call: Call, here: Path) -> None:
    values = allgather()
    (here / "a.json").write_text(json.dumps(values))
    asked = "check", "a.json", "--ts", "10", "--t1", "1", "--bytes", "100"
    result = call(*asked)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        "allgather on ring, 4 ranks, 100 bytes each",
        "made of    2 steps of 2 rounds, 12 sends, 4 addresses",
        "time       220 ns",
        "bound      85 ns, by the best cut, by links alone",
        "verdict    right; 2.588 of the bound, 85 ns",
    ]
    values["steps"].pop()
    (here / "a.json").write_text(json.dumps(values))
    found = json.loads(call(*asked, "--json").stdout)
    assert (found["right"], found["rules_broken"], found["collective"]) == (False, 4, "allgather")
    (here / "t.json").write_text(json.dumps(values["topology"]))
    assert call("schedule", "t.json", "allgather", "--chunks", "1").exit_code == 0
