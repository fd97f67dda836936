"""Graph files and routing tables beside a network file: what is read, and what is refused."""

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_beside, text_beside
from syncfabric.models.networks.graph import read_graph
from syncfabric.models.networks.irregular import Irregular

SCHEMA = "http://graphml.graphdrawing.org/xmlns"


def graphml(body: str, keys: str = "") -> str:
    return (
        f'<graphml xmlns="{SCHEMA}"><key id="n" for="node" attr.name="nodes" attr.type="int">{keys}'
        '</key><key id="k" for="node" attr.name="kind" attr.type="string"/>'
        f'<graph edgedefault="undirected">{body}</graph></graphml>'
    )


def vertices(**kinds: str) -> str:
    return "".join(
        f'<node id="{label}">{f"<data key={key!r}>{value}</data>" if value else ""}</node>'
        for label, (key, _, value) in ((k, v.partition("=")) for k, v in kinds.items())
    )


def edges(*pairs: str) -> str:
    return "".join(f'<edge source="{a}" target="{b}"/>' for a, b in map(tuple, pairs))


def read(folder: Path, name: str, text: str, ports: int = 8) -> Irregular:
    (folder / name).write_text(text)
    return read_graph(folder, name, ports)


def test_an_edge_list_has_a_node_a_switch_and_ports_in_the_order_of_the_file(
    tmp_path: Path,
) -> None:
    text = "# a cluster\nleft right\nleft hub  # twice\n\nright left {'weight': 3}\n"
    network = read(tmp_path, "net.txt", text, ports=4)
    left, right, hub = 0, 1, 2
    assert network == Irregular(
        ports=4,
        switches=3,
        links=(
            ((left, 0), (right, 0)),
            ((left, 1), (hub, 0)),
            ((right, 1), (left, 2)),
        ),
        nodes=((left, 3), (right, 2), (hub, 1)),
    )


def test_whole_numbers_as_labels_give_the_order(tmp_path: Path) -> None:
    network = read(tmp_path, "net.edges", "10 3\n7 10\n")
    assert [(a[0], b[0]) for a, b in network.links] == [(2, 0), (1, 2)]
    network = read(tmp_path, "net.edges", "10 3\nx 10\n")
    assert [(a[0], b[0]) for a, b in network.links] == [(0, 1), (2, 0)]


def test_what_networkx_writes_can_be_read(tmp_path: Path) -> None:
    drawn = nx.petersen_graph()
    nx.write_edgelist(drawn, tmp_path / "petersen.txt")
    nx.set_node_attributes(drawn, {0: 3, 9: 0}, "nodes")
    nx.write_graphml(drawn, tmp_path / "petersen.graphml")
    plain = read_graph(tmp_path, "petersen.txt", 8)
    counted = read_graph(tmp_path, "petersen.graphml", 8)
    assert [(a[0], b[0]) for a, b in plain.links] == list(drawn.edges)
    assert plain.links == counted.links
    assert plain.nodes == tuple((s, 3) for s in range(10))
    assert counted.nodes == ((0, 3), (0, 4), (0, 5), *((s, 3) for s in range(1, 9)))


def test_parallel_links_keep_their_place_in_the_file(tmp_path: Path) -> None:
    body = vertices(a="", b="", c="") + edges("ab", "ac", "ba")
    network = read(tmp_path, "net.graphml", graphml(body))
    assert network.links == (((0, 0), (1, 0)), ((0, 1), (2, 0)), ((1, 1), (0, 2)))


def test_nodes_are_counted_or_drawn(tmp_path: Path) -> None:
    counted = vertices(a="n=2", b="", c="n=0") + edges("ab", "bc")
    assert read(tmp_path, "n.xml", graphml(counted)).nodes == ((0, 1), (0, 2), (1, 2))
    default = graphml(counted, keys="<default>3</default>")
    assert read(tmp_path, "n.xml", default).nodes == ((0, 1), (0, 2), (1, 2), (1, 3), (1, 4))
    drawn = vertices(p="k=node", a="", q="k=node", b="n=1", r="k=node") + edges(
        "rb", "ab", "aq", "pb"
    )
    network = read(tmp_path, "d.xml", graphml(drawn))
    assert network.switches == 2
    assert network.links == (((0, 0), (1, 0)),)
    # Counted ones first, then p on b, q on a, r on b.
    assert network.nodes == ((1, 1), (1, 2), (0, 1), (1, 3))


