"""Conflicts counted from nothing."""

from __future__ import annotations

from typing import Any

from syncfabric.models.compiled import compiled

__all__ = ["recount"]


@compiled
def recount(
    tables: Any, steps: Any, option: Any, step: Any, count: Any, holder: Any, shared: Any, kids: Any
) -> Any:
    """Count a chromosome's uses anew; return its conflicts.

    ``holder`` has of each resource and step the numbers of the genes that use it, added up: where
    that is one gene, it is this gene. ``kids`` has of each gene and step how many are sent on by it
    then.
    """
    _, parent, first_use, use, first_share, share, main, most, _, _ = tables
    count[:] = 0
    holder[:] = 0
    shared[:] = 0
    kids[:] = 0
    conflicts = 0
    for g in range(len(option)):
        o, t = option[g], step[g]
        if t == steps:
            continue
        at = t * len(most)
        for i in range(first_use[o], first_use[o + 1]):
            count[at + use[i]] += 1
            holder[at + use[i]] += g
            conflicts += count[at + use[i]] > most[use[i]]
        for i in range(first_share[o], first_share[o + 1]):
            k, r = t * len(main) + share[i], main[share[i]]
            shared[k] += 1
            if shared[k] == 1:
                count[at + r] += 1
                conflicts += count[at + r] > most[r]
        if parent[o] >= 0:
            kids[parent[o] * steps + t] += 1
            conflicts += step[parent[o]] >= t
    return conflicts
