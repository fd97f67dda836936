"""Schedules against the number of nodes."""

from dataclasses import replace

import pytest

from syncfabric.models.errors import ToolError
from syncfabric.sim.experiments.bench import schedules as growth
from tests.sim.experiments.bench.conftest import rows_of

ROW = growth.Growth("torus-4x4", "AAB", 16, 4, 4, True, "construction", 1.0, 1.0, 10**8)


def test_a_row_is_measured_in_a_process_of_its_own() -> None:
    row = growth.in_a_process("hypercube-8", "AAB")
    assert (row.topology, row.collective, row.nodes) == ("hypercube-8", "AAB", 8)
    assert (row.steps, row.bound, row.optimal) == (3, 3, True)
    # A process that has loaded numpy has some tens of megabytes; this one has loaded more.
    assert 10**7 < row.peak_bytes < 10**9
    assert row.processor_seconds > 0


def test_a_process_that_fails_says_why() -> None:
    with pytest.raises(ToolError, match=r"AAB on hypercube-7 failed: .*power of two"):
        growth.in_a_process("hypercube-7", "AAB")


@pytest.mark.parametrize(
    ("change", "met"),
    [
        ({}, True),
        ({"steps": 5}, False),
        ({"steps": None}, False),
        ({"seconds": 11.0}, False),
        ({"peak_bytes": 9 * growth.GIB}, False),
        ({"collective": "AAS", "seconds": 100.0}, True),
        ({"collective": "AAS", "bound": 100, "steps": 105}, True),
        ({"collective": "AAS", "bound": 100, "steps": 106}, False),
        ({"topology": "ring-64", "collective": "AAS", "bound": 100, "steps": 101}, False),
    ],
)
def test_what_a_row_has_to_reach(change: dict[str, object], met: bool) -> None:
    assert replace(ROW, **change).met is met  # type: ignore[arg-type]


def test_rows_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def measured(name: str, kind: str) -> growth.Growth:
        asked.append((name, kind))
        return replace(ROW, topology=name, collective=kind)

    monkeypatch.setattr(growth, "in_a_process", measured)
    rows = rows_of(growth.schedule_growth)
    assert len(rows) == len(asked) == 30
    assert ("torus-32x32", "AAB") in asked
    assert ("torus-32x32", "AAS") not in asked
    beside = [row for row in rows if "TACOS" in str(row.paper)]
    assert len(beside) == 2
    assert rows[0].ours == "4 steps, bound 4, 1.0 s (1.0 of processors), 0.09 GiB"
