"""Every proof fits the hardware and, with `-m prove`, holds, and fails of a broken block."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from amaranth.back import rtlil

from tests.formal.breaks import BREAKS
from tests.formal.catalogue import PROOFS
from tests.formal.emission import Emission
from tests.formal.kinds import Break, Proof
from tests.formal.prove import ALL

ROOT = Path(__file__).parents[2]
FOLDERS = ("syncfabric", "models", "rtl", "sim", "fpga", "tests")
FIRST = {proof.block: proof for proof in reversed(PROOFS)}
"""A proof of each block: the default run looks at no more."""


def _name(thing: Proof | Emission | Break) -> str:
    return thing.name


@pytest.mark.parametrize("proof", FIRST.values(), ids=_name)
def test_it_is_emitted(proof: Proof) -> None:
    text = rtlil.convert(proof.make(), emit_src=False)
    assert "holds_" in text
    assert "reached_" in text


@pytest.mark.nightly
@pytest.mark.prove
@pytest.mark.parametrize("proof", ALL, ids=_name)
def test_it_holds(proof: Proof | Emission, tmp_path: Path) -> None:
    verdicts = proof.verdicts(tmp_path)
    assert [verdict.name for verdict in verdicts if not verdict.good] == []


@pytest.mark.parametrize("fault", BREAKS, ids=_name)
def test_a_break_fits_its_file(fault: Break) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old) == 1
    assert fault.proof in [proof.name for proof in ALL]


def test_proofs_that_the_page_of_set_up_names_exist() -> None:
    named = re.findall(r"\[P ([a-z][^]]+)\]", (ROOT / "docs/setup.md").read_text(encoding="utf-8"))
    assert len(named) > 10
    names = [proof.name for proof in PROOFS]
    assert {name for name in named if not any(name in each for each in names)} == {"name"}


def test_every_block_is_broken_once() -> None:
    broken = {fault.proof for fault in BREAKS}
    blocks = {proof.block for proof in ALL}
    assert blocks == {proof.block for proof in ALL if proof.name in broken}


@pytest.mark.nightly
@pytest.mark.prove
@pytest.mark.parametrize("fault", BREAKS, ids=_name)
def test_a_broken_block_fails_with_a_trace(fault: Break, tmp_path: Path) -> None:
    copy, traces = tmp_path / "copy", tmp_path / "traces"
    for folder in FOLDERS:
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, copy / folder, symlinks=True, ignore=skip)
    path = copy / fault.file
    path.write_text(path.read_text().replace(fault.old, fault.new))
    command = [sys.executable, "-m", "tests.formal.prove", "--jobs", "1", "--only", fault.proof]
    run = subprocess.run(
        [*command, "--traces", str(traces)],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "FAILS; its trace" in run.stdout
    assert any("$enddefinitions" in vcd.read_text() for vcd in traces.rglob("*.vcd"))
