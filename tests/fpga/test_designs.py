"""A block by itself: Verilog with its parameters, and a core file that FuseSoC takes."""

from pathlib import Path

import pytest

from syncfabric.fpga.blocks import BLOCKS
from syncfabric.fpga.designs import block_files, build_block
from syncfabric.models.errors import SpecError
from syncfabric.sim.core_file import LINT_OPTIONS
from tests.sim.fusesoc import lint, set_up


def test_parameters_stand_above_the_module() -> None:
    text = block_files("reflex-ring-agent", {"core_buffer": 5})["reflex-ring-agent.v"]
    head, _, module = text.partition("\nmodule ")
    assert "//   core_buffer = 5  (Flits that wait for a core.)" in head.splitlines()
    assert head.splitlines()[0].endswith("; but core_buffer = 5.")
    assert all(line.startswith("//") or not line for line in head.splitlines())
    assert module


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"foo": 1}, r'^unknown key "foo"; known are '),
        ({"width": 9999}, r"^width must be 1 to 1024, not 9999$"),
        ({"kind": "static"}, r"^set: kind is fixed in router-engine; take another block"),
    ],
)
def test_parameters_that_are_none(options: dict[str, object], words: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=words):
        build_block("router-engine", tmp_path / "out", options)
    assert not (tmp_path / "out").exists()


def test_fusesoc_sets_up_a_block(tmp_path: Path) -> None:
    build_block("reflex-ring-agent", tmp_path)
    (options,) = set_up(tmp_path, "block:reflex-ring-agent", "lint").glob("*.vc")
    lines = options.read_text().splitlines()
    assert set(LINT_OPTIONS) < set(lines)
    assert "--top-module reflex_ring_agent" in lines


@pytest.mark.nightly
@pytest.mark.parametrize("name", BLOCKS)
def test_every_block_lints_and_has_its_targets(name: str, tmp_path: Path) -> None:
    build_block(name, tmp_path)
    for target in ("synth", "place"):
        set_up(tmp_path, f"block:{name}", target)
    lint(tmp_path, f"block:{name}")
