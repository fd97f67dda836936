"""Members that set up their own register in C: word by word what the planner plans."""

import random
import subprocess
from pathlib import Path

import pytest

from syncfabric.models.messages import Op, RegisterWord
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.images import register_words
from syncfabric.sim.cores.compile import library_headers

SOFTWARE = Path(__file__).parents[3] / "sim" / "cores" / "software"
C99 = ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined"]
IMAGE = [word for word in RegisterWord if word <= RegisterWord.SOUTH]


def mesh(width: int, height: int) -> NetworkSpec:
    network = {"kind": "mesh", "width": width, "height": height}
    return NetworkSpec.model_validate({"name": "net", "network": network})


def groups(nodes: int, count: int, seed: int) -> list[list[int]]:
    """Return member sets of all sizes, in any order; the whole network is the first."""
    rng = random.Random(seed)
    sizes = [nodes, 1, *(rng.randint(1, nodes) for _ in range(count))]
    return [rng.sample(range(nodes), size) for size in sizes]


@pytest.mark.parametrize(
    ("width", "height"),
    [
        *((8, 8), (64, 1)),
        pytest.param(4, 4, marks=pytest.mark.long),
        pytest.param(7, 9, marks=pytest.mark.long),
        pytest.param(1, 13, marks=pytest.mark.long),
        pytest.param(3, 5, marks=pytest.mark.long),
    ],
)
def test_a_mesh_members_own_image_is_the_planners(width: int, height: int, tmp_path: Path) -> None:
    spec = mesh(width, height)
    for name, text in library_headers(spec).items():
        (tmp_path / name).write_text(text)
    program = tmp_path / "images"
    source = Path(__file__).with_name("mesh_images.c")
    subprocess.run([*C99, "-I", tmp_path, "-I", SOFTWARE, source, "-o", program], check=True)
    sets = groups(width * height, 30, width)
    asked = [(members, i % 256, i % len(Op)) for i, members in enumerate(sets)]
    lines = (f"{len(m)} {' '.join(map(str, m))} {gid} {op}" for m, gid, op in asked)
    given = "\n".join(lines)
    done = subprocess.run([program], input=given, capture_output=True, text=True, check=True)
    said = iter(done.stdout.splitlines())
    for members, gid, op in asked:
        places = [(node % width, node // width) for node in members]
        tree = build_tree(places)
        for place in places:
            words = register_words(tree.register(place, gid, Op(op).name.lower()))
            assert next(said).split() == [str(words[word]) for word in IMAGE], (places, place)
