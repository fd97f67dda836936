"""The pages in docs/ name everything that they are about, and nothing that is gone."""

import json
import re
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.models.messages import CONTROL, NODE_WORD, STATUS, Layout
from syncfabric.models.networks.schema import GroupTable, NetworkFile
from syncfabric.models.networks.spec import MeshSpec, Table
from syncfabric.models.planning.images import registers_json
from syncfabric.sim.assemble.mesh import top_ports
from syncfabric.sim.report import plan_rows, result_rows, summary
from syncfabric.sim.results import results_schema

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def rows(page: str) -> list[list[str]]:
    """Return the cells of all tables of a page."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line[:1] == "|"]


def named(page: str) -> set[str]:
    """Return the names in code style in the first cells of all tables of a page."""
    return {name for row in rows(page) for name in re.findall(r"`([^`]+)`", row[0])}


@pytest.mark.parametrize("table", [MeshSpec, GroupTable, NetworkFile])
def test_every_key_of_a_network_file_has_its_default(table: type[Table]) -> None:
    documented = {
        name: row for row in rows("network-files.md") for name in re.findall(r"`([^`]+)`", row[0])
    }
    for name, field in table.model_fields.items():
        if name in ("group", "network"):
            continue
        default = documented[name][2]
        if field.is_required():
            assert default == "–", name
        else:
            assert default.strip("`") == json.dumps(field.default), name
        for limit in field.metadata:
            for bound in (getattr(limit, "ge", None), getattr(limit, "le", None)):
                assert bound is None or re.search(rf"\b{bound}\b", documented[name][1]), name


def test_every_field_of_a_result_is_documented() -> None:
    schema = results_schema()
    fields = {name for part in [schema, *schema["$defs"].values()] for name in part["properties"]}
    text = (DOCS / "results.md").read_text(encoding="utf-8")
    assert {name for name in fields if f"`{name}`" not in text and f'"{name}"' not in text} == set()
    known = fields | {"match", "mismatch", "hang"}
    assert named("results.md") <= known


def test_every_port_is_documented() -> None:
    text = 'name = "n"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 2\nspill = true\n'
    ports = {name for _, name, _ in top_ports(Network.loads(text).spec.network)}
    assert named("ports.md") == ports - {"clk", "rst"}


@pytest.mark.parametrize("layout", [CONTROL, NODE_WORD, STATUS])
def test_every_field_of_a_register_is_documented(layout: Layout) -> None:
    documented = {row[0].strip("`"): row[1] for row in rows("registers.md")}
    for field in layout.fields:
        low = layout.offsets[field.name]
        high = low + field.width - 1
        assert documented[field.name] == (f"{high}:{low}" if field.width > 1 else str(low))


def test_the_registers_shown_are_those_of_the_network() -> None:
    page = (DOCS / "registers.md").read_text(encoding="utf-8")
    example = re.search(r"```json\n(.*?)```", page, re.S)
    assert example
    (shown,) = json.loads(example[1])["nodes"]
    made = registers_json(Network.load("fig1").plan())["nodes"]
    assert shown in made


def test_the_readme_shows_what_a_run_prints() -> None:
    page = [line.split() for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()]
    network = Network.load("demo")
    result = network.run(sim="model", background=0.1)
    for row in result_rows(result)[1]:
        assert " ".join(row).split() in page
    shown = " ".join(map(" ".join, page))
    assert f"{result.cycles:,} cycles, verilator" in shown
    accepted = next(line for line in summary(result) if line.startswith("traffic: "))
    assert accepted.partition(";")[0] in shown
    for row in plan_rows(Network.load("fig1").plan())[1]:
        assert " ".join(row).split() in page


@pytest.mark.parametrize("page", sorted([ROOT / "README.md", *DOCS.glob("*.md")]))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("https://") or (page.parent / target).exists(), target
