"""Barriers along trees of switches, BTIN's and that of up/down routing.

Source: paper BTIN, sections 3 and 5.1. Set-up is the paper's ``Setup_Register``: every switch of
the tree holds a register; the representative of a member switch writes that of its own, and asks a
node of each nonmember switch, by a message, to write that one's. A switch that has no node is
counted like the others, though the paper leaves open who could write its register. That all members
know the group and the network is taken for granted in all schemes, as in the paper's section 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.switch_tree import SwitchTree
from syncfabric.models.schemes.irregular.group import Group, Ways
from syncfabric.models.schemes.scheme import ALONE, Cost
from syncfabric.models.timing.btin import Timing, formula_ns

__all__ = ["along", "btin_cost", "updown_cost"]


def btin_cost(network: IrregularSpec, members: Sequence[Place], times: Timing) -> Cost:
    """Return what barriers along BTIN cost."""
    group = Group(Ways.of(network), members)
    return along(group.tree, group, times)


def updown_cost(network: IrregularSpec, members: Sequence[Place], times: Timing) -> Cost:
    """Return what barriers along the tree of up/down routing cost."""
    group = Group(Ways.of(network), members)
    return along(group.updown_tree, group, times)


def along(tree: SwitchTree, group: Group, times: Timing) -> Cost:
    """Return what barriers along a tree over a group's switches cost.

    Parameters
    ----------
    tree : SwitchTree
        Its root is a member switch.
    group : Group
    times : Timing

    Returns
    -------
    Cost
        Nodes touched are the tree's switches, each with a register; in the paper nodes have none.
        Every link is passed once up and once down.
    """
    if len(group) == 1:
        return ALONE
    return Cost(
        setup_messages=len(tree) - len(group.switches),
        setup_nodes=len(tree),
        height=tree.height,
        latency_ns=formula_ns(tree.height, times),
        traversals=2 * (len(tree) - 1),
    )
