"""The evaluator: pure, over core only."""
