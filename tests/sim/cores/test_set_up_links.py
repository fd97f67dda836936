"""Trees over links that a manager's core plans in C: of the least radius, their images right."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import REQUEST
from syncfabric.models.messages.registers import Op
from syncfabric.models.networks.reader import load, loads
from syncfabric.models.networks.spec import MessageSpec, NetworkSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.least_radius import centre_of
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.set_up import Epochs, group_images
from syncfabric.sim.cores.compile import library_headers
from tests.nightly import nightly_but
from tests.sim.cores.systems import SOFTWARE

C99 = ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"]
SANE = ["-fsanitize=undefined,address", "-fno-sanitize-recover=all"]
SOURCE = Path(__file__).with_name("link_trees.c")
ENTRIES = 3

MESH = 'kind = "mesh"\ntransport = "{}"\nwidth = {}\nheight = {}\nsetup = "manager"'
DRAWN = (
    'kind = "irregular"\ntransport = "link"\nports = {}\n'
    "random = {{ nodes = {}, switches = {}, connectivity = 0.75, seed = 1 }}"
)
NETWORKS = {
    "mesh": MESH.format("link", 7, 5),
    "routed mesh": MESH.format("routed", 8, 8) + '\ndata_bits = 8\noperations = "all"',
    "row": MESH.format("link", 20, 1) + "\ndata_bits = 0",
    "switches": DRAWN.format(8, 40, 20),
    "large switches": DRAWN.format(16, 64, 30) + "\ngroups = 256\ndata_bits = 32",
}


def network_of(name: str) -> NetworkSpec:
    spec = load(name) if name not in NETWORKS else loads(f'name = "n"\n[network]\n{NETWORKS[name]}')
    assert isinstance(spec.network, MessageSpec)
    return spec


def drawn(nodes: int, count: int) -> Iterator[tuple[list[int], int, int]]:
    """Yield members in any order, entry and operation of groups, the first of all nodes."""
    rng = random.Random(nodes)
    for size in (nodes, 1, *(rng.randint(1, rng.choice((4, nodes))) for _ in range(count))):
        yield rng.sample(range(nodes), size), rng.randrange(ENTRIES), rng.randrange(Op.MAX)


def near(shape: NetworkShape, count: int) -> Iterator[tuple[list[int], int, int]]:
    """Yield groups of members on a router and its neighbours, one of the router's first."""
    nodes = shape.nodes[:64]
    rng = random.Random(count)
    for _ in range(count):
        first = rng.randrange(len(nodes))
        here = nodes[first][0]
        routers = {to for (router, _), (to, _) in shape.ends.items() if router == here} | {here}
        others = [n for n, (router, _) in enumerate(nodes) if router in routers and n != first]
        others = rng.sample(others, rng.randint(min(1, len(others)), len(others)))
        yield [first, *others], rng.randrange(ENTRIES), rng.randrange(Op.MAX)


class Given:
    """Requests as C gives them, word by word."""

    def __init__(self, text: str, shape: NetworkShape) -> None:
        self._words = iter(map(int, text.split()))
        self.stars: list[int] = []
        self._routers = {shape.sink_header(r): r for r in range(shape.routers)}
        self._layout = shape.router.layout

    def request(self) -> tuple[int, int, int, dict[str, int]]:
        """Return router, entry, epoch, and the image's fields."""
        header, asked = next(self._words), REQUEST.unpack(next(self._words))
        words = [next(self._words) for _ in range(self._layout.image_words)]
        assert all(asked[name] == 0 for name in ("operation", "manager", "tag", "sequence"))
        image = sum(word << 32 * k for k, word in enumerate(words))
        fields = self._layout.image.unpack(image)
        return self._routers[header], asked["entry"], asked["epoch"], fields

    def group(self) -> list[tuple[int, int, int, dict[str, int]]]:
        self.stars.append(int(next(self._words)))
        return [self.request() for _ in range(next(self._words))]


