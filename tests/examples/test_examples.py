"""Every example is listed, passes, and notices a user's mistakes."""

import re
from collections.abc import Callable

import pytest

from tests.examples.example import EXAMPLES, Example

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))


def test_every_example_is_listed_with_its_command() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([\w-]+)\]\(([^)]+)\) \| .+ \| `([^`]+)` \|$", page, re.M)
    assert {name for name, _, _ in rows} == set(NAMES)
    for name, link, command in rows:
        assert link == f"{name}/README.md"
        assert command == f"make -C examples/{name}"


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_its_command_and_names_its_files(name: str) -> None:
    folder = EXAMPLES / name
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert f"```\nmake -C examples/{name}\n```" in page
    assert len(page.splitlines()) <= 40
    files = {path.name for path in folder.iterdir() if path.is_file()} - {"README.md", "Makefile"}
    assert {file for file in files if file not in page} <= {"run.py"}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Example]:
    """Give a copy of an example by its name, the same one again: what it has built stays."""
    copies: dict[str, Example] = {}

    def copy(name: str) -> Example:
        if name not in copies:
            copies[name] = Example(name, tmp_path_factory.mktemp(name))
        return copies[name]

    return copy


PICO, UNDER, ICARUS_RUN = "picorv32-cluster", "SIM=verilator", "SIM=icarus"
ICARUS, NIGHTLY = pytest.mark.icarus, pytest.mark.nightly


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        pytest.param("axi-lite", "", ["5 barriers, at most "], marks=ICARUS),
        pytest.param(
            "cocotb", "", 2 * ["from the last arrival to the last release; bound"], marks=ICARUS
        ),
        pytest.param("fusesoc", "", ["verilator -f"], marks=ICARUS),
        pytest.param("own-operator", "", ["match: hardware and golden model agree"], marks=NIGHTLY),
        pytest.param(
            *("own-operator", f"{ICARUS_RUN} OP=max.offload", ["match: hardware and golden"]),
            marks=[ICARUS, NIGHTLY],
        ),
        pytest.param(PICO, "", [], marks=[ICARUS, NIGHTLY]),
        pytest.param(PICO, UNDER, [], marks=NIGHTLY),
        pytest.param("axi-lite", UNDER, ["1 test, 0 failed, verilator"], marks=NIGHTLY),
        pytest.param("cocotb", UNDER, ["1 test, 0 failed, verilator"], marks=NIGHTLY),
    ],
)
def test_it_passes(
    example: Callable[[str], Example], name: str, options: str, said: list[str]
) -> None:
    code, printed = example(name).run(options)
    assert code == 0, printed
    if not options or name == PICO:
        lines = printed.splitlines()
        assert [line for line in example(name).text() if line not in lines] == [], printed
    assert all(printed.count(text) == len(said) for text in said), printed
    assert name != "fusesoc" or "%Warning" not in printed


@ICARUS
@pytest.mark.parametrize(
    ("name", "options", "file", "old", "new", "found"),
    [
        # A core, a member, or a lane goes on that has not arrived; the lint sees a width.
        pytest.param(
            *(PICO, "", "tile.v", "{31'd0, done};", "{31'd0, done || number == 5};"),
            "core 5 ends with code 2",
            marks=NIGHTLY,
        ),
        ("axi-lite", "", "driver.c", "= round;", "= round - 1;", "assert 3 == 0"),
        (
            *("cocotb", "", "test_barrier.py", "if when == cycle:"),
            *("if when - cycle in (0, 15):", "is released before the last arrival"),
        ),
        ("fusesoc", "lint", "accel.v", "[8*lane +: 8];", "[8*lane +: 9];", "%Warning-WIDTHTRUNC"),
        (
            *("fusesoc", "sim", "accel.v", "(released[lane] ||"),
            *("((begun && !(|left) && !arrive[lane]) ||", "did not wait for lane"),
        ),
        # Another result, one a cycle early, and one a cycle late.
        pytest.param(
            *("own-operator", ICARUS_RUN, "saturate.v", "{15{~result", "{15{result", "mismatch: "),
            marks=NIGHTLY,
        ),
        pytest.param(
            *("own-operator", ICARUS_RUN, "saturate.toml", "latency = 2", "latency = 3"),
            "mismatch: ",
            marks=NIGHTLY,
        ),
        pytest.param(
            *("own-operator", ICARUS_RUN, "saturate.toml", "latency = 2", "latency = 1"),
            "mismatch: ",
            marks=NIGHTLY,
        ),
        pytest.param(
            *(PICO, "", "fabric.toml", 'members = "all"', "members = [[0, 0], [1, 1]]"),
            "passes before core",
            marks=NIGHTLY,
        ),
        pytest.param(
            *("axi-lite", "", "driver.c", "return soc_set_up(BASE);", "return 0;", "assert 1 == 0"),
            marks=NIGHTLY,
        ),
    ],
)
def test_a_mistake_is_found(
    example: Callable[[str], Example],
    name: str,
    options: str,
    file: str,
    old: str,
    new: str,
    found: str,
) -> None:
    with example(name).changed(file, old, new):
        code, printed = example(name).run(options)
    assert code != 0
    assert found in printed
    assert name not in ("axi-lite", "cocotb") or "1 test, 1 failed, icarus" in printed
