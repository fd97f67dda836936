"""Run it: see `run`."""

import sys

from tests.mutation.netlist.run import main

sys.exit(main(sys.argv[1:]))
