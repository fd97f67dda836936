"""Experiments that are run here, and what came out."""

from typing import Any

from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.claim import Claim, Value
from syncfabric.sim.experiments.frame import Work


def work_of(name: str, runs: int = 1, *, seed: int = 1, rtl: bool = False, **chosen: Any) -> Work:
    """Run an experiment with those of some parameters that it has, at 50 MHz."""
    experiment = EXPERIMENTS[name]
    taken = {p.name: chosen[p.name] for p in experiment.parameters if p.name in chosen}
    work = Work(experiment, runs=runs, seed=seed, chosen=taken, rtl=rtl, clock_mhz=50.0)
    experiment.function(work)
    return work


def ours(work: Work) -> dict[str, Any]:
    """Return our value of each claim."""
    return {claim.claim: claim.ours for claim in work.claims}


def claim_of(work: Work, words: str) -> Claim:
    """Return the claim that begins with some words."""
    (claim,) = [claim for claim in work.claims if claim.claim.startswith(words)]
    return claim


def value_of(work: Work, words: str) -> Value:
    """Return what was found for the claim that begins with these words."""
    return claim_of(work, words).ours
