"""The centralized barrier: a counter in memory, and a flag on which all spin.

Source: paper Reflex, section II.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.schemes.anywhere.distances import Node, hops_between
from syncfabric.models.schemes.scheme import ALONE, Cost
from syncfabric.models.timing.loggp import MemoryLogGP
from syncfabric.models.timing.memory_barriers import counter_ns

__all__ = ["centralized_cost"]


def centralized_cost(network: AnySpec, members: Sequence[Node], times: MemoryLogGP) -> Cost:
    """Return what centralized barriers cost.

    Counter and flag lie with one member, their home: that with the fewest links to all others and
    back; of several, the first. A member counts by one access there and back, the nearest first;
    the last one stores the flag, and each of the others reads it once anew. What spinning and the
    coherence of caches send is left out: it depends on both.

    Parameters
    ----------
    network : MeshSpec, IrregularSpec or StaticSpec
    members : sequence of Node
    times : MemoryLogGP

    Returns
    -------
    Cost
        The home alone is set up, by its own member. There is no tree: the height is the P accesses
        in turn. The latency is ``counter_ns``.
    """
    if len(members) == 1:
        return ALONE
    between, nodes = hops_between(network), np.array(members)
    there, back = min(
        ((between(nodes, home), between(home, nodes)) for home in nodes),
        key=lambda ways: int((ways[0] + ways[1]).sum()),
    )
    nearest = np.argsort(there + back, kind="stable")
    there, back = there[nearest], back[nearest]
    return Cost(
        setup_messages=0,
        setup_nodes=1,
        height=len(members),
        latency_ns=counter_ns(list(zip(there.tolist(), back.tolist(), strict=True)), times),
        traversals=int(2 * (there + back)[:-1].sum() + 2 * there[-1] + back[-1]),
    )
