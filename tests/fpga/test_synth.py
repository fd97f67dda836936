"""The flow around Yosys and nextpnr, with programs that play their parts."""

import stat
from pathlib import Path

import pytest

from syncfabric.fpga.devices import device_named
from syncfabric.fpga.netlist import Design
from syncfabric.fpga.synth import Area, synthesize
from syncfabric.fpga.tools import find_tool
from syncfabric.models.errors import SpecError, ToolError

DESIGN = Design("a-block", "module a_block; endmodule\n", around=3)


def program(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/usr/bin/env python3\nimport json, sys\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


YOSYS = """
if "--version" in sys.argv:
    print("Yosys 99.1")
    sys.exit()
assert "-top a_block" in sys.argv[-1], sys.argv
json.dump({}, open("netlist.json", "w"))
cells = {"LUT4": 10, "CCU2C": 2, "TRELLIS_DPR16X4": 3, "TRELLIS_FF": 8}
json.dump({"design": {"num_cells_by_type": cells}}, open("stat.json", "w"))
"""

PLACER = """
if "--version" in sys.argv:
    print("nextpnr 99.1")
    sys.exit()
seed = int(sys.argv[sys.argv.index("--seed") + 1])
step = lambda net: {"net": net}
path = {"from": "posedge clk", "to": "posedge clk"}
path["path"] = [step("block.one.q"), step("block.one.r"), step("block.two.q"), step("$1")]
across = {"from": "<async>", "to": "posedge clk", "path": [step("block.no.q")]}
report = {"fmax": {"clk": {"achieved": 100.0 + [0, 5, -5, 20][seed]}}}
json.dump({**report, "critical_paths": [across, path]}, open("report.json", "w"))
with open({log!r}, "a") as log:
    log.write("placed ")
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put both programs in place of those that are installed; return the file of placements."""
    log = tmp_path / "log"
    log.touch()
    program(tmp_path, "yosys", YOSYS)
    program(tmp_path, "nextpnr-ecp5", PLACER.replace("{log!r}", repr(str(log))))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("syncfabric.fpga.tools.sys.executable", str(tmp_path / "python"))
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path / "cache"))
    return log


def test_area_speed_and_path(tools: Path) -> None:
    result = synthesize(DESIGN, device_named("ecp5-25k")).to_json()
    assert (result["lut4"], result["ff"], result["distributed_ram"]) == (10 + 4 + 18, 8 - 3, 3)
    assert result["fmax_mhz"] == {"min": 95.0, "median": 105.0, "max": 120.0}
    assert result["critical_path"] == ["one", "two"]
    assert result["tools"] == ["Yosys 99.1", "nextpnr 99.1"]


def test_results_are_kept_by_content(tools: Path) -> None:
    device = device_named("ecp5-25k")
    synthesize(DESIGN, device)
    synthesize(DESIGN, device)
    assert tools.read_text().split() == ["placed"] * 3
    synthesize(DESIGN, device, frequency=50.0)
    synthesize(Design("a-block", DESIGN.verilog + "\n"), device)
    assert tools.read_text().split() == ["placed"] * 9


def test_area_alone_places_nothing(tools: Path) -> None:
    (tools.parent / "nextpnr-ecp5").unlink()
    result = synthesize(DESIGN, device_named("ecp5-25k"), seeds=()).to_json()
    assert (result["lut4"], result["fmax_mhz"], result["critical_path"]) == (32, None, [])
    assert not tools.read_text()


def test_gates_are_counted_and_never_placed(tools: Path) -> None:
    cells = {"$_AND_": 7, "$_MUX_": 2, "$_DFFE_PP_": 4, "$_SDFF_PP0_": 5}
    program(tools.parent, "yosys", YOSYS.replace('{"LUT4": 10', str(cells)[:-1] + ', "LUT4": 0'))
    result = synthesize(DESIGN, device_named("gates"), seeds=(1, 2)).to_json()
    assert (result["gates"], result["ff"], result["fmax_mhz"]) == (9, 9 + 8 - 3, None)
    assert not tools.read_text()


def test_speed_has_a_script_of_its_own(tools: Path) -> None:
    small, fast = (device_named("ecp5-25k", fast=fast) for fast in (False, True))
    assert small.synthesis != fast.synthesis
    assert [synthesize(DESIGN, device).aim for device in (small, fast)] == ["area", "speed"]
    assert tools.read_text().split() == ["placed"] * 6


def test_a_delay_takes_the_place_of_its_own() -> None:
    for fast in (False, True):
        usual, aimed = (device_named("ecp5-25k", fast=fast, delay=d).synthesis for d in (None, 777))
        changed = [(a, b) for a, b in zip(usual, aimed, strict=True) if a != b]
        assert [b for _, b in changed] == ["scratchpad -set abc9.D 777"]


def test_a_failure_names_the_command(tools: Path) -> None:
    fails = "print('Yosys 99.1, no such module'); sys.exit('--version' not in sys.argv)"
    program(tools.parent, "yosys", fails)
    with pytest.raises(ToolError, match=r"(?s)yosys failed.*no such module"):
        synthesize(Design("a-block", "broken"), device_named("ecp5-25k"))


def test_bad_values(tools: Path) -> None:
    with pytest.raises(SpecError, match="freq must be above 0"):
        synthesize(DESIGN, device_named("ecp5-25k"), frequency=0)
    with pytest.raises(ToolError, match=r"; install it in the checkout with: .* -e '\.\[fpga\]'$"):
        find_tool("nextpnr-nowhere")


def test_ice40_cells_count_too() -> None:
    assert Area.of({"SB_LUT4": 5, "SB_DFFESR": 4, "SB_RAM40_4K": 1}, 1) == Area(5, 3, 1, 0)
