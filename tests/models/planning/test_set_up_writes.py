"""The writes that set any plan up, as they are written down in JSON, as a table, and in C."""

import json
import subprocess
from pathlib import Path

import pytest

from syncfabric.models.messages.host import CONFIG_WINDOW, GlobalWord
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import (
    members,
    registers_json,
    set_up_entries,
    set_up_writes,
)
from syncfabric.models.register_map.c_header import c_header
from syncfabric.models.register_map.c_programs import setup_header
from syncfabric.sim.front import Front
from syncfabric.sim.products import register_files
from tests.kinds_of_set_up import KINDS, small

FREESTANDING = ["-std=c99", "-ffreestanding", "-Wall", "-Wextra", "-Werror", "-pedantic"]
TRIES = 3

# A bus that prints each access. A word that is waited for is right at the third read.
BUS = """\
#include <stdio.h>
static unsigned reads;
static const unsigned right[] = {WORDS};
static inline void bus_write(void *base, unsigned target, unsigned address, unsigned value)
{
    printf("%d w %u %u %u\\n", *(int *)base, target, address, value);
}
static inline unsigned bus_read(void *base, unsigned target, unsigned address)
{
    unsigned word = right[reads / TRIES];
    printf("%d r %u %u\\n", *(int *)base, target, address);
    return reads++ % TRIES == TRIES - 1 ? word : ~word;
}
"""
BY_TARGET = """\
#define N_CONFIG_WRITE(base, target, address, value) bus_write((void *)base, target, address, value)
#define N_CONFIG_READ(base, target, address) bus_read((void *)base, target, address)
"""
BY_WORD = """\
#define N_WRITE(base, word, value) bus_write((void *)base, 0, word, value)
#define N_READ(base, word) bus_read((void *)base, 0, word)
"""
MAIN = """
int main(void)
{
    uint32_t mark = 42;
    printf("returned %d\\n", n_set_up(&mark));
    return 0;
}
"""


def ran(folder: Path, plan: BarrierPlan, text: str, *, axi: bool = False) -> list[str]:
    """Compile a program that includes the set-up header, and return what it prints."""
    front = Front("axi") if axi else None
    for name, content in register_files(plan.spec, front, "n").items():
        (folder / name).write_text(content)
    (folder / "setup.h").write_text(setup_header(plan, "n", axi=axi))
    subprocess.run(
        ["gcc", *FREESTANDING, "-fsyntax-only", "-x", "c", "setup.h"], cwd=folder, check=True
    )
    words = [word for kind, _, _, value in set_up_entries(plan) if kind for word in [value]]
    right = ", ".join(f"{(v & 0xFFFF) | ~(v >> 16) & 0xFFFF0000}u" for v in words) or "0"
    text = text.replace("WORDS", right).replace("TRIES", f"{TRIES}u")
    (folder / "main.c").write_text(text)
    flags = [flag for flag in FREESTANDING if flag != "-ffreestanding"]
    subprocess.run(["gcc", *flags, "main.c", "-o", "main"], cwd=folder, check=True)
    run = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True)
    return run.stdout.splitlines()


@pytest.fixture(params=KINDS)
def plan(request: pytest.FixtureRequest) -> BarrierPlan:
    return small(request.param).plan()


def test_writes_of_every_kind_are_written_down(plan: BarrierPlan) -> None:
    """Over the chain, the words of images are written as they are shown, all of them."""
    document = json.loads(json.dumps(registers_json(plan)))
    writes = document["writes"]
    assert writes
    seen = [(write["index"], write["address"], int(write["value"], 16)) for write in writes]
    assert seen == [(one.target, one.address, one.value) for one in set_up_writes(plan)]
    static = plan.spec.network.kind == "static"
    images = {
        (entry["index"], word["address"], int(word["value"], 16))
        for entry in document.get("routers", ())
        for image in entry["entries"]
        for word in image["words"]
    }
    waited = [one for one in writes if one["until"]]
    if static:
        assert [one["word"] for one in waited] == ["strobe"]
        return
    assert images
    if plan.spec.network.managed:
        assert [one["group"] for one in waited] == [group.id for group in plan.groups]
    else:
        assert waited == []
        assert {write for write in seen if write[1] != 0} == images


