"""Whatever is wrong on a command line: one line that says what to mend, exit code 2, no file."""

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Call, refused

MESH = 'kind = "mesh"\nwidth = 2\nheight = 2\n'
ALL = '[[group]]\nid = 1\nmembers = "all"\n'
GIVEN = {
    "file": "",
    "brace.json": "{",
    "none.json": "{}",
    "two.txt": "a b\nc d\n",
    "apart.csv": "a b\nc d\n",
    "row.toml": 'name = "row"\n[network]\nkind = "static"\nwidth = 6\nheight = 1\n',
    "none.toml": f'name = "none"\n[network]\n{MESH}[[group]]\nid = 1\nmembers = [[0, 0]]\n',
    "paper.toml": 'name = "paper"\n[network]\nkind = "irregular"\nports = 6\nsetup = "paper"\n'
    f"random = {{ switches = 7, nodes = 16, connectivity = 0.75, seed = 1 }}\n{ALL}",
    "watched.toml": f'name = "watched"\n[network]\n{MESH}groups = 1\nwatchdog = 32\n{ALL}',
}
"""Files that some of the commands name."""

REFUSED = {
    "build": [
        ("fig1 -o file/out", "output folder file/out cannot be written:"),
        ("fig1 -o /proc/out", "output folder /proc/out cannot be written:"),
        ("fig1", "missing option '-o' / '--output'"),
        ("mesh-2x2 -o out --front spi", "front 'spi' is not known; it must be one of axi, uart"),
        ("mesh-2x2 -o out --front axi --meters 17", "meters = 17: it must be 0..16"),
        (
            "mesh-2x2 -o out --front uart --bit-cycles 3",
            "bit cycles = 3: a bit of the UART takes 4 or",
        ),
        ("-o out router-engine --front axi", "front: router-engine is a block, and fronts are for"),
        ("-o out router-engine --set width", "set: it must be NAME=VALUE, as data_bits=8, not "),
        ("-o out router-engine --set data_bits=40", "data_bits must be 0 to 32, not 40"),
        ("-o out router-engine --set counters=maybe", "counters must be true or false, not "),
        ("-o out router-engine --set kind=static", "set: kind is fixed in router-engine; take a"),
        ("-o out mesh-2x2 --set width=3", "set: it is for blocks; write the keys of a network"),
        (
            "reflex-2x2 -o out --prefix a-b",
            "prefix = 'a-b' must be letters, digits and _, a letter first",
        ),
        (
            "reflex-ring-agent -o out --prefix a-b",
            "prefix = 'a-b' must be letters, digits and _, a letter first",
        ),
    ],
    "run": [
        ("fig1 -o file", "output folder file cannot be written:"),
        ("fig1 --log file/x.csv", "log file/x.csv cannot be written:"),
        ("fig1 --log x.txt", "log x.txt: its name must end in .csv"),
        ("fig1 --heat file/x.svg", "picture file/x.svg cannot be written:"),
        ("fig1 --heat x.gif", "picture x.gif: its name must end in .svg or .png"),
        ("fig1 --sim vcs", "sim must be one of verilator, icarus, model, not 'vcs'"),
        (
            "fig1 --long --log x.csv -o out",
            "long runs under verilator alone, without waves, log, heat, churn and jitter",
        ),
        (
            "churn-mesh --long --churn 3 -o out",
            "long runs under verilator alone, without waves, log, heat, churn and jitter",
        ),
        ("churn-mesh --churn -1 -o out", "churn must be 0 or more, not -1"),
        (
            "fig1 --long --jitter 0 -o out",
            "long runs under verilator alone, without waves, log, heat, churn and jitter",
        ),
        ("fig1 --jitter -1", "jitter must be 0..100,000 cycles, not -1"),
        (
            "wires-16x16 --background 0.1 -o out",
            "background = 0.1 does not go with channels = 0: a network without them carries no "
            "packets; leave background out, or set channels in [network]",
        ),
        (
            "wires-16x16 --long --background 0.1 -o out",
            "background = 0.1 does not go with channels = 0:",
        ),
        ("fig1 --episodes 0", "episodes must be 1 or more, not 0"),
        ("fig1 --seed -1", "seed must be 0..4294967295, not -1"),
        ("fig1 --background 1.5", "background must be 0 to 1 flits a node a cycle, not 1.5"),
        ("fig1 --background nan", "background must be 0 to 1 flits a node a cycle, not nan"),
        ("fig1 --episodes x", "invalid value for '--episodes'"),
        (
            "paper.toml --churn 5 -o out",
            'churn: groups of paper are not set up by software with setup = "paper"; set setup = '
            '"manager" or "local" in [network]',
        ),
    ],
    "plan": [
        ("fig1 --draw x.gif", "picture x.gif: its name must end in .svg or .png"),
        ("fig1 --draw file/x.png", "picture file/x.png cannot be written:"),
        ("", "missing argument 'NET'"),
        ("fig1 --depth", "no such option: --depth"),
        ("cluster-300 --draw trees.svg", "picture trees.svg: an irregular network of 300 switches"),
    ],
    "pla": [
        ("", "no such command 'pla'"),
    ],
    "board": [
        ("mesh-2x2", "give the --port of a board, or --simulate one"),
        ("mesh-2x2 --port x --simulate", "give the --port of a board, or --simulate one"),
        ("mesh-2x2 --port none", "port none cannot be opened: No such file or directory"),
        ("mesh-2x2 --simulate --episodes 0", "episodes must be at least 1, not 0"),
        ("mesh-2x2 --simulate --traffic 2", "traffic must be 0..1 flits a node a cycle"),
        ("mesh-16x16 --serve", "nodes = 256: a simulated board has at most 64; syncfabric"),
    ],
    "campaign": [
        ("campaign-mesh --faults 0", "faults must be 1..10,000,000, not 0"),
        ("campaign-mesh --seed -1", "seed must be 0..4294967295, not -1"),
        ("campaign-mesh --first -1", "first must be 0 or more, not -1"),
        (
            "campaign-mesh --kinds flip,rust",
            "kinds: 'rust' is none that campaign-mesh knows; it knows flip, drop, credit, dead, "
            "absent, forged, spurious, setup, write, renew, flips, posed",
        ),
        (
            "campaign-static --kinds forged",
            "kinds: 'forged' is none that campaign-static knows; it knows flip, drop, credit, "
            "dead, absent",
        ),
    ],
    "recover": [
        ("churn-mesh", "give either --without"),
        ("churn-mesh --without 1,1 --move 1:0,0-1,1", "give either --without"),
        ("churn-mesh --without 9,9", "outside the 4x4 mesh"),
        ("churn-mesh --without 1,1-3,3", "no neighbours"),
        ("churn-mesh --move x", "is no move"),
        ("churn-mesh --move 9:0,0-1,1", "there is no group 9"),
        ("churn-mesh --move 2:0,0-0,1", "is no member of group 2"),
        ("churn-mesh --move 2:1,0-9,9", "there is no node (9, 9)"),
        ("churn-mesh --move 2:1,0-1,1", "is a member already"),
        ("churn-mesh --without 1,1 --at 0", "--at must be 1 to"),
        ("churn-mesh --without 1,1 --timeout -1", "--timeout must be 1 to"),
        ("churn-mesh --without 1,1 --sim icarus", "under verilator or model"),
        ("wires-both --without 1,1", "a recovery"),
        ("churn-mesh --without 1,1", "set check_bits = 8 in [network]"),
        ("campaign-mesh --without 0,0-1,0 --without 0,0-0,1", "cannot be reached from"),
    ],
    "reproduce": [
        ("", "name an experiment, or all; --list shows them"),
        ("evo-tabel2", 'unknown experiment "evo-tabel2"; did you mean "evo-table2"?'),
        ("evo-table2 --seeds 0", "invalid value for '--seeds'"),
        ("evo-table2 --seed -1", "invalid value for '--seed'"),
        ("evo-table2 --time-limit 0", "--time-limit: it must be above 0 seconds, not 0"),
        ("evo-table2 --time-limit nan", "--time-limit: it must be above 0 seconds"),
        ("evo-table2 --time-limit inf", "--time-limit: it must be above 0 seconds"),
        ("evo-table4 --seeds 3", "--seeds: evo-table4 has no runs to choose"),
        ("evo-table4 --time-limit 3", "--time-limit: nothing in evo-table4 is cut off"),
        ("evo-table4 -o file", "output folder file"),
    ],
    "schedule": [
        ("octagon-8 AAS --steps 3", "steps: 3 is below the lower bound 4: "),
        ("octagon-9 AAS", 'topology: size of "octagon-9" must be a multiple of 4'),
        ("none.csv AAS", "none.csv: no such file; check the path"),
        ("apart.csv AAS", "apart.csv: topology apart: it is not connected"),
        ("octagon-8 AAT", 'collective: unknown "AAT"; did you mean'),
        ("octagon-8 OAS --senders 8", "sender 8 is not in topology octagon-8"),
        ("octagon-8 OAS --senders ''", '--senders: "" is no node'),
        ("octagon-8 OAS --senders 3-1", "--senders: range 3-1 is empty"),
        ("octagon-8 MNS --receivers 1,x", '--receivers: "x" is no node'),
        ("octagon-8 MNS --senders 1,1", "node 1 is there twice in senders"),
        ("octagon-8 AAS --senders 1", "senders must be all nodes"),
        ("octagon-8 AAS --ports 0", "ports must be 1 or more"),
        ("octagon-8 AAS --ports many", "--ports: it must be a number from 1, or all"),
        ("octagon-8 AAS --one-port strikt", '--one-port: unknown "strikt"; did you'),
        ("octagon-8 AAS --switching worm", '--switching: unknown "worm"'),
        ("octagon-8 AAS --method hgas", 'method: unknown "hgas"; did you mean'),
        ("octagon-8 AAS --time-limit 0", "time limit: it must be above 0"),
        ("octagon-8 AAS --time-limit nan", "time limit: it must be above 0"),
        ("octagon-8 AAS --checkpoint c", "checkpoint: it is of one run; give method"),
        ("octagon-8 AAS --islands 0", "invalid value for '--islands'"),
        ("octagon-8 AAS --nonminimal -1", "invalid value for '--nonminimal'"),
        ("octagon-8 permutation", "give the permutation"),
        ("octagon-8 AAS --permutation shuffle", "it takes no permutation"),
        ("octagon-8 AAS -o no/s.json", "its folder is not there"),
        ("octagon-8 AAS --draw s.pdf", "must end in .svg or .png"),
        ("torus-32x32 AAS --draw s.svg", "has 4,096 channels; pictures go up to"),
    ],
    "schemes": [
        ("nosuch", '"nosuch" is neither a network file nor a ready-made network'),
        ("fig1 --group 9", "--group: fig1 has no group 9; it has 1"),
        ("fig1 --group 1 --members all", "--members takes the place of groups"),
        ("row.toml", "row has no groups; give --members, as --members all"),
        ("fig1 --members '[[9, 9]]'", "--members: member (9, 9) is outside the 8x8 mesh"),
        ("fig1 --members '[[1,1],[1,1]]'", "--members: member (1, 1) is listed twice"),
        ("fig1 --members '[]'", "--members: members is empty"),
        ("fig1 --members some", "--members must be a list of nodes [x, y]"),
        ("fig1 --members '{random=99, seed=1}'", "--members: random = 99 is more than"),
        ("fig1 --scheme btmm", '--scheme: unknown scheme "btmm"; did you mean "btm"?'),
        ("fig1 --scheme btin", "--scheme: btin is for irregular networks, and this one is"),
        ("fig1 --set t_x=1", '--set: unknown time "t_x"; did you mean "t_'),
        ("fig1 --set t_s=-1", "--set t_s: it must be 0 to 100,000 for btm, not -1"),
        ("fig1 --set t_s=long", '--set t_s: it must be a number, not "long"'),
        ("fig1 --scheme btm --set L=1", '--set: unknown time "L"'),
        ("fig1 --preset cray", '--preset: unknown machine "cray"; known are infiniband'),
        ("fig1 --scheme btm --preset tile64", "--preset: none of these schemes"),
        ("fig1 --sweep t_rm", "--sweep: it must be NAME=FROM:TO:STEP, as t_rm=20:60:10"),
        ("fig1 --sweep t_rm=1:2", "--sweep: it must be NAME=FROM:TO:STEP"),
        ("fig1 --sweep t_rm=5:1:1", "--sweep t_rm: FROM must not be above TO"),
        ("fig1 --sweep t_rm=1:5:0", "--sweep t_rm: FROM must not be above TO, and STEP"),
        ("fig1 --sweep t_rm=0:nan:1", "--sweep t_rm: FROM must not be above TO"),
        ("fig1 --sweep t_rm=0:1e9:1", "--sweep t_rm: more than 1,000 values"),
        ("fig1 --sweep t_rm=0:20000:100", "--sweep t_rm: it must be 0 to 10,000 for btm"),
        ("fig1 --sweep tt=0:2:1", '--sweep: unknown time "tt"'),
        ("fig1 --draw x.pdf", "picture x.pdf: its name must end in .svg or .png"),
        ("fig1 --draw file/x.svg", "output file file/x.svg cannot be written"),
        ("fig1 -o file/x.csv", "output file file/x.csv cannot be written"),
    ],
    "soak": [
        ("mesh-4x4 --episodes 0", "episodes must be 1 or more, not 0"),
        ("mesh-4x4 --seed -1", "seed must be 0..4294967295, not -1"),
        ("mesh-4x4 --jitter -1", "jitter must be 0..5,000 cycles, not -1"),
        ("mesh-4x4 --jitter 5001", "jitter must be 0..5,000 cycles, not 5001"),
        ("mesh-4x4 --lifetime 0", "lifetime must be 1 barrier or more, not 0"),
        (
            "mesh-4x4 --inject 'drop one'",
            "inject must be KIND PLACE CYCLE [REGISTER], with KIND one of drop, credit, dead, "
            "release, not 'drop one'",
        ),
        (
            "none.toml",
            "none.toml: none has nothing to soak: no group of two members or more; add a "
            "[[group]] to the network file",
        ),
        (
            "paper.toml",
            'paper.toml: setup = "paper" is not soaked: there software sets groups up once, by '
            'packets, and tears none down; set setup = "manager" or "local" in [network]',
        ),
        (
            "watched.toml --jitter 60",
            "jitter = 60: the watchdog may release members that are more than … cycles apart; set"
            " a smaller jitter, or a greater watchdog in [network]",
        ),
    ],
    "bcast": [
        ("--ranks 1", "--ranks: a broadcast takes 2 or more, not 1"),
        ("", "--ranks: a broadcast takes 2 or more, not 1"),
        ("--ranks 3 --strategy pth", '--strategy: unknown "pth"; did you mean "path"?'),
        ("--ranks 3 --slow 0-3:2@1", "--slow: there is no rank 3; they are 0 to 2"),
        ("--ranks 3 --leave 0@1", "--leave: rank 0 is the root, which is always there"),
        ("--ranks 3 --kill 1@x", '--kill: "1@x" is not RANK@ROUND, as 3@5'),
        (
            "--ranks 8 --slow path:200@1",
            "--timeout: 2 s, but with these latencies an answer may take 2.4 s",
        ),
    ],
    "report": [
        ("-o page.html", "report: name networks, results of `run --json`, schedules"),
        ("mesh-2x2", "missing option '-o' / '--output'"),
    ],
    "topologies": [
        ("two.txt", "two.txt: topology two: it is not connected: node 2 cannot be reached"),
        ("octagon", 'topology: size of "octagon" must be a multiple of 4'),
        ("none.txt", "none.txt: no such file; check the path"),
    ],
    "check": [
        ("brace.json", "brace.json: line 1, column 2: not JSON"),
        ("none.json", 'none.json: schedule: format must be "syncfabric-schedule/1"'),
        ("there/none.json", "there/none.json: no such file; check the path"),
    ],
    "replay": [
        ("away.json", "away.json: no such file; check the path"),
    ],
}
"""By command its words, and the error's text, in which … stands for anything."""


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [(command, words, said) for command, rows in REFUSED.items() for words, said in rows],
)
def test_is_refused(call: Call, here: Path, command: str, words: str, message: str) -> None:
    for name, text in GIVEN.items():
        (here / name).write_text(text)
    refused(call(*filter(None, [command]), *shlex.split(words)), message)
    assert {path.name for path in here.iterdir()} == GIVEN.keys()
