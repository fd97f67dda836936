"""The experiments of paper EVO."""

from syncfabric.sim.reproduce.experiment import Axes, Experiment

__all__ = ["EVO"]

LIMIT = 5.0
"""Seconds of a run, and five times as many an entry: all end in minutes on two processors."""
SIZE = "nodes of the hypercube"

EVO = (
    Experiment(
        "evo-table2",
        "lower bounds, and how often they are reached, on all-port hypercubes",
        "paper EVO, Table 2",
        "evo.table2:table2",
        runs=10,
        time_limit=LIMIT,
        axes=(Axes(SIZE, "runs that reach the lower bound, %", across_base=2),),
        caption="The paper's runs took up to hours; ours end at the limit of a run.",
    ),
    Experiment(
        "evo-table3",
        "AAB and AAS on the 4x4 mesh and the coated mesh",
        "paper EVO, Table 3",
        "evo.table3:table3",
        runs=20,
        time_limit=LIMIT,
    ),
    Experiment(
        "evo-table4",
        "the printed AAS schedule of the Octagon, checked",
        "paper EVO, Table 4",
        "evo.table4:table4",
    ),
    Experiment(
        "evo-table5",
        "many-to-many collectives on the fat Octagon",
        "paper EVO, Table 5",
        "evo.table5:table5",
        time_limit=LIMIT,
    ),
    Experiment(
        "evo-fig7",
        "OAS on the 4x4 mesh, with minimal and with non-minimal paths",
        "paper EVO, Fig. 7",
        "evo.fig7:fig7",
        time_limit=LIMIT,
    ),
    Experiment(
        "evo-fig9",
        "evaluations until HGSA finds AAB on hypercubes",
        "paper EVO, Fig. 9",
        "evo.evaluations:fig9",
        runs=20,
        time_limit=LIMIT,
        axes=(Axes(SIZE, "mean evaluations", across_base=2, up_base=10),),
        caption="The paper's values are in a picture only, not in its text: none are shown.",
    ),
    Experiment(
        "evo-fig10",
        "evaluations until MBOA finds AAS on hypercubes",
        "paper EVO, Fig. 10",
        "evo.evaluations:fig10",
        runs=20,
        time_limit=LIMIT,
        axes=(Axes(SIZE, "mean evaluations", across_base=2, up_base=10),),
        caption="The paper's values are in a picture only, not in its text: none are shown.",
    ),
)
