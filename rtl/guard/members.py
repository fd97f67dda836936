"""What a router's guards tell its unit, and are told."""

from amaranth.lib.wiring import In, Member, Out

__all__ = ["guard_members"]


def guard_members(links: int) -> dict[str, Member]:
    """Return the members by which a unit has to do with its links' guards.

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
        fence : Out(links)
            Links that are closed.
    """
    return {
        "corrupt": In(range(2 * links + 1)),
        "lost": In(range(links + 1)),
        "fence": Out(links),
    }
