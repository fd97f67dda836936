"""A family of topologies: one of another package."""

import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from syncfabric.models.collectives.library import named as to_schedule
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.families import FAMILIES, families, named
from syncfabric.models.networks.irregular import Irregular
from tests.models.networks.test_families import network

PAGE = Path(__file__).parents[3] / "docs" / "extending.md"


def test_a_family_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of docs/extending.md."""
    text = PAGE.read_text(encoding="utf-8")
    (module,) = re.findall(r"^`more_topology.py`:\n\n```python\n(.*?)^```$", text, re.M | re.S)
    names: dict[str, Any] = {}
    exec(module, names)
    with pytest.raises(SpecError, match="unknown"):
        named("cube-connected-cycles-3")
    added = {"syncfabric.topologies": {"cube-connected-cycles": names["FAMILY"]}}
    monkeypatch.setattr(
        "syncfabric.models.networks.families.plugins", lambda group, *_: added[group]
    )
    assert {*families()} - {*FAMILIES} == {"cube-connected-cycles"}
    spec = network('topology = "cube-connected-cycles-3"')
    assert isinstance(spec.topology, Irregular)
    assert (spec.switches, spec.ports, spec.topology.own) == (24, 4, True)
    graph = nx.Graph(list(to_schedule("cube-connected-cycles-3").channels))
    assert nx.diameter(graph) == 6
    with pytest.raises(SpecError, match=r"size of .* must be a dimension, 3"):
        named("cube-connected-cycles-2")
