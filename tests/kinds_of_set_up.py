"""Small networks, one of each kind of set-up."""

from syncfabric import Network

_MESH = 'kind = "mesh"\nwidth = 2\nheight = 2\n'
_SWITCHES = """
kind = "irregular"
ports = 4
switches = 3
links = [[[0, 0], [1, 0]], [[1, 1], [2, 0]]]
nodes = [[0, 2], [1, 2], [2, 2], [2, 3]]
"""
KINDS = {
    "mesh": (_MESH, 'op = "and"'),
    "mesh_managed": (_MESH + 'setup = "manager"\ndata_bits = 0\n', ""),
    "mesh_routed": (_MESH + 'transport = "routed"\n', 'planner = "cs"'),
    "mesh_wires": (_MESH + "wires = 1\n", 'op = "xor"'),
    "switches": (_SWITCHES + 'setup = "local"\n', ""),
    "switches_paper": (_SWITCHES + 'setup = "paper"\n', ""),
    "switches_managed": (_SWITCHES + "managers = [[2, 3]]\n", ""),
    "switches_managed_wires": (_SWITCHES + "wires = 2\ndata_bits = 1\n", ""),
    "ring": ('kind = "static"\nwidth = 2\nheight = 2\n', ""),
    "tree": ('kind = "static"\nwidth = 3\nheight = 1\n', 'planner = "tree"'),
}
"""``[network]``, and a key of group 1."""


def small(kind: str) -> Network:
    """Return a network of the kind's name: all nodes in a group, and two in others where it can."""
    network, key = KINDS[kind]
    nodes = "[[0, 2], [1, 2]]" if "switches" in kind else "[[0, 0], [1, 1]]"
    others = "" if "static" in network else f"[[group]]\nid = 7\nmembers = {nodes}\n"
    groups = f'[[group]]\nid = 1\nmembers = "all"\n{key}\n{others}'
    return Network.loads(f'name = "{kind}"\n[network]\n{network}\n{groups}')
