"""The pages in docs/ name everything that they are about, and nothing that is gone."""

import dataclasses
import json
import re
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from syncfabric import Network
from syncfabric.fpga.blocks import BLOCKS
from syncfabric.models import plugins
from syncfabric.models.collectives.collective import KINDS, TEXTS, kind_of, name_of
from syncfabric.models.layout.offload import Offload
from syncfabric.models.messages.layout import Layout
from syncfabric.models.messages.static import ROLE_WORD, STATUS_WORD
from syncfabric.models.networks.irregular_table import IrregularTable
from syncfabric.models.networks.kinds import MESSAGE_PLANNERS
from syncfabric.models.networks.random_network import RandomNetwork
from syncfabric.models.networks.schema import GroupTable, NetworkFile
from syncfabric.models.networks.spec import MeshSpec, StaticSpec
from syncfabric.models.networks.static_spec import STATIC_PLANNERS, StaticTable
from syncfabric.models.networks.table import Table
from syncfabric.models.planning.set_up_writes import registers_json
from syncfabric.models.register_map.c_programs import setup_header
from syncfabric.sim.assemble import network, static
from syncfabric.sim.assemble.network import top_ports
from syncfabric.sim.core_file import LINT_OPTIONS, core_file
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.front import Front
from syncfabric.sim.load import LoadCurve, LoadPoint, LoadResult
from syncfabric.sim.products import register_files, setup_hex
from syncfabric.sim.results import result_rows, results_schema, summary
from tests import kinds_of_set_up

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def rows(page: str, heading: str = "") -> list[list[str]]:
    """Return the cells of all tables of a page, or of what stands right under one heading."""
    text = (DOCS / page).read_text(encoding="utf-8")
    if heading:
        text = re.split(r"^#", text.split(f"\n{heading}\n")[1], maxsplit=1, flags=re.M)[0]
    cells = (re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line[:1] == "|")
    return [[cell.strip() for cell in row] for row in cells]


def tables(page: str) -> dict[str, dict[str, list[str]]]:
    """Return the rows of each table of a page by the names in them, by the table's first head."""
    found: dict[str, dict[str, list[str]]] = {}
    current: dict[str, list[str]] = {}
    lines = rows(page)
    for row, below in zip(lines, [*lines[1:], [""]], strict=True):
        if below[0].startswith("---"):
            current = found.setdefault(row[0], {})
        current |= dict.fromkeys(re.findall(r"`([^`]+)`", row[0]), row)
    return found


def named(page: str, heading: str = "") -> set[str]:
    """Return the names in code style in the first cells of the tables that ``rows`` finds."""
    return {name for row in rows(page, heading) for name in re.findall(r"`([^`]+)`", row[0])}


MESH, IRREGULAR = "## `[network]` of a mesh", "## `[network]` of an irregular network"


@pytest.mark.parametrize(
    ("table", "headings"),
    [
        (NetworkFile, ("## The file",)),
        (MeshSpec, (MESH,)),
        (IrregularTable, (MESH, IRREGULAR)),
        (RandomNetwork, ("### Random networks",)),
        (StaticTable, (IRREGULAR, "## `[network]` of a static network")),
        (GroupTable, ("## `[[group]]`",)),
        (Offload, ("##### Your own operator",)),
    ],
)
def test_every_key_of_a_network_file_has_its_default(
    table: type[Table], headings: tuple[str, ...]
) -> None:
    documented: dict[str, Any] = {}
    for heading in headings:
        for row in rows("network-files.md", heading):
            names = re.findall(r"`([^`]+)`", row[0])
            each = [row[1:3]] * len(names)
            if ";" in row[2]:
                values, defaults = row[1].split(";"), row[2].split(";")
                each = [list(pair) for pair in zip(values, defaults, strict=True)]
            documented |= dict(zip(names, each, strict=True))
    for name, field in table.model_fields.items():
        if name in ("group", "network"):
            continue
        values, default = documented[name]
        if field.is_required():
            assert default == "–", name
        elif field.default is None:
            assert re.fullmatch(r"none|the .+", default), name
        elif field.default_factory is None:
            assert default.strip(" `") == json.dumps(field.default), name
        for limit in field.metadata if field.default_factory is None else ():
            for bound in (getattr(limit, "ge", None), getattr(limit, "le", None)):
                assert bound is None or re.search(rf"\b{bound}\b", values), name


