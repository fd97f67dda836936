"""Which of many switches are nearest to the farthest of a group: the least eccentric ones."""

from __future__ import annotations

import numpy as np

from syncfabric.models.planning.switch_graph import BATCH, SwitchGraph
from syncfabric.models.planning.tree import Ints

__all__ = ["least_eccentric"]


def least_eccentric(graph: SwitchGraph, candidates: Ints, targets: Ints) -> tuple[Ints, int]:
    """Return all candidates whose greatest distance to a target is least, and that distance.

    A candidate is left out unmeasured when its distance to some target that is far from good
    candidates is already too great. So few are measured, except where nearly all are equal.

    Source: after F. Dragan, M. Habib, L. Viennot, Revisiting Radius, Diameter, and all Eccentricity
    Computation in Graphs through Certificates, arXiv:1803.04660, 2018.

    Parameters
    ----------
    graph : SwitchGraph
        The network's switches.
    candidates, targets : array of int64
        Switches, in ascending order; every target can be reached.

    Returns
    -------
    switches : array of int64
        In ascending order.
    distance : int
        In links.
    """
    least = len(graph)
    found: list[Ints] = []
    bound = np.zeros(len(candidates), dtype=np.int64)
    while len(candidates):
        batch = np.zeros(len(candidates), dtype=bool)
        batch[np.argsort(bound, kind="stable")[:BATCH]] = True
        tried = candidates[batch]
        distance = graph.eccentricities(tried, targets)
        best = int(distance.min())
        if best < least:
            least, found = best, []
        found.append(tried[distance == least])
        candidates, bound = candidates[~batch], bound[~batch]
        if len(candidates):
            _, level = graph.spanning(int(tried[distance.argmin()]))
            _, level = graph.spanning(int(targets[level[targets].argmax()]))
            bound = np.maximum(bound, level[candidates])
            candidates, bound = candidates[bound <= least], bound[bound <= least]
    return np.sort(np.concatenate(found)), least
