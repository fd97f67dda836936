"""Results of programs on cores: JSON and back, routines of barriers, and what is refused."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.cores.events import Lost, Put
from syncfabric.sim.cores.program import barrier_routines, disassemble
from syncfabric.sim.cores.result import CoresResult, Standing, Stop
from syncfabric.sim.report.write import write_report
from syncfabric.sim.results import Seconds
from tests.sim.cores.systems import program
from tests.sim.report.made import HOSTILE

STOP = Stop(1, 77, "registers take whole words", 0x40, 0x5000_0000, "main")


@functools.cache
def result() -> CoresResult:
    """Return what two cores did, one of which was stopped."""
    made = program("barrier", "tree")
    return CoresResult(
        network="net",
        simulator="verilator",
        cores=2,
        cycles=4_000,
        verdict="fault",
        exits=(0, None),
        console=(Put(0, 12, HOSTILE), Put(1, 30, 7)),
        groups=(),
        lost=(Lost(0, 300, 0), Lost(1, 500, 0)),
        faults=(STOP,),
        stands=(Standing(0, "works", 64, None),),
        seconds=Seconds(1.0, 2.0),
        barrier="tree",
        code=barrier_routines(made),
    )


def test_a_result_comes_back_from_json_as_it_was() -> None:
    assert CoresResult.from_json(json.loads(json.dumps(result().to_json()))) == result()


def test_of_a_barrier_in_software_its_usual_method_is_shown() -> None:
    made = program("barrier", "tree")
    code = {routine.name: list(routine.instructions) for routine in result().code}
    assert code["sf_tree_both"] == disassemble(made, "sf_tree_both")
    assert not any(name.endswith("_saving") for name in code)
    assert code.keys().isdisjoint({"sf_keep", "sf_make_room", "sf_fence", "main"})
    (both,) = (
        routine
        for routine in barrier_routines(program("barrier", "dissemination"))
        if routine.name == "sf_dissemination_both"
    )
    calls = [text for _, text in both.instructions if text.startswith(("jal ra", "call"))]
    assert calls == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"exits": ["no"]}, r"result: exits\[0\]"),
        ({"code": [{"name": "f"}]}, r"result: code\[0\].instructions"),
        ({"faults": [vars(STOP) | {"reason": "none of these"}]}, "none of these"),
        ({"seconds": {}}, "cores --json"),
    ],
)
def test_what_is_malformed_is_refused_with_its_place(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    saved = tmp_path / "cores.json"
    saved.write_text(json.dumps(result().to_json() | change))
    with pytest.raises(SpecError, match=words):
        write_report([saved], tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
