"""The version of the evaluator."""

EVALUATOR_VERSION = 2
"""An integer, part of the board key. Raised whenever any input could get another verdict.

2: decision `any_call`; matching, other writings, further calls, decision `ask`; faults and sentences (CHANGELOG).
"""