def test_every_field_of_a_result_is_documented() -> None:
    schema = results_schema()
    fields = {name for part in [schema, *schema["$defs"].values()] for name in part["properties"]}
    fields |= {*LoadResult("n", 1, []).to_json()}
    fields |= {field.name for part in (LoadCurve, LoadPoint) for field in dataclasses.fields(part)}
    text = (DOCS / "results.md").read_text(encoding="utf-8")
    assert {name for name in fields if f"`{name}`" not in text and f'"{name}"' not in text} == set()
    known = fields | {"match", "checked", "mismatch", "hang"}
    assert named("results.md") <= known


@pytest.mark.parametrize("name", ["mesh-4x4", "twins"])
def test_every_port_is_documented(name: str) -> None:
    options = {"setup": "manager"}
    network = Network.load(name).spec.message_network.model_copy(update=options)
    ports = {name for _, name, _ in top_ports(network)}
    headings = ["## Barriers", "## Configuration", "## Ordinary packets"]
    documented = {name for heading in headings for name in named("ports.md", heading)}
    assert documented == ports - {"clk", "rst"}


def test_every_port_of_a_block_is_documented() -> None:
    """Names as the page has them: of all sides and numbers once, and of a bundle its beginning."""
    ports, block = set(), False
    for line in (ROOT / "tests" / "fpga" / "ports.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            name = re.sub(r"^(east|north|west|south)_", "SIDE_", line.split()[2]) if block else ""
            ports.add(re.sub(r"__.*", "__…", re.sub(r"_\d+", "_P", name)))
        else:
            block = line.partition(":")[0] in BLOCKS
    section = (DOCS / "ports.md").read_text(encoding="utf-8").split("\n## Blocks\n")[1]
    listed = "".join(re.findall(r"^(?:- |  ).*\n", section.split("\n## ")[0], re.M))
    assert set(re.findall(r"`([^`]+)`", listed)) == ports - {""}


def test_every_target_of_a_core_file_is_documented() -> None:
    spec = Network.load("mesh-2x2").spec
    core = core_file("network", "mesh-2x2", "mesh_2x2", "a mesh", spec.network)
    targets = core.partition("\ntargets:\n")[2]
    assert named("ports.md", "## Core files") == set(re.findall(r"^  (\w+):$", targets, re.M))
    page = (DOCS / "ports.md").read_text(encoding="utf-8")
    for option in LINT_OPTIONS:
        assert f"`{option.removeprefix('-Wno-')}`" in page


def test_every_port_of_a_static_network_is_documented() -> None:
    network = Network.load("reflex-4x4").spec.network
    assert isinstance(network, StaticSpec)
    ports = {name for _, name, _ in static.top_ports(network)}
    config = named("ports.md", "## Configuration")
    assert named("ports.md", "## Static networks") == ports - config - {"clk", "rst"}
    assert config < ports
    widths = {row[0].strip("`"): row[2] for row in rows("ports.md", "## Static networks")}
    for direction, name, bits in static.process_ports(network.model_copy(update={"flit_bits": 7})):
        assert widths[name] == ("N·F" if bits == 7 else "N"), (direction, name)


def test_the_instances_of_a_static_network_are_documented() -> None:
    page = (DOCS / "ports.md").read_text(encoding="utf-8")
    network = Network.load("reflex-4x4").spec.network
    assert isinstance(network, StaticSpec)
    verilog = static.top_verilog(network, "top")
    for module in static.module_names(network):
        assert f"`NAME_{module}`" in page
    assert {name.partition("_")[0] for name, _ in static.targets(network)} == {"node"}
    for wire in static.link_wires(network):
        assert f"_{wire}`" in page, wire
        assert f"link_0_0_east_{wire}" in verilog
    for wire, _ in static.local_wires(network):
        assert f"`link_X_Y_{wire.partition('_')[0]}_valid`" in page


@pytest.mark.parametrize(
    ("layout", "head"),
    [
        (ROLE_WORD, ROLE_WORD.name),
        (STATUS_WORD, "static node's status word"),
    ],
)
def test_every_field_of_a_register_is_documented(layout: Layout, head: str) -> None:
    documented = tables("registers.md")[head]
    assert list(documented) == [field.name for field in layout.fields]
    for field in layout.fields:
        low = layout.offsets[field.name]
        high = low + field.width - 1
        assert documented[field.name][1] == (f"{high}:{low}" if field.width > 1 else str(low))


def test_the_writes_shown_are_those_of_the_network() -> None:
    page = (DOCS / "registers.md").read_text(encoding="utf-8")
    whole, shown = map(json.loads, re.findall(r"```json\n(.*?)```", page, re.S))
    made = registers_json(Network.load("reflex-4x4").plan())["writes"]
    first = made.index(shown[0])
    assert made[first : first + len(shown)] == shown
    made = registers_json(Network.load("mesh-4x4").plan())
    assert made | {key: made[key][:1] for key in ("routers", "writes")} == whole


def test_every_input_has_a_value_to_be_tied_to() -> None:
    """All but clock, reset and arrivals, without which there is no network."""
    tied = named("ports.md", "### Unused inputs")
    text = "".join(cell for row in rows("ports.md", "### Unused inputs") for cell in row)
    for kind in kinds_of_set_up.KINDS:
        for flow, name, _ in network.top_ports(kinds_of_set_up.small(kind).spec.network):
            if flow == "input" and name not in ("clk", "rst", "arrive", *tied):
                first = next(one for one in tied if one.split("_")[0] == name.split("_")[0])
                assert f"`{name}`" in text or name.startswith(first.rpartition("_")[0])


def test_the_keys_and_lines_of_a_set_up_are_those_of_the_files() -> None:
    plan = Network.load("reflex-4x4").plan()
    (write, *_) = registers_json(plan)["writes"]
    page = (DOCS / "registers.md").read_text(encoding="utf-8")
    assert named("registers.md", "## `NAME_registers.json`") == set(write)
    shown = re.search(r"```text\n((?:[0-9a-f_]{21}\n)+)```", page)
    assert shown
    assert shown[1] in setup_hex(plan)


def test_names_in_c_are_those_of_the_headers(tmp_path: Path) -> None:
    page = (DOCS / "registers.md").read_text(encoding="utf-8")
    for name, fronts in (("fig1", (None, Front("axi"))), ("reflex-4x4", (None,))):
        spec = Network.load(name).spec
        prefix = spec.module
        shown = set(re.findall(rf"\b(?:{prefix}|{prefix.upper()})_[A-Za-z_]+\b", page))
        made = ""
        for front in fronts:
            texts = register_files(spec, front).values()
            axi = front is not None
            made += "\n".join([*texts, setup_header(Network.load(name).plan(), axi=axi)])
        wires = {f"FIG1_{end}" for end in ("SLOT", "SLOTS", "SLOT_WORD_TREE")}
        files = {f"{prefix}_{end}" for end in ("registers", "setup", "axi", "pkg", "map")}
        assert {one for one in shown - wires - files if not re.search(rf"\b{one}\b", made)} == set()
        assert len(shown) > 5


def test_the_fields_of_a_static_plan_are_documented() -> None:
    fields = Network.load("reflex-4x4").plan().groups[0].to_json()
    others = Network.load("fig1").plan().groups[0].to_json()
    documented = named("planning.md", "## `plan --json`")
    assert documented <= set(fields)
    assert {name for name in fields if others[name] is None and fields[name] is not None} | {
        "flits"
    } <= documented


def test_every_planner_is_documented() -> None:
    pages = [
        (DOCS / page).read_text(encoding="utf-8") for page in ("planning.md", "network-files.md")
    ]
    for planners in (*MESSAGE_PLANNERS.values(), STATIC_PLANNERS):
        for planner in planners:
            assert f"\n| `{planner}` |" in pages[0]
            assert f'`"{planner}"`' in pages[1]


def test_the_tour_shows_what_a_run_prints() -> None:
    page = [line.split() for line in (DOCS / "tour.md").read_text(encoding="utf-8").splitlines()]
    network = Network.load("demo")
    result = network.run(sim="model", background=0.1)
    for row in result_rows(result)[1]:
        assert " ".join(row).split() in page
    shown = " ".join(map(" ".join, page))
    assert f"{result.cycles:,} cycles, verilator" in shown
    accepted = next(line for line in summary(result) if line.startswith("traffic: "))
    assert accepted.partition(";")[0] in shown
    for row in result_rows(Network.load("reflex-4x4").run(sim="model"))[1]:
        assert " ".join(row).split() in page


@pytest.mark.parametrize("page", sorted([ROOT / "README.md", *DOCS.glob("*.md")]))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("https://") or (page.parent / target).exists(), target


PATH = re.compile(
    r"(?<![\w/.-])(?:docs|fpga|models|rtl|sim|syncfabric|tests)/[\w/.-]*\.(?:c|cpp|h|md|py)\b"
)


@pytest.mark.parametrize("place", ["docs", "fpga", "models", "rtl", "sim", "syncfabric"])
def test_files_that_are_named_are_there(place: str) -> None:
    for file in (ROOT / place).rglob("*.*"):
        if file.suffix in (".c", ".cpp", ".h", ".md", ".py"):
            for path in PATH.findall(file.read_text(encoding="utf-8")):
                assert (ROOT / path).exists(), f"{file.relative_to(ROOT)}: {path}"


GROUPS = re.findall(r"^``(syncfabric\.\w+)``", str(plugins.__doc__), re.M)
NO_PYTHON = {"syncfabric.h", *GROUPS}


@pytest.mark.parametrize("page", sorted([ROOT / "README.md", *DOCS.glob("*.md")]))
def test_python_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`(syncfabric(?:\.\w+)+)[`(]", text):
        assert name in NO_PYTHON or resolve_name(name), name


def test_every_experiment_stands_beside_its_paper() -> None:
    text = (DOCS / "papers.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"`((?:btm|btin|reflex|evo|adapt)-(?:fig|table|[a-z]+)[\w-]*)", text))
    assert shown - {"reflex-4x4"} == set(EXPERIMENTS)


def test_the_glossary_has_the_collectives_names_and_meanings() -> None:
    named = [row for row in rows("glossary.md") if len(row) == 4]
    shown = {row[2].strip("`"): row for row in named if row[2].strip("`") in KINDS}
    assert set(shown) == set(KINDS)
    for kind in KINDS:
        usual, nccl, _, meaning = shown[kind]
        assert usual == name_of(kind)
        assert nccl == "–" or kind_of(nccl) == kind
        assert meaning == TEXTS[kind]


def test_a_term_of_the_glossary_is_defined_once() -> None:
    terms = [row[0] for row in rows("glossary.md") if row[0] != "term" and "---" not in row[0]]
    assert len(terms) == len(set(terms)) > 60


def test_each_group_of_entry_points_is_documented() -> None:
    assert len(GROUPS) == 5
    assert {*GROUPS} <= {row[1].strip("`") for row in rows("extending.md") if len(row) > 1}


def test_every_picture_has_a_title() -> None:
    pictures = sorted(DOCS.glob("images/*.svg"))
    assert len(pictures) > 8
    assert [file.name for file in pictures if "<title>" not in file.read_text("utf-8")] == []
