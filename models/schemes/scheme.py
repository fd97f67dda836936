"""A barrier scheme, and what a group's barrier costs in it."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from syncfabric.models.timing.times import Times

Kind = Literal["mesh", "irregular", "static"]


@dataclass(frozen=True)
class Cost:
    """What the barriers of one group cost; by default those of one member, which waits for none.

    Parameters
    ----------
    setup_messages : int
        Messages sent to set the group up.
    setup_nodes : int
        Nodes or switches that hold something of the group, or took part in its set-up.
    height : int
        Edges from the root to the deepest member; of schemes without a tree, rounds or messages in
        turn.
    latency_ns : float
        Of one barrier, by the formula of the scheme's paper; all arrive together.
    traversals : int
        Links that the messages of one barrier pass, those between node and switch left out.
    """

    setup_messages: int = 0
    setup_nodes: int = 0
    height: int = 0
    latency_ns: float = 0.0
    traversals: int = 0


def checked_cost(_: str, made: object) -> Cost:
    """Return what a scheme's function of another package returned, if it is a cost.

    Raises
    ------
    TypeError
        It is none, or has a field that is no number.
    """
    if not isinstance(made, Cost) or not all(isinstance(x, Real) for x in vars(made).values()):
        raise TypeError(f"it must return a Cost whose fields are numbers, not {made!r}")
    return made


@dataclass(frozen=True)
class Scheme:
    """What can be asked for its cost.

    Parameters
    ----------
    name : str
        As on the command line.
    title : str
        What it does, in a few words.
    place : str
        Where it stands in the paper.
    kinds : tuple of str
        Of the networks that it is for.
    times : type
        Its parameters, a class derived from ``Times``.
    function : callable
        Takes a network of its kinds, its members and the times, and returns a ``Cost``.
    alone : bool
        Whether one member alone costs something, too; else the function has two or more.
    """

    name: str
    title: str
    place: str
    kinds: tuple[Kind, ...]
    times: type[Times]
    function: Callable[[Any, Any, Any], Cost]
    alone: bool = False

    def cost(self, network: Any, members: Any, times: Times | None = None) -> Cost:
        """Return what barriers of these members cost on this network.

        Parameters
        ----------
        network : MeshSpec, IrregularSpec or StaticSpec
        members : sequence of nodes
            As in a network file.
        times : Times, optional
            Of the scheme's own class; its defaults if left out.

        Raises
        ------
        PlanError
            The scheme cannot serve this group on this network.
        """
        if len(members) == 1 and not self.alone:
            return Cost()
        return self.function(network, members, self.times() if times is None else times)


def scheme(
    name: str, title: str, place: str, **more: Any
) -> Callable[[Callable[[Any, Any, Any], Cost]], Scheme]:
    """Return a decorator that makes a ``Scheme`` of the function that works its cost out."""
    return lambda function: Scheme(name, title, place, function=function, **more)
