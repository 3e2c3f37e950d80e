"""`python -m tests.benchmarks [NAME ...]`: run the measurements and print their ratios."""

from __future__ import annotations

import sys

from tests.benchmarks import evaluating, startup

MEASUREMENTS = {"startup": startup.measure, "evaluating": evaluating.measure}

for name in sys.argv[1:] or MEASUREMENTS:
    print(MEASUREMENTS[name]().line(), flush=True)
