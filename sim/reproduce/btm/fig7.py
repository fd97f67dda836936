"""Fig. 7: mean latency at three values of t_rm, the routing delay at a member.

Source: paper BTM, section 4.2.
"""

from __future__ import annotations

from syncfabric.models.timing.btm import Timing
from syncfabric.sim.reproduce.btm.groups import claim_size, points, sides, sizes, times
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["delays"]

FASTER = {20.0: 1.3, 40.0: 1.6, 60.0: 1.8}
"""The paper's factors, by t_rm, for 1024 members on 32x32."""


def delays(work: Work) -> None:
    """Run the experiment."""
    size, (side,) = claim_size(work), sides(work)
    found = list(points(work, [(side, n) for n in sorted({*sizes(side), size})]))
    (chosen,) = (point for point in found if point.size == size)
    chosen_times = [float(work.values[name]) for name in ("short", "middle", "long")]
    gains = []
    for t_rm in chosen_times:
        timing = times(work, t_rm=t_rm)
        for point in found:
            work.point(f"BTM ({t_rm:g})", point.size, point.btm_ns(timing))
            work.point(f"CS ({t_rm:g})", point.size, point.cs_ns(timing))
            work.point(f"CS over BTM, {t_rm:g} ns", point.size, point.speedup(timing))
        gains.append(chosen.speedup(timing))
        papers = (side, size, timing) == (32, 1024, Timing(t_rm=t_rm))
        known = FASTER.get(t_rm) if papers else None
        if known is not None:
            work.point(f"CS over BTM, {t_rm:g} ns, paper", size, known)
        what = f"BTM is faster than CS, times, t_rm = {t_rm:g} ns"
        work.claim(f"{what}, {size} members, {chosen.mesh}", known, gains[-1])
    rising = [gain for _, gain in sorted(zip(chosen_times, gains, strict=True))]
    work.confirm("the gain grows with t_rm", rising == sorted(rising))
    least = min(point.speedup(times(work, t_rm=t)) for point in found for t in chosen_times)
    work.claim("BTM is faster at every t_rm and size: the least speedup", "above 1", least)
