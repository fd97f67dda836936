"""What software writes to a static network: ``registers.json``, and the C header's names for it."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from syncfabric import Network
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import registers_json
from syncfabric.models.register_map.c_header import c_header
from tests.models.golden.static_plans import plan_of

THREE = """
name = "three"
[network]
kind = "static"
width = 5
height = 4
core_buffer = 3
[[group]]
id = 1
members = [[0, 0], [3, 0], [1, 2], [2, 2]]
[[group]]
id = 7
members = [[4, 3], [0, 1], [2, 1], [3, 3]]
planner = "tree"
[[group]]
id = 9
members = [[4, 0]]
"""


@pytest.fixture(scope="module")
def plan() -> BarrierPlan:
    return Network.loads(THREE).plan()


def replayed(plan: BarrierPlan) -> StaticModel:
    """Return a golden model after all writes, each when the one before is answered."""
    assert isinstance(plan.spec.network, StaticSpec)
    model = StaticModel(plan.spec.network)
    last = 0
    for write in registers_json(plan)["writes"]:
        while model.cycle < last + write["wait"]:
            model.step()
        last = model.cycle
        value = int(write["value"], 16)
        model.step(config=ConfigRequest(write["index"], write["address"], True, value))
        while not model.config_answer[0]:
            model.step()
        assert not model.config_answer[1], write
    return model


def test_replaying_the_writes_sets_all_groups_up(plan: BarrierPlan) -> None:
    model = replayed(plan)
    mesh = plan.spec.network.topology
    for _ in range(3):
        for late in plan.groups:
            come = [node for group in plan.groups for node in group.members]
            last = late.members[-1]
            early = [mesh.index(node) for node in come if node != last]
            released: list[int] = []
            model.step(arrive={(node, 0): 0 for node in early})
            for _ in range(300):
                released += [node for node, _, _ in model.release]
                model.step()
            waiting = {mesh.index(node) for node in late.members}
            assert sorted(released) == sorted(set(early) - waiting)
            begin = model.cycle
            model.step(arrive={(mesh.index(last), 0): 0})
            cycles: list[int] = []
            while len(cycles) < len(late.members):
                assert model.cycle <= begin + late.bound + 1
                cycles += [model.cycle - begin for _ in model.release]
                model.step()
            assert max(cycles) <= late.bound


def test_roots_begin_last_and_the_first_role_waits_for_the_flush(plan: BarrierPlan) -> None:
    document = registers_json(plan)
    assert (document["nodes"], document["switches"]) == (None, None)
    writes = document["writes"]
    words = [write["word"] for write in writes]
    assert words == ["shift"] * 16 + ["strobe"] + ["role"] * 9 + ["command"] * 2
    assert [write["wait"] for write in writes] == [1] * 17 + [3] + [1] * 10
    assert {write["index"] for write in writes if write["node"] is None} == {20}
    assert all(
        write["index"] == 5 * write["node"][1] + write["node"][0]
        for write in writes
        if write["node"] is not None
    )
    roots = [list(group.route.root) for group in plan.groups[:2]]
    assert [write["node"] for write in writes[-2:]] == roots


def printed(plan: BarrierPlan, puts: list[str], folder: Path, rest: str = "") -> list[str]:
    """Return what a program prints that puts bits into words by the header: those, and the rest."""
    (folder / "registers.h").write_text(c_header(plan.spec, "syncfabric"))
    (folder / "main.c").write_text(
        '#include <stdio.h>\n#include "registers.h"\n'
        "static uint32_t words[SYNCFABRIC_CHAIN_WORDS];\n"
        "static void put(uint32_t bit) {\n"
        "  words[SYNCFABRIC_CHAIN_WORD(bit)] |= UINT32_C(1) << SYNCFABRIC_CHAIN_SHIFT(bit);\n}\n"
        "int main(void) {\n" + "\n".join(puts) + "\n"
        "  for (unsigned i = 0; i < SYNCFABRIC_CHAIN_WORDS; i++)\n"
        '    printf("%u %u %08x\\n", SYNCFABRIC_LOADER, SYNCFABRIC_WORD_SHIFT, words[i]);\n'
        f"{rest}  return 0;\n}}\n"
    )
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run(["gcc", *flags, "-o", "main", "main.c"], cwd=folder, check=True)
    run = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True)
    return run.stdout.splitlines()


def written(writes: list[dict[str, Any]]) -> list[str]:
    return [f"{write['index']} {write['address']} {write['value'][2:]}" for write in writes]


def test_the_header_compiles_and_sets_up_the_same(plan: BarrierPlan, tmp_path: Path) -> None:
    """A program that knows the header alone makes the words of ``registers.json``."""
    lines = []
    for group in plan.groups:
        for (switch, output), source in group.routes().items():
            x, y = plan.spec.network.topology.node(switch)
            place = f"SYNCFABRIC_NODE({x}, {y}), {port_name(Port(output))}"
            lines.append(f"  put(SYNCFABRIC_SELECT({place}, {port_name(Port(source))}));")
            lines.append(f"  put(SYNCFABRIC_FLUSH({place}));")
        if len(group.members) == 1:
            ((x, y),) = group.members
            lines.append(
                f"  put(SYNCFABRIC_FLUSH(SYNCFABRIC_NODE({x}, {y}), SYNCFABRIC_PORT_CORE));"
            )
    # The core output of a ring's root is among its routes; that of a tree's is not.
    x, y = plan.groups[1].route.root
    lines.append(f"  put(SYNCFABRIC_FLUSH(SYNCFABRIC_NODE({x}, {y}), SYNCFABRIC_PORT_CORE));")
    rest = (
        '  printf("%u %u %08x\\n", SYNCFABRIC_LOADER, SYNCFABRIC_WORD_STROBE, 0u);\n'
        '  printf("%u %u %08x\\n", SYNCFABRIC_NODE(0u, 0u), SYNCFABRIC_WORD_ROLE,\n'
        f"         SYNCFABRIC_ROLE_{role_of_first(plan)} << SYNCFABRIC_ROLE_WORD_ROLE_SHIFT);\n"
    )
    assert printed(plan, lines, tmp_path, rest) == written(registers_json(plan)["writes"])[:18]


def port_name(port: Port) -> str:
    return f"SYNCFABRIC_PORT_{'CORE' if port is Port.LOCAL else port.name}"


def role_of_first(plan: BarrierPlan) -> str:
    """Return the role of the first member of the file, on a ring."""
    return "RING_ROOT" if plan.groups[0].root == plan.groups[0].members[0] else "RING"


def test_the_header_names_every_word() -> None:
    header = c_header(Network.load("reflex-4x4").spec, "syncfabric").splitlines()
    for line in (
        "#ifndef reflex_4x4_REGISTERS_H",
        "#define SYNCFABRIC_LOADER 16u",
        "#define SYNCFABRIC_CHAIN_BITS 400u",
        "#define SYNCFABRIC_CHAIN_WORDS 13u",
        "#define SYNCFABRIC_WORD_STATUS 2u",
        "#define SYNCFABRIC_WORD_LENGTH 2u",
        "#define SYNCFABRIC_ROLE_TREE_ROOT 4u",
        "#define SYNCFABRIC_COMMAND_INIT 1u",
        "#define SYNCFABRIC_COUNTER_REFUSED_WRITE 3u",
        "#define SYNCFABRIC_ROLE_WORD_FLITS_SHIFT 3u",
        "#define SYNCFABRIC_STATUS_WORD_BEGUN_SHIFT 24u",
        "#define SYNCFABRIC_SETTLING 3u",
    ):
        assert line in header


@pytest.mark.parametrize("name", ["star-4", "fat-tree-2x2"])
def test_the_header_of_a_graph_finds_the_places_of_routes(name: str, tmp_path: Path) -> None:
    plan = plan_of(f'topology = "{name}"')
    (group,) = plan.groups
    puts = []
    for (switch, output), source in group.routes().items():
        puts.append(f"put(SYNCFABRIC_SELECT({switch}u, {output}u, {source}u));")
        puts.append(f"put(SYNCFABRIC_FLUSH({switch}u, {output}u));")
    writes = [write for write in registers_json(plan)["writes"] if write["word"] == "shift"]
    assert printed(plan, puts, tmp_path) == written(writes)
