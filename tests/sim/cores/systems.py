"""Networks and programs for the tests of many cores."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.cores import compile as compiling
from syncfabric.sim.cores.compile import BARRIERS, compile_program
from syncfabric.sim.cores.program import Program
from syncfabric.sim.cores.system import FLITS, HARDWARE

PROGRAMS = Path(__file__).parents[3] / "sim" / "cores" / "programs"
SOFTWARE = PROGRAMS.with_name("software")
MESSAGES = [name for name in BARRIERS if name not in HARDWARE | FLITS]
"""The barriers over messages."""


def mesh(width: int, height: int, **keys: object) -> NetworkSpec:
    network = {"kind": "mesh", "width": width, "height": height, "channels": 2, **keys}
    return NetworkSpec.model_validate({"name": "net", "network": network})


def program(
    name: str, barrier: str = "engine", spec: NetworkSpec | None = None, **defines: int | str
) -> Program:
    """Compile one of the ready-made programs."""
    given = {key: str(value) for key, value in defines.items()}
    spec = spec or mesh(8, 8)
    return compile_program(PROGRAMS / f"{name}.c", spec=spec, barrier=barrier, defines=given)


def early(times: Sequence[Sequence[int]], episodes: int, least: int = 0) -> int:
    """Count the barriers that a core left less than ``least`` cycles after the last one came.

    Each core has put the times before and after each.
    """
    assert {len(of_core) for of_core in times} == {2 * episodes}
    return sum(
        min(of_core[k + 1] for of_core in times) < max(of_core[k] for of_core in times) + least
        for k in range(0, 2 * episodes, 2)
    )


def break_software(
    patch: pytest.MonkeyPatch, folder: Path, file: str, right: str, wrong: str
) -> None:
    """Compile with a copy of the library in which a text is replaced."""
    broken = folder / "software"
    shutil.copytree(SOFTWARE, broken)
    text = (broken / file).read_text()
    assert text.count(right) == 1
    (broken / file).write_text(text.replace(right, wrong))
    patch.setattr(compiling, "software", lambda: broken)
