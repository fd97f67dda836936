"""Ways to break the searches for schedules."""

from tests.mutation.mutant import Mutant

__all__ = ["SCHEDULES"]

_ANNEALING = "models/collectives/annealing/"
_MBOA = "models/collectives/mboa/"
_ENCODING = "models/collectives/encoding.py"
_MOVED = "models/collectives/moves.py"
_MOVES = ("tests/models/collectives/annealing/test_moves.py",)
_CROSS = ("tests/models/collectives/annealing/test_kernel.py",)
_RUNS = ("tests/models/collectives/annealing/test_runs.py",)
_PARTS = ("tests/models/collectives/mboa/test_population.py",)
_ATTEMPTS = (
    "tests/models/collectives/test_attempts.py",
    "tests/models/collectives/test_search.py",
)

SCHEDULES = (
    Mutant(
        "annealing: a conflict that a move takes away is not counted",
        _MOVED,
        "            delta -= count[k] > most[use[i]]\n            count[k] -= 1",
        "            count[k] -= 1",
        _MOVES,
    ),
    Mutant(
        "annealing: a node sends on in the step in which it gets the message",
        _MOVED,
        "delta += t < steps and q >= 0 and step[q] >= t",
        "delta += t < steps and q >= 0 and step[q] > t",
        _MOVES,
    ),
    Mutant(
        "annealing: what is sent on too early is counted one step short",
        _MOVED,
        "for s in range(t0 + 1, min(t, steps - 1) + 1):",
        "for s in range(t0 + 1, min(t, steps - 1)):",
        _MOVES,
    ),
    Mutant(
        "annealing: two messages never change steps",
        _MOVED,
        "if kind >= 6 and t != t0",
        "if kind >= 8 and t != t0",
        _MOVES,
    ),
    Mutant(
        "annealing: a message never goes in the last step",
        _ENCODING,
        "last = [self.steps - gene.must for",
        "last = [max(self.steps - 2 * gene.must, 0) for",
        _MOVES,
    ),
    Mutant(
        "annealing: a message may go a step before it can",
        _ENCODING,
        "[min(gene.hops, self.steps) - 1 for",
        "[max(min(gene.hops, self.steps) - 2, 0) for",
        _MOVES,
    ),
    Mutant(
        "annealing: Metropolis prefers what is worse",
        _ANNEALING + "kernel.py",
        "accept[d] = np.exp(-d / heat)",
        "accept[d] = np.exp(d / heat)",
        _MOVES,
    ),
    Mutant(
        "annealing: it never gets colder",
        _ANNEALING + "kernel.py",
        "clock[0] *= cooling",
        "clock[0] *= 1",
        _MOVES,
    ),
    Mutant(
        "annealing: a child loses genes of one parent",
        _ANNEALING + "kernel.py",
        "option[row, g], step[row, g] = other_option[g], other_step[g]",
        "option[row, g], step[row, g] = option[row, g], step[row, g]",
        _CROSS,
    ),
    Mutant(
        "annealing: Metropolis of the outcome prefers what is worse",
        _ANNEALING + "kernel.py",
        "np.exp((own - cost) / rates[0])",
        "np.exp((cost - own) / rates[0])",
        _CROSS,
    ),
    Mutant(
        "annealing: the roulette prefers the worst",
        _ANNEALING + "kernel.py",
        "np.cumsum(1.0 / (1.0 + before))",
        "np.cumsum(1.0 + before)",
        _CROSS,
    ),
    Mutant(
        "annealing: a checkpoint forgets the random state",
        _ANNEALING + "island.py",
        'KEPT = ("option", "step", "clock", "counts", "seeds", "told")',
        'KEPT = ("option", "step", "clock", "counts", "told")',
        _RUNS,
    ),
    Mutant(
        "annealing: a checkpoint forgets how long the temperature lasts",
        _ANNEALING + "island.py",
        'KEPT = ("option", "step", "clock", "counts", "seeds", "told")',
        'KEPT = ("option", "step", "clock", "seeds", "told")',
        _RUNS,
    ),
    Mutant(
        "MBOA: mutation never draws the last step",
        _MOVED,
        "high[g] - low[g] + 1), bits",
        "high[g] - low[g]), bits",
        _MOVES,
    ),
    Mutant(
        "MBOA: what was refused is not taken back",
        "models/collectives/mboa/solve.py",
        "for i in range(changed - 1, -1, -1):",
        "for i in range(changed - 1, 0, -1):",
        _PARTS,
    ),
    Mutant(
        "MBOA: the worse of two takes the other's place",
        "models/collectives/mboa/solve.py",
        "if self.costs[winner] < self.costs[loser]:",
        "if self.costs[winner] > self.costs[loser]:",
        _PARTS,
    ),
    Mutant(
        "MBOA: the better ones never go on into the next descent",
        "models/collectives/mboa/solve.py",
        "if self.clock[0] > self.heat > 0:",
        "if self.clock[0] > self.heat > 1e9:",
        _PARTS,
    ),
    Mutant(
        "MBOA: a worse one always wins",
        "models/collectives/mboa/solve.py",
        "taken = found <= 0 or",
        "taken = found <= 9 or",
        _PARTS,
    ),
    Mutant(
        "MBOA: variance grows with failures",
        "models/collectives/mboa/solve.py",
        "share = WANTED if taken else",
        "share = WANTED if not taken else",
        _PARTS,
    ),
    Mutant(
        "annealing: the repair leaves who is sent to too early",
        "models/collectives/annealing/kernel.py",
        "chain.step[k] <= t and",
        "chain.step[k] < t and",
        _MOVES,
    ),
    Mutant(
        "annealing: a repair that was refused is not taken back",
        "models/collectives/annealing/kernel.py",
        "for i in range(moved):",
        "for i in range(moved - 1):",
        _MOVES,
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
    Mutant(
        "schedule: all rounds are as short as the first",
        "models/collectives/search.py",
        "spent < turn * 2**number",
        "spent < turn",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: shares of the processor do not count",
        "models/collectives/search.py",
        "self.last.work / self.share",
        "self.last.work",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: annealing takes the smallest symmetries",
        "models/collectives/search.py",
        "groups[: one.symmetric]",
        "groups[::-1][: one.symmetric]",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: annealing is given a symmetry that the collective has not",
        "models/collectives/search.py",
        " if g.keeps(task.collective)]",
        "]",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: a round does not end",
        "models/collectives/search.py",
        "spent < turn * 2**number and ",
        "",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: a round does not end when the user asks for it",
        "models/collectives/search.py",
        "if self.over and (self.auto or spent):",
        "if False:",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: who cannot do the task is asked again",
        "models/collectives/search.py",
        "self.fit.remove(run.method)",
        "pass",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: a round goes on when there is a schedule",
        "models/collectives/search.py",
        " and not self.record.settled(steps):",
        ":",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: methods begin anew in every round",
        "models/collectives/search.py",
        "if steps not in self.runs:",
        "if True:",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: evaluations that counted before count again",
        "models/collectives/record.py",
        "found.evaluations - (before.evaluations if before is not None else 0)",
        "found.evaluations",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: others are told what only annealing knows",
        "models/collectives/search.py",
        'self.annealing if one.name == "hgsa" else {}',
        "self.annealing",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: first fit takes more steps than it may",
        "models/collectives/search.py",
        "if made is not None and len(made) <= most:",
        "if made is not None:",
        _ATTEMPTS,
    ),
    Mutant(
        "schedule: the search goes on when no method is left",
        "models/collectives/search.py",
        "self.clock.over or not self.fit",
        "self.clock.over",
        _ATTEMPTS,
    ),
    Mutant(
        "annealing: only the first island's evaluations count",
        "models/collectives/annealing/solve.py",
        "evaluations = sum(outcome.evaluations for outcome in outcomes)",
        "evaluations = outcomes[0].evaluations",
        _RUNS,
    ),
)
