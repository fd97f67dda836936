"""MBOA, the mixed Bayesian optimization algorithm (section 3.2 of paper EVO), on annealing chains.

The chains are the population, and their moves its mutation. Now and then a model is learnt from the
better of them, and draws genes of each anew. A chain takes them by a Boltzmann
tournament (Goldberg, 1990) against what it had; and where all are heated again, the winner of a
tournament takes the place of a chain with more conflicts. Where HGSA has crossover, MBOA has the
model.

Paper EVO, section 5, gives tournament selection and replacement, and one random gene mutated in
each chromosome. It gives no figures for the rest: they are ours.

A tree sorts the selected chromosomes by what they have in other genes; a leaf holds those that are
alike. A node asks whether an item of another gene has a certain value. Which one, the
Bayesian-Dirichlet metric decides: the split is made that makes the gene's values in the two halves
the most likely, less a penalty for the leaf more. Genes stand in a random order, and a tree asks
only about earlier ones, so that the trees together are a Bayesian network without cycles. A new
value of a gene is that of a chromosome in its leaf, all items together, with kernels around steps
and path indices whose width is adapted (``draw``).

A tree is grown when its gene is first drawn from the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.island import Island
from syncfabric.models.collectives.annealing.island import Parameters as Annealing
from syncfabric.models.collectives.annealing.solve import solve as anneal
from syncfabric.models.collectives.clock import Clock, Found
from syncfabric.models.collectives.encoding import Encoding
from syncfabric.models.collectives.moves import Chain, Tables, make, row_of
from syncfabric.models.collectives.random_numbers import Random, below, normal, uniform
from syncfabric.models.collectives.symmetry import Symmetry
from syncfabric.models.collectives.task import Task
from syncfabric.models.compiled import inlined, uncounted
from syncfabric.models.errors import check_range

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
        value = value + round(normal(state) * width * (high - low) / (end - begin))
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

    It is the logarithm of the probability of these values if nothing was known of their frequencies
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


RATE = 0.05
"""How fast the number of genes that are drawn is adapted."""
WANTED = 0.1
"""The part of children that should be taken: at that their number stays."""


@dataclass(frozen=True)
class Parameters(Annealing):
    """Parameters of MBOA; those of its chains are as of HGSA.

    Parameters
    ----------
    selected : int
        Chromosomes that a model is learnt from, drawn by tournaments.
    rivals : int
        Chromosomes in such a tournament.
    leaves : int
        Of a decision tree, at most. With 1 a gene is drawn by its frequencies alone; with 0 none is
        drawn, and the chains' moves do all.
    questions : int
        Genes that a node of a tree may ask about, drawn at random.
    children : int
        Children of each chain from one model.
    drawn : float
        Genes that a child draws from the model, at first. As many more as suit are drawn later.
    """

    population: int = 4
    start: float = 0.16
    again: float = 0.16
    final: float = 0.09
    exchange: int = 5_000
    selected: int = 32
    rivals: int = 2
    leaves: int = 8
    questions: int = 16
    children: int = 8
    drawn: float = 8.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("selected", "rivals", "children", "drawn"):
            check_range(f"mboa: {name}", getattr(self, name), 1)
        for name in ("leaves", "questions"):
            check_range(f"mboa: {name}", getattr(self, name), 0)

    def island(self, encoding: Encoding, seed: int, number: int) -> Island:
        """Return a population with these parameters."""
        return _Population(encoding, self, seed, number)


class _Population(Island):
    """Chains that meet in a model."""

    def __init__(self, encoding: Encoding, parameters: Parameters, seed: int, number: int) -> None:
        super().__init__(encoding, parameters, seed, number)
        self.settings, tables = parameters, encoding.tables
        options, steps = np.diff(tables.first_option), tables.high - tables.low + 1
        bounds = np.stack([options, steps], axis=1).astype(np.int32)
        self.model = blank_model(bounds, parameters.selected, parameters.leaves)
        self.drawn = np.array([min(parameters.drawn, encoding.genes)], np.float64)
        self.olds = np.zeros((encoding.genes, 3), np.int64)
        self.heat = 0.0
        self.random: Random = self.seeds[-1:].view(np.uint64)

    def exchange(self) -> None:
        """Learn a model and let each chain have children; after a descent spread the better."""
        tables, settings, random = self.encoding.tables, self.settings, self.random
        if self.clock[0] > self.heat > 0:
            for loser in range(len(self.costs)):
                winner = tournament(self.costs, settings.rivals, random)
                if self.costs[winner] < self.costs[loser]:
                    for values in (*self.chains, self.costs):
                        values[loser] = values[winner]
        self.heat = float(self.clock[0])
        if settings.leaves:
            chosen = (self.model, tables, self.chains, self.costs)
            learn(*chosen, settings.rivals, random)
            numbers = (self.heat, settings.children, settings.questions)
            recombine(*chosen, *numbers, self.drawn, self.olds, self.told, random)


@uncounted
def recombine(
    model: Model,
    tables: Tables,
    chains: Any,
    costs: Any,
    heat: float,
    children: int,
    questions: int,
    drawn: Any,
    olds: Any,
    tally: Any,
    random: Random,
) -> None:
    """Let each chain have children, of which genes are drawn from the model, in its order.

    A child takes the chain's place by Metropolis' rule. More genes are drawn after a success, and
    fewer after a failure (Ocenasek, Kern, Hansen and Koumoutsakos, 2004).
    """
    genes = len(tables.low)
    for row in range(len(costs)):
        chain = row_of(chains, row)
        for _ in range(children):
            count = int(drawn[0] + uniform(random))
            width, found, changed = drawn[0] / genes, 0, 0
            # Each gene in turn, so that as many as wanted are chosen in the end.
            for i in range(genes):
                if changed < count and uniform(random) * (genes - i) < count - changed:
                    g = int(model.order[i])
                    o, t = draw(model, tables, g, chain, width, questions, random)
                    olds[changed, 0], olds[changed, 1], olds[changed, 2] = (
                        g,
                        chain.option[g],
                        chain.step[g],
                    )
                    found += make(tables, chain, g, o, t)
                    changed += 1
            tally[0] += 1
            taken = found <= 0 or uniform(random) < np.exp(-found / heat)
            if taken:
                costs[row] += found
                tally[1] = min(tally[1], costs[row])
            else:
                for i in range(changed - 1, -1, -1):
                    make(tables, chain, olds[i, 0], olds[i, 1], olds[i, 2])
            share = WANTED if taken else -WANTED * WANTED / (1 - WANTED)
            drawn[0] = min(max(drawn[0] * np.exp(RATE * share / WANTED), 1.0), genes)


def solve(
    task: Task,
    steps: int,
    seed: int,
    clock: Clock,
    *,
    parameters: Parameters | None = None,
    symmetry: Symmetry | None = None,
) -> Iterator[Found]:
    """Search a schedule of so many steps, as every ``Method``.

    Parameters
    ----------
    task : Task
        As of HGSA.
    steps, seed : int
    clock : Clock
    parameters : Parameters, optional
    symmetry : Symmetry, optional
        Schedule one message of each orbit; the others are its images.

    Raises
    ------
    SpecError
        The method cannot do the task, or there is no step.
    """
    given = parameters or Parameters.of(task)
    return anneal(task, steps, seed, clock, parameters=given, islands=1, symmetry=symmetry)
