"""Links between switches on the ways of messages, by a network's own routes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from syncfabric.models.networks.spec import AnySpec, IrregularSpec
from syncfabric.models.planning.tree import Ints
from syncfabric.models.schemes.irregular.group import Ways

__all__ = ["Node", "hops_between"]

Node = tuple[int, int]
"""A node of a mesh or static network as (x, y), else as (switch, port)."""


def hops_between(network: AnySpec) -> Callable[[Ints, Ints], Ints]:
    """Return what counts the links from nodes to others, pair by pair; nodes' own are left out.

    Shortest ways on a mesh, which X-Y routes are, and on a static network, whose paper has a
    dynamic one beside it; on an irregular network by its routing tables, or up/down ones.

    Parameters
    ----------
    network : MeshSpec, IrregularSpec or StaticSpec

    Returns
    -------
    callable
        Takes two arrays of nodes, of shape (n, 2), or (2,) for one node; returns an array of
        int64, shape (n,).
    """
    if isinstance(network, IrregularSpec):
        ways = Ways.of(network)
        return lambda sources, targets: ways.hops(
            *np.broadcast_arrays(sources[..., 0], targets[..., 0])
        )
    return lambda sources, targets: np.abs(sources - targets).sum(axis=-1)
