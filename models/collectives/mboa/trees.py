"""The model: a binary decision tree a gene (Ocenasek and Schwarz, 2002).

A tree sorts the selected chromosomes by what they have in other genes; a leaf holds those that are
alike. A node asks whether an item of another gene has a certain value. Which one, the
Bayesian-Dirichlet metric tells: the split is made that makes the gene's values in the two halves
the most likely, less a penalty for the leaf more. Genes stand in a random order, and a tree asks
only about earlier ones, so that the trees together are a Bayesian network without cycles. A new
value of a gene is that of a chromosome in its leaf, all items together, with kernels around steps
and path indices whose width is adapted (``draw``).

A tree is grown when its gene is first drawn from the model.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.dice import Random, below, noise
from syncfabric.models.collectives.moves import Chain, Tables
from syncfabric.models.compiled import inlined, uncounted

OPTION, STEP = 0, 1
"""The items of a gene: an option, counted from its first, and a step."""


@inlined
def tournament(cost: NDArray[np.int64], rivals: int, random: Random) -> int:
    """Return the one with the fewest conflicts of some at random."""
    best = below(random, len(cost))
    for _ in range(rivals - 1):
        other = below(random, len(cost))
        if cost[other] < cost[best]:
            best = other
    return best


class Model(NamedTuple):
    """The trees, and the chromosomes that they were grown from."""

    bounds: NDArray[np.int32]
    """How many values each item has, of shape (genes, 2)."""
    values: NDArray[np.int32]
    """The selected chromosomes, of shape (chromosomes, genes, 2)."""
    order: NDArray[np.int32]
    """The genes in their order."""
    rank: NDArray[np.int32]
    """The place of each gene in it."""
    nodes: NDArray[np.int16]
    """Nodes of each gene's tree; 0 if it is not grown yet."""
    asks: NDArray[np.int32]
    """Of each node: gene, item and value that it asks for, where it leads if they agree (the next
    one: if not; 0: a leaf), and its part of ``members``. Of shape (genes, most nodes, 6)."""
    members: NDArray[np.int16]
    """Selected chromosomes, sorted by leaves, of shape (genes, chromosomes)."""
    counts: NDArray[np.int16]
    """Room to count in, all 0: of shape (2, most values of an item)."""
    log_factorial: NDArray[np.float64]


def blank_model(bounds: NDArray[np.int32], selected: int, leaves: int) -> Model:
    """Return a model in which nothing is yet.

    Parameters
    ----------
    bounds : array of int, of shape (genes, 2)
        How many values each item has.
    selected : int
        Chromosomes that it will be grown from.
    leaves : int
        Of a tree, at most.
    """
    genes, values = len(bounds), int(bounds.max(initial=1))
    return Model(
        bounds,
        np.zeros((selected, genes, 2), np.int32),
        np.arange(genes, dtype=np.int32),
        np.arange(genes, dtype=np.int32),
        np.zeros(genes, np.int16),
        np.zeros((genes, 2 * max(leaves, 1) - 1, 6), np.int32),
        np.zeros((genes, selected), np.int16),
        np.zeros((2, values), np.int16),
        np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, selected + values + 1)))]),
    )


@uncounted
def learn(
    model: Model, tables: Tables, chains: Chain, cost: NDArray[np.int64], rivals: int, state: Random
) -> None:
    """Begin a new model: select chromosomes by tournaments, and shuffle the order of genes."""
    for i in range(len(model.values)):
        chosen = tournament(cost, rivals, state)
        for gene in range(len(model.order)):
            model.values[i, gene, OPTION] = chains.option[chosen, gene] - tables.first_option[gene]
            model.values[i, gene, STEP] = chains.step[chosen, gene] - tables.low[gene]
    for i in range(len(model.order) - 1, 0, -1):
        j = below(state, i + 1)
        model.order[i], model.order[j] = model.order[j], model.order[i]
    for i in range(len(model.order)):
        model.rank[model.order[i]] = i
    for gene in range(len(model.nodes)):
        model.nodes[gene] = 0


