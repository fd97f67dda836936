"""Ways to break the searches for schedules."""

from tests.mutation.mutant import Mutant

__all__ = ["SCHEDULES"]

_ANNEALING = "models/collectives/annealing/"
_MBOA = "models/collectives/mboa/"
_MOVES = ("tests/models/collectives/annealing/test_moves.py",)
_CROSS = ("tests/models/collectives/annealing/test_cross.py",)
_RUNS = ("tests/models/collectives/annealing/test_runs.py",)
_PARTS = ("tests/models/collectives/mboa/test_parts.py",)

SCHEDULES = (
    Mutant(
        "annealing: a conflict that a move takes away is not counted",
        _ANNEALING + "move.py",
        "            delta -= count[k] > most[use[i]]\n            count[k] -= 1",
        "            count[k] -= 1",
        _MOVES,
    ),
    Mutant(
        "annealing: a node sends on in the step in which it gets the message",
        _ANNEALING + "count.py",
        "conflicts += step[parent[o]] >= t",
        "conflicts += step[parent[o]] > t",
        _MOVES,
    ),
    Mutant(
        "annealing: what is sent on too early is counted one step short",
        _ANNEALING + "move.py",
        "for s in range(t0 + 1, min(t, steps - 1) + 1):",
        "for s in range(t0 + 1, min(t, steps - 1)):",
        _MOVES,
    ),
    Mutant(
        "annealing: two messages never change steps",
        _ANNEALING + "anneal.py",
        "if kind >= 6 and t != t0",
        "if kind >= 8 and t != t0",
        _MOVES,
    ),
    Mutant(
        "annealing: a message never goes in the last step",
        _ANNEALING + "encode.py",
        "last = self.steps - 1",
        "last = max(self.steps - 2, 0)",
        _MOVES,
    ),
    Mutant(
        "annealing: a message may go a step before it can",
        _ANNEALING + "encode.py",
        "self.low.append(min(hops, self.steps) - 1)",
        "self.low.append(max(min(hops, self.steps) - 2, 0))",
        _MOVES,
    ),
    Mutant(
        "annealing: Metropolis prefers what is worse",
        _ANNEALING + "evolve.py",
        "accept[d] = np.exp(-d / heat)",
        "accept[d] = np.exp(d / heat)",
        _MOVES,
    ),
    Mutant(
        "annealing: it never gets colder",
        _ANNEALING + "evolve.py",
        "clock[0] *= cooling",
        "clock[0] *= 1",
        _MOVES,
    ),
    Mutant(
        "annealing: a child loses genes of one parent",
        _ANNEALING + "cross.py",
        "option[row, g], step[row, g] = other[g], other_step[g]",
        "option[row, g], step[row, g] = option[row, g], step[row, g]",
        _CROSS,
    ),
    Mutant(
        "annealing: Metropolis of the outcome prefers what is worse",
        _ANNEALING + "cross.py",
        "np.exp((own - cost) / rates[0])",
        "np.exp((cost - own) / rates[0])",
        _CROSS,
    ),
    Mutant(
        "annealing: the roulette prefers the worst",
        _ANNEALING + "cross.py",
        "np.cumsum(1.0 / (1.0 + before))",
        "np.cumsum(1.0 + before)",
        _CROSS,
    ),
    Mutant(
        "annealing: a checkpoint forgets the random state",
        _ANNEALING + "island.py",
        'names = ("option", "step", "clock", "counts", "seeds", "told")',
        'names = ("option", "step", "clock", "counts", "told")',
        _RUNS,
    ),
    Mutant(
        "annealing: a checkpoint forgets how long the temperature lasts",
        _ANNEALING + "island.py",
        'names = ("option", "step", "clock", "counts", "seeds", "told")',
        'names = ("option", "step", "clock", "seeds", "told")',
        _RUNS,
    ),
    Mutant(
        "MBOA: a port too many is no conflict",
        _MBOA + "fitness.py",
        "conflicts += max(before + (times > 0) - instance.room[resource], 0)",
        "conflicts += max(before + (times > 0) - max(instance.room[resource], 1) - 1, 0)",
        _PARTS,
    ),
    Mutant(
        "MBOA: a change is weighed without what it takes away",
        _MBOA + "fitness.py",
        "conflicts -= max(used[now, use[i], 0] - room[use[i]], 0)",
        "conflicts -= 0",
        _PARTS,
    ),
    Mutant(
        "MBOA: the repair leaves who sends before it is told",
        _MBOA + "repair.py",
        "genes[source - 1, STEP] >= step",
        "genes[source - 1, STEP] > step",
        _PARTS,
    ),
    Mutant(
        "MBOA: a path index beyond the paths is another's path",
        _MBOA + "fitness.py",
        "first + index % (instance.first_path[served + 1] - first)",
        "first + index",
        _PARTS,
    ),
    Mutant(
        "MBOA: two messages never change places",
        _MBOA + "offspring.py",
        "if kind >= 6 and step != now:",
        "if kind >= 8 and step != now:",
        _PARTS,
    ),
    Mutant(
        "MBOA: mutation never draws the last step",
        _MBOA + "mutation.py",
        "step = below(random, bounds[gene, STEP])",
        "step = below(random, bounds[gene, STEP] - 1)",
        _PARTS,
    ),
    Mutant(
        "MBOA: what was refused is not taken back",
        _MBOA + "offspring.py",
        "        put(state.olds, i, mine, gene)\n",
        "",
        _PARTS,
    ),
    Mutant(
        "MBOA: the worse of two takes the other's place",
        _MBOA + "selection.py",
        "if state.cost[winner] < state.cost[loser]:",
        "if state.cost[winner] > state.cost[loser]:",
        _PARTS,
    ),
    Mutant(
        "MBOA: a worse one always wins",
        _MBOA + "selection.py",
        "state.accept[more] = np.exp(-more / figures[HEAT])",
        "state.accept[more] = 1.0",
        _PARTS,
    ),
    Mutant(
        "MBOA: variance grows with failures",
        _MBOA + "evolve.py",
        "power = RATE if better else",
        "power = -RATE if better else",
        _PARTS,
    ),
    Mutant(
        "MBOA: a tree asks nothing",
        _MBOA + "trees.py",
        "if parts - whole > gain:",
        "if parts - whole > gain + 1e9:",
        _PARTS,
    ),
    Mutant(
        "MBOA: a tree asks about genes that are not drawn yet",
        _MBOA + "trees.py",
        "earlier = model.rank[gene]",
        "earlier = len(model.order)",
        _PARTS,
    ),
)
