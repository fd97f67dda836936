"""The campaign itself: trial after trial."""

from __future__ import annotations

import time
from collections.abc import Callable

from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.campaign.court import Court
from syncfabric.sim.campaign.request import CampaignRequest, is_meant
from syncfabric.sim.campaign.result import CampaignResult, KindCount
from syncfabric.sim.campaign.trial import Draw
from syncfabric.sim.fabric import Fabric, build_fabric
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.soak.traffic import QUEUE

__all__ = ["campaign"]

LOOK = 10
"""Trials until progress is told again."""
MOST_MISSED = 10
"""Trials a fault, until a campaign is given up whose faults find nothing to change."""


def campaign(
    spec: NetworkSpec,
    request: CampaignRequest,
    *,
    stopped: Callable[[], bool] = lambda: False,
    progress: Progress = silent,
) -> CampaignResult:
    """Strike a network with faults, one a trial, and say what became of each.

    Parameters
    ----------
    spec : NetworkSpec
        Its groups of two members and more take part.
    request : CampaignRequest
    stopped : callable
        Is asked before each trial whether to end with what there is.
    progress : Progress

    Raises
    ------
    SpecError, PlanError
        The network is none for a campaign, or an argument is not allowed.
    ToolError
        Verilator is missing.
    """
    with stage(progress, "plan"):
        plan, kinds = request.check(spec), request.chosen(spec)
    with stage(progress, "build"):
        built = build_fabric(spec.network, queue=QUEUE)
    counts = tuple(KindCount(kind, is_meant(spec.network, kind)) for kind in kinds)
    result = CampaignResult(spec.name, request.seed, counts, build_seconds=built.seconds)
    draw, begin = Draw(plan, kinds, request.seed), time.perf_counter()
    with Fabric(built) as fabric:
        court = Court(fabric, plan)
        number, last = request.first, request.first + MOST_MISSED * request.faults
        while result.faults < request.faults and number < last:
            if stopped():
                result.interrupted = True
                break
            result.add(court.judge(draw.trial(number)))
            number += 1
            if not number % LOOK:
                progress("simulate", result.faults, request.faults)
        result.processor_seconds = fabric.processor_seconds()
    result.run_seconds = time.perf_counter() - begin
    return result
