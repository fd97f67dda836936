"""Networks of engines behind a host, by the golden models: set up, measured, set up anew."""

import functools
import operator
import subprocess
from pathlib import Path
from typing import Any

import pytest

from syncfabric.fpga.host.host import Host
from syncfabric.fpga.host.link import RefusedError
from syncfabric.fpga.host.measure import measure
from syncfabric.fpga.host.set_up import check_shape, end_groups, free_entry, set_up
from syncfabric.models.errors import BoardError
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import COMMAND, Operation
from syncfabric.models.layout.words import EngineWord, ManagerWord, PortWord, config_address
from syncfabric.models.networks.spec import MessageSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.register_map.c_programs import setup_header
from syncfabric.sim.front import Front
from syncfabric.sim.products import register_files
from tests.fpga.host.golden_board import GoldenBoard
from tests.nightly import nightly_but

_MESH = {"kind": "mesh", "transport": "link", "width": 3, "height": 2}
_CLUSTER: dict[str, Any] = {
    **{"kind": "irregular", "transport": "link", "ports": 5, "switches": 3},
    "links": [[[0, 0], [1, 4]], [[1, 0], [2, 4]], [[2, 0], [0, 4]]],
    "nodes": [[0, 1], [0, 2], [1, 1], [2, 1], [2, 3]],
}
_ROW = [[0, 0], [1, 0], [2, 0]]
_ALL = {
    "mesh": [[x, y] for y in range(2) for x in range(3)],
    "irregular": _CLUSTER["nodes"],
}
_GROUPS: dict[str, list[dict[str, Any]]] = {
    "mesh": [
        {"id": 1, "members": _ALL["mesh"], "op": "xor"},
        {"id": 2, "members": _ROW, "op": "and"},
        {"id": 9, "members": [[1, 1]]},
    ],
    "irregular": [
        {"id": 1, "members": _ALL["irregular"], "op": "xor"},
        {"id": 2, "members": [[0, 2], [2, 1], [2, 3]]},
        {"id": 3, "members": [[1, 1], [2, 3]]},
    ],
}
NETWORKS: dict[str, dict[str, Any]] = {
    "mesh": _MESH,
    "mesh_routed": {**_MESH, "transport": "routed", "setup": "manager", "managers": [[2, 1]]},
    "mesh_two": {**_MESH, "message_links": "shared", "check_bits": 4, "groups": 2, "channels": 2},
    "cluster": {**_CLUSTER, "setup": "local", "channels": 0, "data_bits": 7, "groups": 33},
    "cluster_managed": {**_CLUSTER, "managers": [[1, 1], [0, 2]]},
    "mesh_wired": {**_MESH, "wires": 2, "port_registers": 6, "read_back": True},
    "cluster_wired": {**_CLUSTER, "wires": 1, "managers": [[1, 1]], "check_bits": 2},
    "alone": {**_MESH, "width": 1, "height": 1, "groups": 2},
}


def plan_of(name: str, groups: list[dict[str, Any]] | None = None) -> BarrierPlan:
    keys = dict(NETWORKS[name])
    if groups is None:
        groups = _GROUPS[keys["kind"]][: 2 if keys.get("groups") == 2 else None]
    if keys["transport"] == "routed":
        groups = [{**group, "planner": "shortest"} for group in groups]
    table = {"name": name, "network": keys, "groups": groups}
    return make_plan(NetworkSpec.model_validate(table))


def board_of(plan: BarrierPlan) -> GoldenBoard:
    assert isinstance(plan.spec.network, MessageSpec)
    return GoldenBoard(plan.spec.network)


def stage(host: Host, network: NetworkShape, entry: int, times: int = 1) -> None:
    """Set an entry of router 1 up with an image of zeros, as often as it says."""
    target = network.target_of(1)
    for k in range(network.router.layout.image_words):
        host.configure(target, EngineWord.IMAGE + k, 0)
    for epoch in range(times):
        for code in (Code.KILL,) * (epoch > 0) + (Code.SETUP,):
            host.configure(target, 0, COMMIT.pack({"code": code, "entry": entry, "epoch": epoch}))


