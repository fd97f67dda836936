"""Messages on a mesh, link by link."""

from syncfabric.models.networks.mesh import Node

Link = tuple[Node, Node]


def step(here: Node, to: Node, *, x_first: bool = True) -> Node:
    """Return the next node."""
    (x, y), (to_x, to_y) = here, to
    if x != to_x and (x_first or y == to_y):
        return x + (1 if x < to_x else -1), y
    return x, y + (1 if y < to_y else -1)


def path(here: Node, to: Node, *, x_first: bool = True) -> list[Link]:
    """Return the links of a message."""
    links = []
    while here != to:
        links.append((here, step(here, to, x_first=x_first)))
        here = links[-1][1]
    return links
