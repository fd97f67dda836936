"""The experiments of paper ADAPT, and some that go beyond it."""

from syncfabric.sim.reproduce.experiment import Axes, Experiment

__all__ = ["ADAPT"]

FACTOR = "cost factor"
FARTHEST = "greatest distance"

ADAPT = (
    Experiment(
        "adapt-fig7",
        "gain of the four ways to swap nodes after a link of a broadcast tree got slower",
        "paper ADAPT, Fig. 7",
        "adapt.swaps:gains",
        runs=1000,
        axes=Axes(FACTOR, "mean gain"),
    ),
    Experiment(
        "adapt-fig8",
        "steps that they take, and their benefit",
        "paper ADAPT, Fig. 8",
        "adapt.swaps:steps",
        runs=1000,
        axes=Axes(FACTOR, "steps, and benefit", up_base=10),
    ),
    Experiment(
        "adapt-fig9",
        "cost of trees after 1000 joins and leaves, searching down to their initial cost",
        "paper ADAPT, Fig. 9",
        "adapt.churn:to_the_initial_cost",
        runs=100,
        axes=Axes(FARTHEST, "mean cost of a tree"),
    ),
    Experiment(
        "adapt-fig9-before",
        "the same, searching down to the cost before each event, as the paper's text says",
        "paper ADAPT, Fig. 9",
        "adapt.churn:to_the_cost_before",
        runs=100,
        axes=Axes(FARTHEST, "mean cost of a tree"),
    ),
    Experiment(
        "adapt-rebuild",
        "swaps against rebuilding the tree, in path cost and in time under LogGP",
        "beyond paper ADAPT",
        "adapt.beyond:rebuild",
        runs=100,
        axes=Axes(FACTOR, "over a rebuilt tree"),
    ),
    Experiment(
        "adapt-optimum",
        "swaps and rebuilding against the best tree of 16 nodes, in path cost and under LogGP",
        "beyond paper ADAPT",
        "adapt.beyond:optimum",
        runs=100,
        axes=Axes(FACTOR, "over the best tree"),
    ),
    Experiment(
        "adapt-million",
        "processor time of an event and its swap by Path on a tree of a million nodes",
        "beyond paper ADAPT",
        "adapt.million:million",
        runs=1000,
    ),
)
