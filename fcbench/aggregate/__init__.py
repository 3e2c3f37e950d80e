"""Aggregate: from packages and verdicts to tables, one board at a time. Everything that uses polars begins here.

The modules are imported by name, so that `import fcbench.aggregate` loads no polars:

- `verdict_files`: `write_verdicts`, `read_verdicts`, `verdict_records`, `verdict_files`, `compare_rows`, `flipped`
- `frames`: `Scored`, `latest_verdicts`, `verdict_frame` - one row for each planned (case, repeat) of a tier
- `boards`: `boards`, `single_board` - rows of two boards are never pooled
- `intervals`: `wilson`, `lower_bound`, `upper_bound`, `cases_needed`
- `metrics`: the expressions behind every number
- `tables`: `board_table`, `segment_table`, `fault_table`, `flat` (for CSV)
- `streamed`: `board_tables` - all tables of one board in one pass over its packages
- `trend`: `trend_table`, `regressions` - the runs of one board over time, and where a later one does worse
"""