def ask_no_router(host: Host, network: NetworkShape, manager: int) -> None:
    """Have a manager send a request that is dropped: it never ends by itself."""
    lost = network.header_of(network.nodes[0]) | 1 << network.header.offsets["reply"]
    command = COMMAND.pack({"operation": Operation.KILL, "count": 1})
    for word, value in (
        (ManagerWord.POINTER, 0),
        (ManagerWord.DATA, lost),
        (ManagerWord.DATA, 0),
        (ManagerWord.COMMAND, command),
    ):
        host.configure(manager, config_address(word), value)


@pytest.mark.parametrize(
    "name",
    nightly_but(
        ["mesh_routed", "cluster_managed", "mesh_wired"],
        [name for name in NETWORKS if name != "alone"],
    ),
)
def test_all_barriers_are_right_and_within_their_bounds(name: str) -> None:
    plan = plan_of(name)
    host = Host(board_of(plan))
    check_shape(host, plan)
    for seed in (1, 2):  # the second time groups are there already
        result = measure(host, plan, episodes=4, seed=seed)
        assert result.wrong == ()
        for measured, planned in zip(result.groups, plan.groups, strict=True):
            assert measured.bound == planned.bound is not None
            assert (measured.meter.episodes, measured.meter.histogram[0]) == (
                4,
                3 + (measured.members == 1),
            )


@pytest.mark.nightly
def test_sixteen_groups_at_every_node() -> None:
    groups = [{"id": i, "members": _ALL["mesh"], "op": ("or", "xor")[i % 2]} for i in range(16)]
    plan = plan_of("mesh", groups)
    host = Host(board_of(plan))
    assert host.identity.registers == 16
    assert measure(host, plan, episodes=2).wrong == ()


@pytest.mark.parametrize(
    "name", nightly_but(["mesh_routed"], ["mesh_routed", "cluster", "mesh_wired"])
)
def test_what_an_earlier_program_left_is_ended(name: str) -> None:
    """Half a barrier, half a tree, a manager in the middle of a command: nothing of it stays."""
    plan = plan_of(name)
    network = plan.spec.network
    assert isinstance(network, MessageSpec)
    board, shape = board_of(plan), network.shape
    host = Host(board)
    set_up(host, plan)
    for node, register in plan.endpoints(plan.groups[0])[1:]:
        host.arrive(node, register)
    stage(host, shape, shape.router.layout.entries - 1)
    for manager in shape.managers:
        ask_no_router(host, shape, manager)
    epochs = end_groups(host, shape)
    for router in range(shape.routers):
        for entry in range(shape.router.layout.entries + shape.router.wires):
            read = COMMIT.pack({"code": Code.READ, "entry": entry})
            host.configure(shape.target_of(router), 0, read)
            status = shape.router.layout.status.unpack(host.config_answer())
            assert (status["alive"], status["epoch"]) == (0, epochs[router, entry])
    for node, register in plan.endpoints(plan.groups[0]):
        assert not host.ready(node, register)
        assert host.done(node, register)
        with pytest.raises(RefusedError):
            host.arrive(node, register)
    assert measure(host, plan, episodes=2).wrong == ()
    refused = config_address(PortWord.REFUSED_ARRIVE)
    assert not any(host.configured(node, refused) for node in range(len(shape.nodes)))


@pytest.mark.parametrize(
    "name", nightly_but(["mesh_routed"], ["mesh_routed", "cluster", "cluster_managed"])
)
def test_an_entry_is_freed_whatever_has_been_left_there(name: str) -> None:
    """Members wait for one that never comes: after it, none is inside, and the entry is new."""
    plan = plan_of(name)
    network, group = plan.spec.network, plan.groups[0]
    assert isinstance(network, MessageSpec)
    host, shape = Host(board_of(plan)), network.shape
    set_up(host, plan)
    for node, register in plan.endpoints(group)[1:]:
        host.arrive(node, register)
        assert not host.done(node, register)
    for router, entry in group.placement.items():
        free_entry(host, shape, router, entry)
    for router, entry in group.placement.items():
        host.configure(shape.target_of(router), 0, COMMIT.pack({"code": Code.READ, "entry": entry}))
        status = shape.router.layout.status.unpack(host.config_answer())
        assert (status["alive"], status["epoch"]) == (0, 0)
    for node, register in plan.endpoints(group):
        assert not host.ready(node, register)
        assert host.done(node, register)
    assert measure(host, plan, episodes=2).wrong == ()


