"""Whether messages of one tree can meet, and so delay each other beyond the bound.

Alone on an idle mesh a message waits only for another that uses the same link: a link carries one
message a cycle, and one of a class every third cycle. Messages of two members one of which is above
the other are never under way together, for the second is sent because of the first. So no message
ever waits, whatever the arrivals, if

1. the ways of two members to their parents share a link only where one is above the other;
2. no way leads through a member above both its ends.

Why 2: let a message cross a link from u to v in cycle t, and a later one too. Between them lies a
chain of messages from v by some member c to u, at a cycle a link, so the later one crosses at
t + 1 + |v c| + |c u| or after; c is the lower end of the upper way or, between a reduction and a
distribution, the root. The two distances add up to an odd number: to at least 3, which is enough,
or to 1 if c is u or v. Then one of the two ways leads through c, which 2 forbids.
"""

from __future__ import annotations

import numpy as np

from syncfabric.models.planning.ancestry import Ancestry
from syncfabric.models.planning.tree import Ints, Tree
from syncfabric.models.planning.ways import Ways

__all__ = ["can_meet"]


def can_meet(tree: Tree) -> bool:
    """Return whether one of the two rules is broken, so that messages may delay each other.

    The reductions are taken to go back over the links of the distributions. The second rule is
    checked for the paper's reductions too.
    """
    ancestry, ways = Ancestry.of(tree), Ways.of(tree)
    first, second, _ = _on_one_link(ways.pairs, ways.member, ancestry)
    if not ancestry.above(first, second).all():
        return True
    return any(_leads_back(tree, ancestry, some) for some in (ways, Ways.of(tree, paper=True)))


def _on_one_link(links: Ints, member: Ints, ancestry: Ancestry) -> tuple[Ints, Ints, Ints]:
    """Return each two members next in number of those on one link, and the link.

    If all of a link are above one another, so are all of these, and only then.
    """
    order = np.lexsort((ancestry.number[member], links))
    links, member = links[order], member[order]
    same = links[1:] == links[:-1]
    return member[:-1][same], member[1:][same], links[1:][same]


def _leads_back(tree: Tree, ancestry: Ancestry, ways: Ways) -> bool:
    """Return whether some way leads through a member above both its ends."""
    places = (tree.y << 32) + tree.x
    order = np.argsort(places)
    passed = (ways.y << 32) + ways.x
    found = order[np.searchsorted(places[order], passed) % len(tree)]
    inside = (places[found] == passed) & (found != ways.member)
    inside &= found != tree.parent[ways.member]
    return bool(ancestry.above(found[inside], ways.member[inside]).any())
