"""Programs on cores in a page: cycles in barriers, and the instructions of those in software."""

import json
from pathlib import Path

from syncfabric.sim.report.write import write_report
from tests.sim.cores.test_result import result
from tests.sim.report.made import parsed


def test_a_page_shows_cycles_and_instructions(tmp_path: Path) -> None:
    saved = tmp_path / "cores.json"
    saved.write_text(json.dumps(result().to_json()))
    write_report([saved], tmp_path / "page.html")
    page = parsed(tmp_path / "page.html")
    assert page.wrong == []
    assert "4,000 cycles, of which a core spent 400 in barriers on average" in page.text
    assert "net under verilator · 2 cores · barrier tree" in page.text
    assert "fault: core 1, cycle 77, instruction at 0x40 in main" in page.text
    both = next(routine for routine in result().code if routine.name == "sf_tree_both")
    assert f"sf_tree_both: {len(both.instructions)} instructions" in page.text
    for address, text in both.instructions:
        assert f"{address:x}" in page.text
        assert text in page.text
