"""Parameters of nodes, drawn from the whole ranges of their keys."""

import random
from collections.abc import Iterator
from typing import Any, get_args

from annotated_types import Ge, Le

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.shape import BY_GRID, NodeShape
from syncfabric.models.layout.streams import Operations
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.kinds import MeshNodeShape

MOST_ROUTERS = 1024
SIDES: list[tuple[int, ...]] = [(), (2, 2, 2, 2), (3, 5), (4, 4, 8), (64,)]


def key_range(kind: type[NodeShape], key: str) -> list[Any] | range:
    """Return all values of a key, by rising order."""
    field = kind.model_fields[key]
    if field.annotation is bool:
        return [False, True]
    if key == "sides":
        return SIDES
    if key == "stream_operations":
        every = get_args(Operations)
        return [("add",), ("integer",), tuple(name for name in every if name != "offload")]
    if key == "offload":  # is Verilog, which Amaranth does not simulate
        return [None]
    if choices := get_args(field.annotation):
        return list(choices)
    bounds = {type(bound): bound for bound in field.metadata}
    most = MOST_ROUTERS if key == "routers" else bounds[Le].le
    return range(bounds[Ge].ge, most + 1)


def draw(rng: random.Random) -> tuple[type[NodeShape], dict[str, Any]]:
    """Draw a kind of node, and each key by itself: the ends of its range, its default, or any."""
    kind = rng.choice((NodeShape, MeshNodeShape))
    options = {}
    for key, field in kind.model_fields.items():
        values = key_range(kind, key)
        usual = rng.choice(values) if field.is_required() else field.default
        ends = rng.choice((values[0], values[-1]))
        options[key] = rng.choice((usual, usual, ends, ends, rng.choice(values)))
    if options["wires"] and options.get("own", True):
        options["registers"] = max(1, options["registers"])
    if rng.random() < 0.9:
        most = options["wires"]
        options["streams"] = rng.choice([k for k in key_range(kind, "streams") if k <= most])
    if options["streams"] and options["stream_links"] == "shared" and rng.random() < 0.9:
        options |= {"message_links": "own", "transport": "link"}
        options["stream_bits"] = rng.choice((32, 64) if options["check_bits"] else (32, 64, 128))
    if kind is NodeShape and options["routing"] in BY_GRID and rng.random() < 0.9:
        options["sides"] = sides = rng.choice(SIDES[1:])
        options["links"] = max(Grid(sides).ports, rng.choice((1, options["links"])))
    # By themselves these two would hardly ever fit; and a table of all is too long to build.
    if options["routing"] == "table":
        options["routers"] = rng.choice((1, rng.randint(1, MOST_ROUTERS), MOST_ROUTERS))
    elif rng.random() < 0.9:
        options["routers"] = 0
    return kind, options


def headers(shape: NodeShape) -> tuple[int, ...]:
    """Return a header for each manager."""
    return tuple(range(1, shape.managers + 1))


def drawn(seed: int, count: int) -> Iterator[tuple[NodeShape | None, dict[str, Any]]]:
    """Draw until so many nodes are not refused; yield each with its options, or None for it."""
    rng = random.Random(seed)
    while count:
        kind, options = draw(rng)
        try:
            shape = kind(**options)
        except SpecError:
            yield None, options
        else:
            count -= 1
            yield shape, options
