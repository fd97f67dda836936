"""Who is above whom, against walking up the tree."""

import numpy as np
from hypothesis import given

from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.meeting import Ancestry
from tests.models.planning.laws import groups


@given(groups(side=6))
def test_above(members: list[Node]) -> None:
    tree = build_tree(members)
    ancestry = Ancestry.of(tree)
    assert sorted(ancestry.number.tolist()) == list(range(len(tree)))
    everyone = np.arange(len(tree))
    for member in range(len(tree)):
        walked, here = set(), member
        while here >= 0:
            walked.add(here)
            here = int(tree.parent[here])
        above = ancestry.above(everyone, np.full(len(tree), member))
        assert set(np.flatnonzero(above).tolist()) == walked
