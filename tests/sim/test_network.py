"""The object that a user holds."""

import json
from pathlib import Path

import pytest

import syncfabric
from syncfabric import Network
from syncfabric.models.errors import OutputError, SpecError
from syncfabric.models.networks import reader
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.results import RunResult
from tests.built import built


def test_the_package_names_it() -> None:
    assert syncfabric.Network is Network
    assert "Network" in dir(syncfabric)


def test_a_name_or_a_path_or_a_text(tmp_path: Path) -> None:
    text = (Path(str(reader.LIBRARY)) / "fig1.toml").read_text()
    (tmp_path / "mine.toml").write_text(text)
    by_name, by_path = Network.load("fig1"), Network.load(tmp_path / "mine.toml")
    assert by_name.spec == by_path.spec == Network.loads(text).spec
    assert by_name.name == "fig1"
    assert repr(by_name) == "Network('fig1', 8x8 mesh, 1 groups)"
    cluster = "Network('cluster-fig1', irregular network of 9 switches, 1 groups)"
    assert repr(Network.load("cluster-fig1")) == cluster


def test_a_plan_is_made_once_and_goes_to_json_and_back() -> None:
    net = Network.load("demo")
    plan = net.plan()
    assert plan is net.plan()
    assert BarrierPlan.from_json(json.loads(json.dumps(plan.to_json()))).groups == plan.groups


@pytest.mark.parametrize("name", ["mesh-4x4", "cluster-fig1"])
def test_networks_and_plans_show_themselves(name: str) -> None:
    net = Network.load(name)
    for picture in (net._repr_svg_(), net.plan()._repr_svg_()):
        assert picture is not None
        assert "<svg" in picture


def test_what_is_too_large_to_draw_is_shown_in_words() -> None:
    net = Network.loads('name = "n"\n[network]\nkind = "mesh"\nwidth = 100\nheight = 1\n')
    assert net._repr_svg_() is None
    assert net.plan()._repr_svg_() is None


def test_verilog_is_one_text_with_the_networks_module() -> None:
    text = Network.load("shared-links").verilog()
    assert text.startswith("// shared-links: ")
    assert "\nmodule shared_links\n" in text or "\nmodule shared_links (" in text
    assert text.count("\nmodule shared_links_router_node (") == 1
    assert str(Path(__file__).parents[2]) not in text


@pytest.mark.parametrize("name", ["wire", "accept-on"])
def test_a_name_that_no_module_can_have(name: str) -> None:
    module = name.replace("-", "_")
    message = f'^name = "{name}": {module} is a keyword of Verilog; choose another$'
    with pytest.raises(SpecError, match=message):
        Network.loads(f'name = "{name}"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 2\n')


def test_a_build_is_these_files(tmp_path: Path) -> None:
    net = Network.load("mesh-2x2")
    written = net.build(tmp_path / "out")
    assert [path.name for path in written] == built("mesh-2x2")
    assert sorted((tmp_path / "out").iterdir()) == sorted(written)
    assert written[0].read_text() == net.verilog()
    assert BarrierPlan.from_json(json.loads(written[1].read_text())).groups == net.plan().groups
    registers = json.loads(written[2].read_text())
    assert [router["index"] for router in registers["routers"]] == [0, 1, 2, 3]
    nodes = {tuple(write["node"]) for write in registers["writes"]}
    assert nodes == {(0, 0), (1, 0), (0, 1), (1, 1)}


def test_a_build_of_an_irregular_network(tmp_path: Path) -> None:
    net = Network.load("twins")
    verilog, plan, registers, header, *_ = net.build(tmp_path / "out")
    text = verilog.read_text()
    for module in ("router_node", "node_interface"):
        assert text.count(f"\nmodule twins_{module} (") == 1
    assert BarrierPlan.from_json(json.loads(plan.read_text())).groups == net.plan().groups
    assert json.loads(registers.read_text())["network"] == "twins"
    assert "TWINS_ROUTERS" in header.read_text()


def test_a_build_is_the_same_every_time(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        Network.load("mesh-2x2").build(tmp_path / folder)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sim": "vcs"}, r"^sim must be one of verilator, icarus, model, not 'vcs'$"),
        ({"episodes": 0}, r"^episodes must be 1 or more, not 0$"),
        ({"threads": 2, "waves": True}, r"^threads = 2: a waveform .*; leave .* waves out$"),
        ({"threads": 0}, r"^threads must be 1 to 256, not 0$"),
        ({"threads": 2, "sim": "icarus"}, r"^threads = 2: verilator alone .*; leave threads out$"),
        ({"seed": 1 << 32}, r"^seed must be 0 to 4,294,967,295, not 4,294,967,296$"),
        ({"background": -0.1}, r"^background must be 0 to 1 flits a node a cycle, not -0\.1$"),
    ],
)
def test_arguments_of_a_run_are_checked(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Network.load("mesh-2x2").run(**arguments)  # type: ignore[arg-type]


def test_outputs_of_a_run_are_checked_before_it(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"^log x\.txt: its name must end in \.csv$"):
        Network.load("mesh-2x2").run(sim="model", output=tmp_path / "out", log="x.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_run_of_the_model_alone(tmp_path: Path) -> None:
    net = Network.load("fig1")
    result = net.run(
        sim="model",
        episodes=14,
        background=0.0,
        output=tmp_path / "out",
        log=tmp_path / "new" / "log.csv",
        heat=tmp_path / "heat.svg",
    )
    (group,) = result.groups
    assert result.ok
    assert not result.compared
    assert group.episodes == 14
    assert group.latency is not None
    assert group.bound is not None
    assert (group.bound_links, group.bound) == (9, 28)
    assert 2 * 9 + 2 <= group.latency.max <= group.bound
    assert result.events is not None
    assert result.events.releases == 14 * 14
    assert all(Path(name).is_file() for name in result.files)
    rows = (tmp_path / "new" / "log.csv").read_text().splitlines()
    assert rows[0] == "kind,group,source,destination,cycle_in,cycle_out"
    assert len(rows) == 1 + result.events.messages
    assert result.loads is not None
    assert max(channel.load for channel in result.loads) > 0


def test_a_run_on_an_irregular_network(tmp_path: Path) -> None:
    net = Network.load("cluster-fig1")
    result = net.run(sim="model", episodes=14, output=tmp_path / "out", heat=tmp_path / "heat.svg")
    (group,) = result.groups
    assert result.ok
    assert (group.root, group.root_switch, group.root_node) == ((6, 0), 6, (6, 0))
    assert (group.height, group.longest_path, group.bound_links) == (2, 2, 3)
    assert group.latency is not None
    assert group.latency.max == 2 * 3 + 2  # E11: the last one waits for none
    assert group.bound == 2 * 3 + 2 + 3  # three cycles behind others on the path
    assert (group.planner, group.bound_btm) == ("shortest", None)
    assert all(Path(name).is_file() for name in result.files)
    assert result.loads is not None
    assert {load.port for load in result.loads} == {"inject", *map(str, range(8))}
    assert {type(load.node) for load in result.loads if load.port != "inject"} == {int}
    assert RunResult.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_a_run_can_be_repeated(tmp_path: Path) -> None:
    net = Network.load("mesh-4x4")
    first, second = (net.run(sim="model", episodes=5, seed=9, background=0.3) for _ in range(2))
    assert first.groups == second.groups
    assert first.traffic == second.traffic
    assert first.repeat == (
        "syncfabric run mesh-4x4 --sim model --episodes 5 --seed 9 --background 0.3"
    )
