"""Schedules and their files."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.collectives.certificate import Bound, Cut, Solver
from syncfabric.models.collectives.files import load_schedule, read, save_schedule
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules
from syncfabric.models.errors import OutputError, SpecError
from tests.models.collectives.right_schedules import ALL, fig_5, table_4


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_a_file_comes_back_equal(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    schedule = make()
    path = tmp_path / "s.json"
    save_schedule(schedule, path)
    assert load_schedule(path) == schedule


def test_a_file_is_as_documented() -> None:
    values = fig_5().to_json()
    assert list(values) == [
        "format",
        "topology",
        "collective",
        "senders",
        "receivers",
        "ports",
        "one_port",
        "switching",
        "steps",
    ]
    assert values["format"] == "syncfabric-schedule/1"
    assert list(values["topology"]) == ["name", "nodes", "switches", "channels"]
    assert values["steps"][0] == [
        {"message": [0, 3], "path": [0, 1, 2, 3]},
        {"message": [0, 6], "path": [0, 7, 6]},
    ]


@pytest.mark.parametrize(
    "bound",
    [
        Bound(4, Cut((0, 1), ((0, 2), (1, 2)), 8, True)),
        Bound(4, Solver("ortools 9.10", "infeasible in 3 steps")),
    ],
)
def test_a_certificate_comes_back_equal(bound: Bound) -> None:
    whole = table_4()
    schedule = Schedule(whole.topology, whole.collective, whole.rules, whole.steps, bound)
    values = json.loads(json.dumps(schedule.to_json()))
    assert read(values) == schedule


def test_times() -> None:
    schedule = table_4()
    assert schedule.messages == 56
    assert schedule.time_pipelined(1000, 2, 100) == 4 * 1000 + 200
    assert schedule.time(1000, 2, 100) == 4 * (1000 + 200)


@pytest.mark.parametrize("name", ["OAB", "broadcast", "MPI_Bcast"])
def test_files_have_the_usual_name_and_any_is_read(name: str) -> None:
    assert fig_5().to_json()["collective"] == "broadcast"
    assert read(changed("collective", value=name)) == fig_5()


def changed(*place: Any, value: Any) -> dict[str, Any]:
    values = copy.deepcopy(fig_5().to_json())
    inner: Any = values
    for key in place[:-1]:
        inner = inner[key]
    if value is None:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return values


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], 'schedule: format must be "syncfabric-schedule/1", or "/2" in chunks, not null'),
        (
            {"format": "x"},
            'schedule: format must be "syncfabric-schedule/1", or "/2" in chunks, not "x"',
        ),
        (changed("steps", value=None), "schedule: steps: field required"),
        (changed("collective", value="XYZ"), 'schedule: collective: unknown "XYZ"; known are'),
        (changed("ports", value=0), "schedule: ports"),
        (changed("one_port", value="loose"), "schedule: one_port: input should be 'single-use'"),
        (changed("extra", value=1), "schedule: extra: unexpected"),
        (changed("senders", value=["a"]), "schedule: senders[0]: input should be a valid integer"),
        (changed("senders", value=[]), "collective broadcast: there are no senders"),
        (changed("senders", value=[9]), "sender 9 is not in topology ring-8"),
        (changed("steps", 1, 2, "path", value=[3]), "schedule: steps[1][2].path: "),
        (changed("steps", 1, 2, "message", value=[0]), "schedule: steps[1][2].message"),
        (
            changed("steps", 1, 2, "path", value=[3, 5]),
            "schedule: steps[1][2].path: topology ring-8 has no channel [3, 5]",
        ),
        (
            changed("steps", 0, 0, "message", value=[0, 8]),
            "schedule: steps[0][0].message: 8 is no node; they are 0 to 7",
        ),
        (changed("topology", "nodes", value=9), "topology ring-8: it is not connected: node 8"),
        (
            changed("topology", "nodes", value=2**63),
            "node 8 cannot be reached from node 0, and 9,223,",
        ),
        (changed("topology", "nodes", value=None), "schedule: topology: nodes: field required"),
        (changed("topology", "channels", 3, value=[0]), "schedule: topology: channels[3][1]: "),
    ],
)
def test_a_malformed_schedule_is_refused_by_place(values: Any, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        read(values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("{\n  1")
    with pytest.raises(SpecError, match=rf"^{re.escape(str(path))}: line 2, column 3: not JSON"):
        load_schedule(path)
    with pytest.raises(SpecError, match=r"/none\.json: no such file; check the path$"):
        load_schedule(tmp_path / "none.json")
    path.write_bytes(b"\xff")
    with pytest.raises(SpecError, match="not a text file in UTF-8"):
        load_schedule(path)


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        save_schedule(fig_5(), tmp_path / "none" / "s.json")


@pytest.mark.parametrize("ports", [0, -1, "some", 1.5, True])
def test_ports_are_refused(ports: Any) -> None:
    with pytest.raises(SpecError, match="ports must be 1 or more"):
        Rules(ports)


def test_ports_of_a_node() -> None:
    assert [Rules("all").at_most(3), Rules(2).at_most(3), Rules(9).at_most(3)] == [3, 2, 3]
