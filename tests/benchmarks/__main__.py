"""`python -m tests.benchmarks [NAME ...]`: run the measurements and print what they found.

Without a name all but the long ones are run: `evaluator-compiled` compiles first, `evaluator-memory` judges a million
records, `export` exports a million attempts, the `aggregate` ones write and read up to ten million rows,
the `site` ones build up to 20,000 pages three times.
"""

from __future__ import annotations

import sys

from tests.benchmarks import (
    aggregate,
    aggregate_inspect,
    compiled,
    engine,
    evaluating,
    evaluator,
    export,
    site,
    startup,
)

MEASUREMENTS = {
    "aggregate": aggregate.measure,
    "aggregate-growth": aggregate.growth,
    "aggregate-inspect": aggregate_inspect.measure,
    "aggregate-memory": aggregate.memory,
    "aggregate-pandas": aggregate.pandas,
    "site": site.measure,
    "site-plain": site.plain,
    "startup": startup.measure,
    "evaluating": evaluating.measure,
    "engine": engine.measure,
    "engine-memory": engine.memory,
    "export": export.memory,
    "evaluator": evaluator.measure,
    "evaluator-compiled": compiled.measure,
    "evaluator-memory": evaluator.memory,
}
LONG = (
    *("aggregate", "aggregate-growth", "aggregate-inspect", "aggregate-memory", "aggregate-pandas"),
    *("engine-memory", "export", "evaluator-compiled", "evaluator-memory", "site", "site-plain"),
)

for name in sys.argv[1:] or [name for name in MEASUREMENTS if name not in LONG]:
    print(MEASUREMENTS[name]().line(), flush=True)
