"""What a ring or tree needs of its buffers, to neither hang nor release early (paper Reflex).

One place each is enough for the agents in hardware, in every ring: the root's reads while it still
sends. That holds whatever comes first: the tests go through all interleavings of small rings.

Software that runs Algorithm 1 sends its B + 1 flits before it reads any, and needs room for them:
see `software_spare` and `check_software`. In both, all that can be stored before the process has
come must be filled by Init, and the switches must be in lock step.
"""

from __future__ import annotations

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import StaticSpec

__all__ = ["check_software", "software_spare", "tree_flits"]


def check_software(network: StaticSpec, fillers: int) -> None:
    """Refuse a program of Algorithm 1 whose fillers do not go with a network's buffers.

    Its root sends ``fillers`` flits in Init, and in Wait the release and as many again; a member
    reads as many in Notify, and two in Wait. B to B + W + O will do. With fewer a place of a core
    buffer stays free: the notify passes a member that has not arrived, and from three members on
    others are released early. With more the root stays in Wait where the first switch behind its
    own has a member: in front of that there is no room for all, until it comes to the next barrier.

    Parameters
    ----------
    network : StaticSpec
    fillers : int
        Best B, the places of ``core_buffer``.

    Raises
    ------
    SpecError
        There are too few or too many.
    """
    core = network.core_buffer
    most = core + network.switch_buffer + network.injection_buffer
    if fillers < core:
        harm = f"leave a place free where core_buffer = {core}, and barriers are released early"
    elif fillers > most:
        harm = "find no room before a member that has left, and the root stays in Wait"
    else:
        return
    raise SpecError(f"software: fillers = {fillers} {harm}; send {core} to {most}")


def software_spare(
    links: int,
    core_buffer: int,
    switch_buffer: int,
    injection_buffer: int,
    *,
    root_buffer: int | None = None,
) -> int:
    """Return the places to spare in a ring whose cores run Algorithm 1 as programs.

    Root buffer + N W + O - (B + 1): in Wait the root sends the release and B fillers, B + 1 flits,
    and receives nothing meanwhile, so they must fit into its own core buffer, the N switches' and
    the injection buffer. With fewer the ring hangs: N = 2, B = 4, W = O = 1 and one place at the
    root are one short. A root with a core buffer like the others' is never short.

    Parameters
    ----------
    links : int
        N, the links of the ring.
    core_buffer, switch_buffer, injection_buffer : int
        B, W and O.
    root_buffer : int, optional
        Places of the root's core buffer; B by default.

    Returns
    -------
    int
        Below 0 if the ring hangs.
    """
    root = core_buffer if root_buffer is None else root_buffer
    return root + links * switch_buffer + injection_buffer - (core_buffer + 1)


def tree_flits(longest: int, network: StaticSpec) -> int:
    """Return the flits of an episode of a tree (ours): one more than its longest way stores.

    Then the last can only be sent when every member has read one. With one fewer it is released
    early.

    Parameters
    ----------
    longest : int
        Links from the root's switch to that of the farthest member.
    network : StaticSpec
    """
    stored = network.injection_buffer + longest * network.switch_buffer + network.core_buffer
    return stored + 1