def test_graphml_is_known_by_its_name_or_its_beginning(tmp_path: Path) -> None:
    text = graphml(vertices(a=""))
    assert read(tmp_path, "net", "\n" + text).nodes == ((0, 0),)
    bare = text.replace(f' xmlns="{SCHEMA}"', "")
    assert read(tmp_path, "net.graphml", bare).nodes == ((0, 0),)


TWO = vertices(a="", b="")
WRONG: dict[str, tuple[Any, str]] = {
    "no file": (None, r"does not exist; give its path from the network file's folder"),
    "three labels": ("a b\nb c d\n", r', line 2: "b c d" is not an edge; write two labels'),
    "no edge": ("# none\n", r": there is no edge in it; write two labels a line"),
    "a loop": ("a b\nb b\n", r': an edge leads from "b" to itself; remove it'),
    "not text": (b"\xff\xfe", r": not a text file in UTF-8"),
    "few ports": (
        "h a\nh b\nh c\nh d\n",
        r': "h" \(switch 0\) needs 5 ports for its links and nodes, but ports = 4; set ports = 5',
    ),
    "far too few ports": (
        "".join(f"x{i} h\n" for i in range(20)),
        r': "h" \(switch 1\) needs 21 ports .* ports = 4; at most 16 can be built',
    ),
    "not XML": ("<graphml>", r": not XML: no element found: line 1, column 55"),
    "no graph": ("<svg/>", r": not GraphML: there is no graph in it"),
    "directed": (
        graphml(TWO + edges("ab")).replace("undirected", "directed"),
        r': it is directed, but links lead both ways; set edgedefault="undirected"',
    ),
    "a directed edge": (
        graphml(TWO + '<edge source="a" target="b" directed="true"/>'),
        r": not GraphML: directed=true edge found in undirected graph\.",
    ),
    "a hyperedge": (graphml("<hyperedge/>"), r": not GraphML: .*hyperedges"),
    "an unknown key": (graphml(vertices(a="q=1")), r": not GraphML: Bad GraphML data: no key q"),
    "an edge to nowhere": (
        graphml(vertices(a="") + edges("ab")),
        r': an edge leads to "b", which is no vertex of it',
    ),
    "nodes no number": (graphml(vertices(a="n=x")), r": not GraphML: invalid literal for int.*'x'"),
    "negative nodes": (
        graphml(vertices(a="n=-1")),
        r': nodes of "a" must be a whole number, 0 or more, not -1',
    ),
    "unknown kind": (
        graphml(vertices(a="k=host")),
        r': kind of "a" must be "switch" or "node", not "host"',
    ),
    "no switch": (graphml(""), r": there is no switch in it"),
    "a node alone": (
        graphml(vertices(a="", b="k=node")),
        r': node "b" must have one edge, to a switch; it has 0 to none',
    ),
    "a node on two switches": (
        graphml(vertices(a="", b="k=node", c="") + edges("ab", "bc")),
        r': node "b" must have one edge, to a switch; it has 2 to "a", "c"',
    ),
    "a node on a node": (
        graphml(vertices(a="", b="k=node", c="k=node") + edges("bc")),
        r': node "b" must have one edge, to a switch; it has 1 to "c"',
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_graph_is_refused(tmp_path: Path, what: str) -> None:
    text, message = WRONG[what]
    if text is not None:
        (tmp_path / "g").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SpecError, match=rf"^network: graph g ?{message}$"):
        read_graph(tmp_path, "g", 4)


def test_a_path_starts_at_the_folder_or_the_root(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "net.txt").write_bytes(b"a b\r\n")
    assert read_beside(tmp_path, "inner/net.txt", "graph") == b"a b\r\n"
    absolute = str(tmp_path / "inner" / "net.txt")
    assert read_beside(tmp_path / "elsewhere", absolute, "graph") == b"a b\r\n"


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "net.txt").write_text("é b\n", encoding="utf-8-sig")
    assert text_beside(tmp_path, "net.txt", "graph") == "é b\n"
    assert read_beside(tmp_path, "net.txt", "graph").startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "none.txt",
            r"^network: tables none.txt does not exist; "
            r"give its path from the network file's folder$",
        ),
        ("folder", r"^network: tables folder cannot be read: Is a directory$"),
        ("nu\0l", r"^network: tables nu\0l cannot be read: embedded null byte$"),
        ("latin.txt", r"^network: tables latin.txt: not a text file in UTF-8$"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_key(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.txt").write_text("é b\n", encoding="latin-1")
    with pytest.raises(SpecError, match=message):
        text_beside(tmp_path, name, "tables")