def test_the_last_barrier_ends_a_group_and_the_meter_ignores_who_comes_too_late() -> None:
    """Arrivals in the very cycle of the last release are the node port's to refuse."""
    plan = plan_of("alone", [{"id": 1, "members": [[0, 0]]}])
    ((node, register),) = plan.endpoints(plan.groups[0])
    late = 0
    for gap in range(12):
        board = board_of(plan)
        host = Host(board)
        set_up(host, plan)
        host.watch(0, [(node, register)])
        board._gap = gap
        host.arrive(node, register, last=True)
        host.arrive_all(0)
        board._gap = 40
        late += host.configured(node, config_address(PortWord.REFUSED_ARRIVE))
        assert host.episodes(0) == 1
        set_up(host, plan)
        host.arrive_all(0)
        host.wait(node, register)
        assert (host.episodes(0), host.meter(0).last) == (2, host.meter(0).least)
    assert late


def test_a_manager_that_is_refused_is_reported() -> None:
    """Somebody else set an entry up meanwhile: the answer's name and its request."""
    plan = plan_of("mesh_routed")
    network = plan.spec.network
    assert isinstance(network, MessageSpec)
    host, shape = Host(board_of(plan)), network.shape

    class Meddling(Host):
        def configure(self, target: int, address: int, value: int) -> None:
            if address == config_address(ManagerWord.COMMAND) and value >> 2:
                stage(Host(self.link), shape, 0, times=2)
                self._target = None
            super().configure(target, address, value)

    with pytest.raises(BoardError, match=r"group 1 up: FAILED, BUSY to request \d; reset"):
        set_up(Meddling(host.link), plan)


def test_another_network_is_refused() -> None:
    plan = plan_of("mesh")
    host = Host(board_of(plan_of("cluster")))
    with pytest.raises(BoardError, match="the board has 5 nodes, and mesh has 6"):
        check_shape(host, plan)


@pytest.mark.parametrize("name", ["mesh", "cluster_managed"])
def test_a_program_in_c_sets_up_and_runs_a_barrier(name: str, tmp_path: Path) -> None:
    """By the headers of ``build`` alone; it reads what COMMIT answers, too."""
    plan = plan_of(name)
    board, files = board_of(plan), register_files(plan.spec, Front("axi"), "net")
    files = {"setup.h": setup_header(plan, "net", axi=True), **files}
    files["registers.h"] = files[f"{name}_registers.h"]
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    program, source = tmp_path / "program", Path(__file__).with_name("engines.c")
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run([*command, "-I", tmp_path, source, "-o", program], check=True)
    said = []
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as c:
        assert c.stdin
        assert c.stdout
        for line in c.stdout:
            kind, *words = line.split()
            numbers = [int(word, 16) for word in words] if kind != "#" else []
            if kind == "#":
                said.append(" ".join(words))
                continue
            answer = 0
            if kind == "r":
                answer = board.read(*numbers)
            else:
                board.write(*numbers)
            c.stdin.write(f"{answer:x}\n")
            c.stdin.flush()
    assert c.returncode == 0
    members = len(plan.groups[0].members)
    result = functools.reduce(operator.xor, range(1, members + 1))
    entry = (entry for group in plan.engine_groups for entry in group.placement.items())
    alive = {router for router, number in entry if number == 0}
    assert said == [
        *["identify 1", "set up 0"],
        *["arrive 0"] * members,
        *[f"wait 0 {result}"] * members,
        *(f"alive {int(router in alive)}" for router in range(board.network.shape.routers)),
    ]
