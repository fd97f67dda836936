"""Tools that are found, and first started, by one process."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from syncfabric.fpga.tools import find_tool
from tests.fpga.test_synth import program

ALONE = """
import os, time
os.mkdir("started")  # fails where another has started and not ended
time.sleep(0.3)
os.rmdir("started")
print("Yosys 99.1")
"""


def test_a_tool_is_first_started_by_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyPI's write what they compile over what others run from."""
    program(tmp_path, "yowasp-alone", ALONE)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(find_tool, ["alone"] * 3))
    assert [tool.version for tool in found] == ["Yosys 99.1"] * 3