def test_the_table_is_the_writes_and_what_is_waited_for(plan: BarrierPlan) -> None:
    expected = []
    for write in set_up_writes(plan):
        expected.append((0, write.target, write.address, write.value))
        if write.until:
            address, mask, value = write.until
            assert 0 <= value & ~mask == 0 < mask < 1 << 16
            expected.append((1, write.target, address, mask << 16 | value))
    assert set_up_entries(plan) == expected
    assert all(to < 1 << 24 and at < 1 << 12 and v < 1 << 32 for _, to, at, v in expected)


def test_a_program_performs_the_writes_in_order(plan: BarrierPlan, tmp_path: Path) -> None:
    """It reads what it waits for until that is there, and starts when all is done."""
    lines = []
    for kind, target, address, value in set_up_entries(plan):
        done = f"42 w {target} {address} {value}"
        lines += [f"42 r {target} {address}"] * TRIES if kind else [done]
    said = ran(tmp_path, plan, f'{BUS}{BY_TARGET}#include "setup.h"\n{MAIN}')
    assert said == [*lines, "returned 0"]


@pytest.mark.parametrize("kind", ["mesh_managed", "switches_managed", "ring"])
def test_a_word_that_never_comes_is_reported(kind: str, tmp_path: Path) -> None:
    """The number of the entry from 1 is returned, and nothing follows."""
    plan = small(kind).plan()
    first = next(i for i, entry in enumerate(set_up_entries(plan)) if entry.kind)
    text = f'{BUS}{BY_TARGET}#define N_SETUP_POLLS 1u\n#include "setup.h"\n{MAIN}'
    said = ran(tmp_path, plan, text)
    assert said[-1] == f"returned {first + 1}"
    assert len(said) == first + 1 + 2


@pytest.mark.parametrize("kind", ["mesh", "switches"])
def test_the_config_port_is_mapped_as_in_the_register_map(kind: str, tmp_path: Path) -> None:
    """`base` is that of a map of a power of two of words a target, docs/registers.md says."""
    plan = small(kind).plan()
    text = """
    #include <stdio.h>
    #include "setup.h"
    static volatile uint32_t map[16 << 12];
    int main(void)
    {
        int failed = n_set_up(map);
        for (uint32_t i = 0; i < 16u << 12; i++)
            if (map[i])
                printf("%u %u\\n", i, map[i]);
        return failed;
    }
    """
    bits = plan.spec.network.layout.config_address_bits
    last = {one.target << bits | one.address: one.value for one in set_up_writes(plan)}
    said = ran(tmp_path, plan, text)
    assert said == [f"{at} {value}" for at, value in sorted(last.items()) if value]


@pytest.mark.parametrize("kind", ["mesh", "mesh_managed", "ring"])
def test_a_program_sets_up_over_axi(kind: str, tmp_path: Path) -> None:
    """Every access names its target first."""
    plan = small(kind).plan()
    lines = []
    for read, target, address, value in set_up_entries(plan):
        node = f"42 w 0 {GlobalWord.CONFIG_NODE:d} {target}"
        word = f"0 {CONFIG_WINDOW + address}"
        lines += [node, f"42 r {word}"] * TRIES if read else [node, f"42 w {word} {value}"]
    said = ran(tmp_path, plan, f'{BUS}{BY_WORD}#include "setup.h"\n{MAIN}', axi=True)
    assert said == [*lines, "returned 0"]


def test_the_members_name_their_bits(plan: BarrierPlan, tmp_path: Path) -> None:
    text = """
    #include <stdio.h>
    #include "setup.h"
    int main(void)
    {
        for (uint32_t i = 0; i < N_MEMBERS; i++)
            printf("%u %u %u\\n", n_members[i].group, n_members[i].node, n_members[i].reg);
        printf("%u %u\\n", N_PORT_REGISTERS, N_IN_MEMORY);
        return 0;
    }
    """
    expected = [
        (group.id, plan.spec.network.topology.index(node), place)
        for group in plan.groups
        for node, place in group.places.items()
    ]
    assert list(members(plan)) == expected
    *rows, last = ran(tmp_path, plan, text)
    shown = [[65535 if number is None else number for number in member] for member in expected]
    assert [list(map(int, row.split())) for row in rows] == shown
    assert last == f"{plan.spec.network.port_registers} 65535"


def test_names_begin_with_the_networks() -> None:
    plan = small("mesh").plan()
    text, registers = setup_header(plan), c_header(plan.spec)
    assert "static inline int mesh_set_up(volatile uint32_t *base)" in text
    assert '#include "mesh_registers.h"' in text
    assert "#define MESH_WIDTH 2u" in registers
    for header in (text, registers):
        assert "syncfabric_" not in header.lower()