@uncounted
def draw(
    model: Model,
    tables: Tables,
    gene: int,
    chain: Chain,
    width: float,
    questions: int,
    state: Random,
) -> tuple[int, int]:
    """Return a new option and step of a gene, given a chromosome's earlier genes.

    Parameters
    ----------
    model : Model
    tables : Tables
    gene : int
    chain : Chain
        The chromosome.
    width : float
        Of the kernels around steps and options, as a part of the mean distance of the values in
        the leaf.
    questions : int
        Genes that a node may ask about, drawn from the earlier ones.
    """
    if model.nodes[gene] == 0:
        _grow(model, gene, questions, state)
    node = 0
    asks = model.asks[gene]
    while asks[node, 3] > 0:
        other = asks[node, 0]
        value = chain.step[other] - tables.low[other]
        if asks[node, 1] == OPTION:
            value = chain.option[other] - tables.first_option[other]
        node = asks[node, 3] if value == asks[node, 2] else asks[node, 3] + 1
    begin, end = asks[node, 4], asks[node, 5]
    chosen = model.values[model.members[gene, begin + below(state, end - begin)], gene]
    option = _around(model, gene, OPTION, chosen[OPTION], begin, end, width, state)
    parent, first = tables.parent, tables.first_option[gene]
    if parent[first + option] != parent[first + chosen[OPTION]]:
        option = chosen[OPTION]  # another sender
    step = _around(model, gene, STEP, chosen[STEP], begin, end, width, state)
    return tables.first_option[gene] + option, tables.low[gene] + step


@inlined
def _around(
    model: Model,
    gene: int,
    item: int,
    value: int,
    begin: int,
    end: int,
    width: float,
    state: Random,
) -> int:
    """Draw a value from the kernel around one of a leaf."""
    low = high = value
    for i in range(begin, end):
        other = model.values[model.members[gene, i], gene, item]
        low, high = min(low, other), max(high, other)
    if high > low:
        value = value + round(noise(state) * width * (high - low) / (end - begin))
    return int(min(max(value, 0), model.bounds[gene, item] - 1))


@uncounted
def _grow(model: Model, gene: int, questions: int, state: Random) -> None:
    """Grow the tree of a gene, from the root on, until no split is worth its leaf."""
    asks, members = model.asks[gene], model.members[gene]
    for i in range(len(members)):
        members[i] = i
    asks[0, 3], asks[0, 4], asks[0, 5] = 0, 0, len(members)
    nodes, node = 1, 0
    penalty = 0.5 * np.log(len(members))
    earlier = model.rank[gene]
    while node < nodes and nodes + 2 <= len(asks):
        begin, end = asks[node, 4], asks[node, 5]
        whole = _metric(model, gene, begin, end, -1, 0, 0, True)
        gain = penalty
        for _ in range(min(questions, earlier)):
            other = model.order[below(state, earlier)]
            like = members[begin + below(state, end - begin)]
            for item in (OPTION, STEP):
                if model.bounds[other, item] > 1:
                    value = model.values[like, other, item]
                    parts = _metric(model, gene, begin, end, other, item, value, True)
                    parts += _metric(model, gene, begin, end, other, item, value, False)
                    if parts - whole > gain:
                        gain = parts - whole
                        asks[node, 0], asks[node, 1], asks[node, 2] = other, item, value
                        asks[node, 3] = nodes
        if asks[node, 3] > 0:
            other, item, value = asks[node, 0], asks[node, 1], asks[node, 2]
            middle = begin
            for i in range(begin, end):
                if model.values[members[i], other, item] == value:
                    members[i], members[middle] = members[middle], members[i]
                    middle += 1
            asks[nodes, 3], asks[nodes, 4], asks[nodes, 5] = 0, begin, middle
            asks[nodes + 1, 3], asks[nodes + 1, 4], asks[nodes + 1, 5] = 0, middle, end
            nodes += 2
        node += 1
    model.nodes[gene] = nodes


@uncounted
def _metric(
    model: Model,
    gene: int,
    begin: int,
    end: int,
    other: int,
    item: int,
    value: int,
    agrees: bool,
) -> float:
    """Return the Bayesian-Dirichlet metric of a gene's items in a node or in a half of it.

    It is the logarithm of the chance of these values if nothing was known of their frequencies
    (Cooper and Herskovits, 1992). ``other`` of -1 stands for all chromosomes of the node.
    """
    logs, counts = model.log_factorial, model.counts
    count, found = 0, 0.0
    for i in range(begin, end):
        member = model.members[gene, i]
        if other < 0 or (model.values[member, other, item] == value) == agrees:
            count += 1
            for own in (OPTION, STEP):
                at = model.values[member, gene, own]
                counts[own, at] += 1
                found += logs[counts[own, at]] - logs[counts[own, at] - 1]
    for i in range(begin, end):
        for own in (OPTION, STEP):
            counts[own, model.values[model.members[gene, i], gene, own]] = 0
    for own in (OPTION, STEP):
        most = model.bounds[gene, own]
        found += logs[most - 1] - logs[count + most - 1]
    return found
