"""What streams have on links, in results, pictures and animations."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from syncfabric import Network
from syncfabric.models.errors import OutputError, SpecError
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.draw.figures import DOWN, UP, stream_figure
from syncfabric.sim.draw.page import to_svg
from syncfabric.sim.report.blocks import Drawing, Play, Section
from syncfabric.sim.report.sections import network_section, result_section
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import RunResult, results_schema
from syncfabric.sim.stream_result import StreamResult
from syncfabric.sim.vectors import StreamRequest

WORDS = 20
MESH = """
name = "mesh"
[network]
kind = "mesh"
width = 4
height = 3
wires = 2
streams = 2
[[group]]
id = 3
members = [[0, 0], [3, 0], [3, 2], [1, 1]]
[[group]]
id = 7
members = "all"
stream = true
[[group]]
id = 9
members = [[3, 1], [1, 0], [0, 2]]
stream = true
"""
CLUSTER = """
name = "cluster"
[network]
kind = "irregular"
ports = 6
random = { switches = 7, nodes = 16, connectivity = 0.75, seed = 1 }
wires = 1
streams = 1
link_registers = 1
[[group]]
id = 2
members = { random = 5, seed = 3 }
stream = true
"""


def runs(text: str, kind: str) -> tuple[Network, RunResult, tuple[StreamResult, ...]]:
    network = Network.loads(text)
    result = network.run("model", 2, stream=StreamRequest(kind, WORDS))
    assert result.ok
    assert result.streams
    return network, result, result.streams


def path(group: GroupPlan, member: int) -> list[int]:
    """Return the places of the routers from a member's up to the root, without it."""
    tree, path = group.tree, list[int]()
    at = tree.position[int(tree.nodes[member, 0])]
    while int(tree.parent[at]) >= 0:
        path.append(at)
        at = int(tree.parent[at])
    return path


def links(network: Network, group: GroupPlan, places: list[int], up: bool) -> Counter[Any]:
    """Return the links between some routers and their parents."""
    tree, found = group.tree, Counter[Any]()
    mesh: Any = isinstance(network.spec.network, MeshSpec) and network.spec.network.topology
    for at in places:
        router = int(tree.routers[at if up else int(tree.parent[at])])
        port = int(tree.parent_port[at] if up else tree.far_port[at])
        name = Port(port).name.lower() if mesh else str(port)
        found[mesh.node(router) if mesh else router, name, up] += WORDS
    return found


@pytest.mark.parametrize("kind", ["allreduce", "reduce", "broadcast"])
@pytest.mark.parametrize("text", [MESH, CLUSTER])
def test_words_are_counted_on_the_links_of_their_tree(text: str, kind: str) -> None:
    network, _, streams = runs(text, kind)
    groups = {group.id: group for group in network.plan().groups}
    assert [stream.id for stream in streams] == [gid for gid in groups if gid != 3]
    for stream in streams:
        group, flow = groups[stream.id], stream.flow
        whole = [at for at, up in enumerate(group.tree.parent.tolist()) if up >= 0]
        one = path(group, 0)
        wanted = links(network, group, one if kind == "broadcast" else whole, up=True)
        wanted += links(network, group, one if kind == "reduce" else whole, up=False)
        if text == CLUSTER:
            for member, (switch, port) in enumerate(group.members):
                if member == 0 or kind != "broadcast":
                    wanted[(switch, port), "inject", True] = WORDS
                if member == 0 or kind != "reduce":
                    wanted[switch, str(port), False] = WORDS
        seen = {(link.node, link.port, link.up): link.words for link in flow.links}
        assert Counter(seen) == wanted
        assert sum(flow.up) == sum(words for (*_, up), words in wanted.items() if up)
        assert sum(flow.down) == sum(words for (*_, up), words in wanted.items() if not up)


def test_members_have_their_words_when_the_stream_says() -> None:
    network, _, streams = runs(MESH, "allreduce")
    for stream in streams:
        members = stream.flow.members
        begins = {member.begun for member in members if member.begun is not None}
        assert len(begins) > 1
        assert max(begins) == 0
        assert max(member.first for member in members if member.first) == stream.first
        assert max(member.last for member in members if member.last) == stream.last
        assert [member.node for member in members] == list(
            next(group for group in network.plan().groups if group.id == stream.id).members
        )
    _, _, (stream, _) = runs(MESH, "reduce")
    assert [member.first is None for member in stream.flow.members] == [False, *11 * [True]]


def test_a_long_stream_has_few_windows() -> None:
    network = Network.loads(CLUSTER)
    (stream,) = network.run("model", 1, stream=StreamRequest("allreduce", 1000)).streams or ()
    flow = stream.flow
    assert flow.window > 1
    assert 100 < len(flow.up) == len(flow.down) <= 150
    assert stream.last
    assert flow.begin + flow.window * len(flow.down) >= stream.last
    assert max(flow.down) == flow.window * sum(not link.up for link in flow.links)


def test_results_with_streams_go_to_json_and_back() -> None:
    _, result, _ = runs(CLUSTER, "allreduce")
    shown = json.loads(json.dumps(result.to_json()))
    assert RunResult.from_json(shown) == result
    Draft202012Validator(results_schema()).validate(shown)


