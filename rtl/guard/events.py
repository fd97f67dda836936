"""What a router's guards tell its counters."""

from amaranth.lib.wiring import In, Member

__all__ = ["guard_events"]


def guard_events(links: int) -> dict[str, Member]:
    """Return the members by which a unit hears of its links' events.

    Parameters
    ----------
    links : int
        Links that lead to the router, and as many that lead away.

    Returns
    -------
    dict
        corrupt : In
            What came wrong, or out of place: on a link messages and packets count apart.
        lost : In
            Links on which something never came.
    """
    return {"corrupt": In(range(2 * links + 1)), "lost": In(range(links + 1))}
