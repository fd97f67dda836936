"""How a network file says which switches are linked: one form at a time, and a network by each."""

from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import IrregularSpec

FORMS = {
    "links": "switches = 3\nlinks = [[[0, 0], [1, 0]], [[1, 1], [2, 0]]]\n"
    "nodes = [[0, 1], [1, 2], [2, 1]]\n",
    "topology": 'topology = "mesh-3"\n',
    "graph": 'graph = "row.txt"\n',
}


def network(folder: Path, *forms: str) -> IrregularSpec:
    (folder / "row.txt").write_text("0 1\n1 2\n")
    text = "".join(FORMS[form] for form in forms)
    found = loads(f'name = "n"\n[network]\nkind = "irregular"\nsetup = "local"\n{text}', folder)
    assert isinstance(found.network, IrregularSpec)
    return found.network


@pytest.mark.parametrize("form", FORMS)
def test_each_form_alone_is_enough(tmp_path: Path, form: str) -> None:
    found = network(tmp_path, form)
    assert found.switches == 3
    assert {(a, b) for (a, _), (b, _) in found.links} == {(0, 1), (1, 2)}
    assert sorted(switch for switch, _ in found.nodes) == [0, 1, 2]


@pytest.mark.parametrize("second", ["topology", "graph"])
def test_two_forms_are_refused(tmp_path: Path, second: str) -> None:
    with pytest.raises(SpecError, match="both say how the switches are linked"):
        network(tmp_path, "links", second)


def test_no_form_is_refused_with_all_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"links.*topology.*graph.*random"):
        network(tmp_path)
