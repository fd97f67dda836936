# amaranth: UnusedElaboratable=no
"""The manager's bench under each simulator, and how large its memory is."""

from pathlib import Path

import pytest

from syncfabric.rtl.setup.manager import Manager, memory_words
from tests.rtl.setup.bench_manager import DEPTHS, OFF
from tests.rtl.setup.cases import CASES
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_manager(simulator: str, tmp_path: Path) -> None:
    parts = {name: Manager(case.form, DEPTHS[name]) for name, case in CASES.items()}
    parts[OFF] = Manager(CASES["irregular"].form)
    run_bench(simulator, parts, "tests.rtl.setup.bench_manager", tmp_path)


@pytest.mark.parametrize(("name", "words"), [("irregular", 16), ("mesh", 64)])
def test_memory_reaches_every_router(name: str, words: int) -> None:
    assert memory_words(CASES[name].form) == words


def test_memory_of_no_power_of_two_is_refused() -> None:
    form = CASES["mesh"].form
    with pytest.raises(
        ValueError, match=r"^Manager needs a power of two of words, at least 7, not 24$"
    ):
        Manager(form, 24)
    with pytest.raises(ValueError, match=r"at least 7, not 4$"):
        Manager(form, 4)