@pytest.mark.parametrize("text", [MESH, CLUSTER])
def test_pictures_have_the_words_of_each_link_in_their_colours(text: str) -> None:
    network, _, streams = runs(text, "broadcast")
    figure = stream_figure(network.plan(), streams)
    assert to_svg(figure) == to_svg(stream_figure(network.plan(), streams))
    panels = figure.axes[: 3 * len(streams) : 3]
    for axes, stream in zip(panels, streams, strict=True):
        bands = [part for part in axes.collections if part.get_zorder() == 3]
        inks = Counter(tuple(ink) for part in bands for ink in np.asarray(part.get_facecolor()))
        between = [link for link in stream.flow.links if link.port != "inject"]
        between = [link for link in between if text == MESH or not is_node(network, link)]
        up = sum(link.up for link in between)
        assert [round(255 * x) for x in max(inks)[:3]] == list(bytes.fromhex(DOWN[2][1:]))
        assert [round(255 * x) for x in min(inks)[:3]] == list(bytes.fromhex(UP[2][1:]))
        assert (min(inks), inks[min(inks)], inks.total()) == (min(inks), up, len(between))
    words = [text.get_text() for text in figure.texts]
    assert words[0] == f"{network.name} · broadcast of {WORDS} words, add.i32"
    assert f"last after {streams[0].last}" in words[3]


def is_node(network: Network, link: Any) -> bool:
    return (link.node, int(link.port)) in network.spec.network.topology.nodes


def test_one_picture_shows_some_groups() -> None:
    group = "[[group]]\nid = {}\nmembers = [[{}, 0], [{}, 1]]\nstream = true\n"
    text = MESH.partition("[[group]]")[0].replace("width = 4", "width = 13")
    network = Network.loads(text + "".join(group.format(i, i, i) for i in range(13)))
    streams = network.run("model", 1, stream=StreamRequest("reduce", 3)).streams
    figure = stream_figure(network.plan(), streams or ())
    assert len(figure.axes) == 3 * 12 + 2
    assert figure.texts[1].get_text() == "13x3 mesh · 1 group not shown"


@pytest.mark.nightly
def test_one_picture_shows_a_large_group() -> None:
    text = MESH.partition("[[group]]")[0].replace("width = 4", "width = 40")
    text = text.replace("height = 3", "height = 30")
    network = Network.loads(text + '[[group]]\nid = 1\nmembers = "all"\nstream = true\n')
    streams = network.run("model", 1, stream=StreamRequest("broadcast", 2)).streams
    assert stream_figure(network.plan(), streams or ()).get_figheight() < 15


def test_a_run_draws_its_streams(tmp_path: Path) -> None:
    network, file = Network.loads(CLUSTER), tmp_path / "new" / "stream.svg"
    result = network.run("model", 1, stream=StreamRequest("allreduce", 4), draw=file)
    assert result.files == (str(file),)
    assert file.read_text().startswith("<?xml")
    with pytest.raises(SpecError, match=r"^draw = .*x.svg draws streams, and there is none; name"):
        network.run("model", draw=tmp_path / "x.svg")
    with pytest.raises(OutputError, match=r"must end in \.svg or \.png"):
        network.run("model", stream=StreamRequest("allreduce"), draw=tmp_path / "x.pdf")
    assert [each.name for each in tmp_path.iterdir()] == ["new"]


def plays(section: Section) -> list[Play]:
    return [block for block in section.blocks if isinstance(block, Play)]


def test_words_move_up_and_down_in_a_report() -> None:
    network = Network.loads(MESH)
    asked = RunRequest("model", episodes=2, stream=StreamRequest("allreduce", WORDS))
    section, result = network_section(network, asked, "s0")
    _, play = plays(section)
    animation, plan = play.animation, network.plan()
    assert [cast.name for cast in animation.casts] == ["group 7", "group 9"]
    names: dict[int, Any] = {number: link for link, number in animation.scene.link_numbers.items()}
    assert result.streams
    for number, stream in enumerate(result.streams):
        for up, word in ((True, "operands"), (False, "result")):
            (kind,) = (i for i, kind in enumerate(animation.kinds) if word in kind.words)
            moved = Counter[Any]()
            for move in animation.moves:
                if (move.kind, move.cast) == (kind, number):
                    place, port = names[move.links[0]]
                    moved[place, port, up] += 1
            group = next(group for group in plan.groups if group.id == stream.id)
            whole = [at for at, parent in enumerate(group.tree.parent.tolist()) if parent >= 0]
            assert moved == links(network, group, whole, up)
        cast, members = animation.casts[number], stream.flow.members
        begun = [member.begun for member in members]
        last = [member.last for member in members]
        zero = max(at for at in cast.arrivals if at is not None)
        assert [at and at - zero for at in cast.arrivals] == begun
        assert [at and at - zero for at in cast.releases] == last
    drawn = [block for block in section.blocks if isinstance(block, Drawing) and block.light]
    assert len(drawn) == 1
    saved = result_section("x.json", result, "s1", [network])
    assert [block for block in saved.blocks if isinstance(block, Drawing) and block.light]
    assert len(plays(network_section(network, RunRequest("model", episodes=1), "s2")[0])) == 1
