"""The experiments of paper ADAPT, and some that go beyond it."""

from syncfabric.sim.reproduce.experiment import Axes, Experiment

__all__ = ["ADAPT"]

FACTOR = "cost factor: hops added to one link"
FARTHEST = "greatest distance between two nodes, hops"
CURVES = "The text of the paper gives no numbers of its curves"
CHURN = (
    Axes(FARTHEST, "mean cost of a tree, hops"),
    Axes(FARTHEST, "cost over that without swaps", prefix="over no swaps, "),
)
MEASURES = ("path cost", "time at 0.1 µs a unit", "time at 10 µs a unit")


def beyond(words: str) -> tuple[Axes, ...]:
    """Return axes for each measure, in the unit of what it is compared with."""
    return tuple(Axes(FACTOR, f"{name}, {words}", prefix=f"{name}, ") for name in MEASURES)


ADAPT = (
    Experiment(
        "adapt-fig7",
        "gain of the four ways to swap nodes after a link of a broadcast tree got slower",
        "paper ADAPT, Fig. 7",
        "adapt.swaps:gains",
        runs=1000,
        axes=(Axes(FACTOR, "mean gain, share of the increased cost"),),
        caption=f"{CURVES}: only the highest gain at factor 40.",
    ),
    Experiment(
        "adapt-fig8",
        "steps and benefit of the four ways to swap nodes",
        "paper ADAPT, Fig. 8",
        "adapt.swaps:steps",
        runs=1000,
        axes=(
            Axes(FACTOR, "mean steps: swaps tried", None, 10, prefix="steps of "),
            Axes(FACTOR, "benefit: mean gain a step", prefix="benefit of "),
        ),
        caption=f"{CURVES}.",
    ),
    Experiment(
        "adapt-fig9",
        "cost of trees after 1000 joins and leaves, searching down to their initial cost",
        "paper ADAPT, Fig. 9",
        "adapt.churn:to_the_initial_cost",
        runs=100,
        axes=CHURN,
        caption=f"{CURVES}, but the words: nearly half of the cost without swaps.",
    ),
    Experiment(
        "adapt-fig9-before",
        "cost of trees after 1000 joins and leaves, searching down to the cost before each event",
        "paper ADAPT, Fig. 9",
        "adapt.churn:to_the_cost_before",
        runs=100,
        axes=CHURN,
        caption=f"{CURVES}, but the words: nearly half of the cost without swaps.",
    ),
    Experiment(
        "adapt-rebuild",
        "swaps against rebuilding the tree, in path cost and in time under LogGP",
        "beyond paper ADAPT",
        "adapt.beyond:rebuild",
        runs=100,
        axes=beyond("over a rebuilt tree"),
        caption="Not in the paper.",
    ),
    Experiment(
        "adapt-optimum",
        "swaps and rebuilding against the best tree of 16 nodes, in path cost and under LogGP",
        "beyond paper ADAPT",
        "adapt.beyond:optimum",
        runs=100,
        axes=beyond("over the best tree"),
        caption="Not in the paper.",
    ),
    Experiment(
        "adapt-million",
        "processor time of an event and its swap by Path on a tree of a million nodes",
        "beyond paper ADAPT",
        "adapt.million:million",
        runs=1000,
        caption="Not in the paper.",
    ),
)