def in_use(fields: dict[str, int], layout: EngineLayout) -> dict[str, int]:
    """Return the fields of an image that count: of names, those at ports of the tree."""
    ports = fields["children"] | (0 if layout.routed else fields["parent"])
    named = {name for name in map(str, range(layout.links)) if ports >> int(name) & 1}
    named |= {"u"} if fields["parent"] else set()
    names = tuple(f"{field.name}_" for field in layout.name.fields)
    return {
        name: value
        for name, value in fields.items()
        if not name.startswith(names) or name.rpartition("_")[2] in named
    }


def in_c(spec: NetworkSpec, asked: str, folder: Path, software: str) -> str:
    for name, header in library_headers(spec).items():
        (folder / name).write_text(header)
    (folder / "sf_links.h").write_text(software)
    program = folder / "trees"
    subprocess.run([*C99, *SANE, f"-I{folder}", SOURCE, "-o", program], check=True)
    return subprocess.run([program], input=asked, capture_output=True, text=True, check=True).stdout


def check(name: str, folder: Path, software: str) -> None:
    """Compare the groups that C plans with what the planner's parts say of their trees."""
    spec = network_of(name)
    network = spec.network
    assert isinstance(network, MessageSpec)
    graph, shape, epochs = network.topology.graph, network.shape, Epochs()
    layout = shape.router.layout
    groups = [*near(shape, 20), *drawn(min(64, len(shape.nodes)), 40)]
    lines = (f"{len(m)} {' '.join(map(str, m))} {entry} {op}" for m, entry, op in groups)
    given = Given(in_c(spec, "\n".join(lines), folder, software), shape)
    for members, entry, op in groups:
        requests = given.group()
        ports = {r: fields["parent"].bit_length() - 1 for r, _, _, fields in requests}
        tree = PortTree.of(graph, ports, [graph.node(m) for m in members])
        targets = np.unique([graph.node(m)[0] for m in members])
        assert tree.radius == centre_of(graph, targets).radius
        group = GroupPlan(
            id=0,
            op=Op(op).name.lower(),
            planner="",
            members=tuple(graph.member(m) for m in members),
            shape=tree,
            placement=dict.fromkeys(ports, entry),
            bound=0,
            bound_least=0,
        )
        images = {image.router: image for image in group_images(group, layout, epochs)}
        assert requests[-1][0] == tree.root
        for router, of, epoch, fields in requests:
            image = images[router]
            assert (of, epoch) == (image.entry, image.epoch)
            assert in_use(fields, layout) == in_use(layout.image.unpack(image.word), layout)
        epochs.set_up(group)
    assert layout.routed or 3 <= sum(given.stars[:20]) < 20


@pytest.mark.parametrize("name", [*NETWORKS, pytest.param("cluster-19", marks=pytest.mark.nightly)])
def test_a_managers_core_plans_trees_of_the_least_radius(name: str, tmp_path: Path) -> None:
    check(name, tmp_path, (SOFTWARE / "sf_links.h").read_text())


BREAKS = {
    "the root is any": ("[count - 1]] <= 1)", "[count - 1]] <= 99)"),
    "a parallel port": ("1u << sf_via[here]->far_port", "1u << sf_via[here]->port"),
    "a parallel port of a star": ("children, 1u << link->far_port", "children, 1u << link->port"),
    "what is no star is one": ("for (left -= ports;", "for (left = 0;"),
    "epochs are all the root's": ("(root ^ (sf_epoch(here, entry) + 1)) & 3", "0"),
    "epochs of a star are not compared": (
        "epochs ^ tree->epochs",
        "epochs ^ sf_entries[router].epochs",
    ),
    "names have the epoch before": ("((epoch + 1) & 3)", "(epoch & 3)"),
    "words do not carry": ("over = (uint32_t)(product >> 32);", "over = 0;"),
    "the class of messages up": ("== (unsigned)down)", "!= (unsigned)down)"),
}


@pytest.mark.parametrize(
    "name",
    nightly_but(["a parallel port", "epochs are all the root's", "words do not carry"], BREAKS),
)
def test_what_is_wrong_is_seen(name: str, tmp_path: Path) -> None:
    text, (right, wrong) = (SOFTWARE / "sf_links.h").read_text(), BREAKS[name]
    assert text.count(right) == 1
    network = "routed mesh" if "class" in name else "switches"
    with pytest.raises((AssertionError, PlanError)):
        check(network, tmp_path, text.replace(right, wrong))
