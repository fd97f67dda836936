"""The dissemination barrier, by messages of members' software.

Source: paper Reflex, section II.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.schemes.anywhere.distances import Node, hops_between
from syncfabric.models.schemes.scheme import ALONE, Cost
from syncfabric.models.timing.barriers import rounds_ns
from syncfabric.models.timing.loggp import LogGP

__all__ = ["dissemination_cost"]


def dissemination_cost(network: AnySpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what dissemination barriers cost.

    In round k, from 0 to ceil(log2 P) - 1, the i-th of the P members signals the
    ((i + 2^k) mod P)-th, in the order in which they are given.

    Parameters
    ----------
    network : MeshSpec, IrregularSpec or StaticSpec
    members : sequence of Node
    times : LogGP

    Returns
    -------
    Cost
        Nothing is set up, for members know the group. There is no tree: the height is the rounds.
        The latency is ``rounds_ns``, of the members' own ways. In a barrier all P signals of each
        round pass their hops.
    """
    if len(members) == 1:
        return ALONE
    between, nodes = hops_between(network), np.array(members)
    rounds = range((len(nodes) - 1).bit_length())
    ways = np.stack([between(nodes, np.roll(nodes, -(1 << k), axis=0)) for k in rounds])
    return Cost(
        setup_messages=0,
        setup_nodes=0,
        height=len(ways),
        latency_ns=rounds_ns(ways, times),
        traversals=int(ways.sum()),
    )
