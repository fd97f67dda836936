"""docs/cores.md names every function, barrier, program and exit code, and nothing else."""

import re

from syncfabric.sim.cores.compile import BARRIERS, ready_made
from tests.sim.cores.systems import PROGRAMS, SOFTWARE
from tests.test_docs import named, rows

HEADER = (SOFTWARE / "syncfabric.h").read_text(encoding="utf-8")


def declared(text: str) -> set[str]:
    """Return the functions that a header declares or defines."""
    pattern = r"^(?:__attribute__\S+ )?[a-z][\w *]*?\b(\w+)\([^;{]*?\)\s*(?:;|\{)"
    return set(re.findall(pattern, text, re.M))


def test_every_function_is_documented() -> None:
    parts = {"sf_make_world", "sf_tree_reduce", "sf_fence_quickly"}
    parts |= {"sf_reflex_begin", "sf_reflex_wait_taking", "sf_head_of", "sf_begin_head"}
    functions = {name for name in named("cores.md", "## Functions") if name.startswith("sf_")}
    assert functions == declared(HEADER) - parts


def test_every_barrier_is_documented() -> None:
    assert named("cores.md", "## Barriers") - {"--barrier"} == set(BARRIERS)


def test_every_header_is_documented() -> None:
    documented: dict[str, set[str]] = {}
    for name, has in (row[:2] for row in rows("cores.md", "## Under other names")[2:]):
        documented.setdefault(name.strip("`"), set()).update(re.findall(r"`(\w+)`", has))
    assert len(documented) == 3
    for name, functions_of in documented.items():
        text = (SOFTWARE / name).read_text(encoding="utf-8")
        functions = declared(text) | set(re.findall(r"^#define (upc_\w+|[A-Z]+) ", text, re.M))
        assert functions_of == functions


def test_every_program_and_its_macros_are_documented() -> None:
    documented = {
        row[0].strip("`"): set(re.findall(r"`(\w+)`", row[2]))
        for row in rows("cores.md", "## Programs that come along")[2:]
    }
    assert documented.keys() == ready_made().keys()
    for name, macros in documented.items():
        text = (PROGRAMS / f"{name}.c").read_text(encoding="utf-8")
        assert set(re.findall(r"^#ifndef (\w+)", text, re.M)) == macros


def test_every_exit_code_is_documented() -> None:
    codes = dict(re.findall(r"^#define (SF_EXIT_\w+) (\d+)", HEADER, re.M))
    found = rows("cores.md", "## What a core is stopped for")[2:]
    assert {row[1].strip("`"): row[0] for row in found} == codes
