"""Compiling programs: what is kept, and what is refused."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.errors import ProgramError, SpecError, ToolError
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.program import disassemble
from tests.sim.cores.systems import PROGRAMS, mesh, program


def write(folder: Path, text: str) -> Path:
    source = folder / "own.c"
    source.write_text(text)
    return source


def test_a_program_lists_where_its_functions_are() -> None:
    made = program("barrier", "tree")
    main = made.symbols["main"]
    assert made.entry == 0
    assert made.function_at(main.address) == "main"
    assert made.function_at(main.address + main.size - 4) == "main"
    assert made.function_at(made.memory_bytes) is None
    low, high = made.barrier
    assert low <= made.symbols["sf_tree_both"].address < high
    assert not low <= main.address < high
    assert made.free_bytes > 16_384
    assert made.warnings == ""


def test_a_barrier_in_hardware_is_a_store_and_a_load(tmp_path: Path) -> None:
    """Of what is not in hardware only the branches are there, and no call."""
    text = (
        '#include "syncfabric.h"\n'
        "__attribute__((noinline)) void wait(sf_group *g) { sf_barrier_wait(g); }\n"
        "int main(void) { wait(sf_world()); return 0; }\n"
    )
    made = compile_program(write(tmp_path, text), spec=mesh(2, 2))
    code = [line for _, line in disassemble(made, "wait")]
    assert code[0].startswith("lw")
    assert code[1].startswith(("beqz", "bnez"))
    assert code.index("ret") <= 4


def test_a_program_is_kept_by_what_it_includes(tmp_path: Path) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 1\n")
    source = write(tmp_path, '#include "value.h"\nint main(void) { return VALUE; }\n')
    first = compile_program(source)
    assert compile_program(source).elf == first.elf
    (tmp_path / "value.h").write_text("#define VALUE 2\n")
    assert compile_program(source).elf != first.elf
    assert compile_program(source, memory_kib=16).elf != first.elf
    assert compile_program(source, defines={"UNUSED": "1"}).elf != first.elf


def test_what_does_not_compile_is_refused_by_file_and_line(tmp_path: Path) -> None:
    source = write(tmp_path, "int main(void)\n{\n    return nothing;\n}\n")
    with pytest.raises(ProgramError) as refused:
        compile_program(source)
    assert re.match(rf"{source}: it does not compile:\n  {source}:3:12: ", str(refused.value))
    assert "undeclared" in str(refused.value)


def test_a_program_without_an_end_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "endless.h")
    compile_program(write(tmp_path, "int main(void) { return 0; }\n"))  # the library, which is kept
    monkeypatch.setattr("syncfabric.sim.cores.compile._MOST_SECONDS", 1.0)
    source = write(tmp_path, '#include "endless.h"\nint main(void) { return 0; }\n')
    with pytest.raises(ProgramError, match="is still not compiled after 1 s"):
        compile_program(source)


def test_what_does_not_link_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path, "int other(void);\nint main(void) { return other(); }\n")
    with pytest.raises(ProgramError, match=r"does not compile:\n.*undefined.*other"):
        compile_program(source)


def test_what_overflows_the_memory_is_refused_by_how_much(tmp_path: Path) -> None:
    text = "static volatile char room[{}];\nint main(void) {{ return room[0]; }}\n"
    free = compile_program(write(tmp_path, text.format(4))).free_bytes
    fits = write(tmp_path, text.format(4 + free - 1024 - 16))
    assert compile_program(fits).free_bytes >= 1024
    over = write(tmp_path, text.format(4 + free - 1024 + 400))
    with pytest.raises(
        SpecError, match=r"32 KiB of a core: it takes (\d+) bytes too many"
    ) as refused:
        compile_program(over)
    found = re.search(r"(\d+) bytes too", str(refused.value))
    assert found
    assert 384 <= int(found[1]) <= 416
    compile_program(over, memory_kib=33)


HELLO = PROGRAMS / "hello.c"


@pytest.mark.parametrize(
    ("source", "keys", "words"),
    [
        (
            PROGRAMS / "none.c",
            {},
            r"/none\.c: no such file; name a C file, or a ready-made program: barrier, ",
        ),
        (PROGRAMS, {}, "is a folder"),
        (Path(__file__), {}, r"the name of a C file must end in \.c"),
        (
            HELLO,
            {"barrier": "ring"},
            r"^barrier = 'ring' is not known; it must be one of engine, reflex, ",
        ),
        (HELLO, {"memory_kib": 0}, "memory = 0 KiB: a core has 1 to 1024 KiB"),
        (HELLO, {"defines": {"1X": "2"}}, "define '1X' is no name of C"),
    ],
)
def test_what_is_not_there_is_refused(source: Path, keys: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        compile_program(source, **keys)


def test_a_function_that_is_not_there_is_refused() -> None:
    with pytest.raises(SpecError, match="has no function sf_none"):
        disassemble(program("hello"), "sf_none")


def test_a_compiler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CC", "no-such-gcc -g")
    with pytest.raises(ToolError, match="SYNCFABRIC_CC names no-such-gcc, which is not on PATH"):
        program("hello")
    monkeypatch.delenv("SYNCFABRIC_CC")
    monkeypatch.setattr("syncfabric.sim.cores.compile.find_spec", lambda name: None)
    with pytest.raises(
        ToolError, match=r"install it in the checkout with: \.venv/bin/pip install -e '\.\[cores\]'"
    ):
        program("hello")
