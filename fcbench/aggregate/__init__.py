"""Aggregate: from packages and verdicts to tables, one board at a time. Everything that uses polars begins here.

The modules are imported by name, so that `import fcbench.aggregate` loads no polars:

- `verdict_files`: `write_verdicts`, `read_verdicts`, `verdict_records`, `verdict_files`, `compare_rows`, `flipped`
- `frames`: `Scored`, `latest_verdicts`, `verdict_frame` - one row for each planned (case, repeat) of a tier
- `boards`: `boards`, `single_board` - rows of two boards are never pooled
- `intervals`: `wilson`, `cluster_robust`, `lower_bound`, `upper_bound`, `cases_needed`
- `cluster`: which cases belong together, and intervals that know it; `bootstrap`: the same once more, by drawing
- `mcnemar`, `sign_flip`, `holm`, `pairwise`, `ranks`: each run of a board against each, and the places they may have
- `paired`, `noninferiority`, `power`: two runs - their difference, good enough, and what cases can show
- `metrics`: the expressions behind every number
- `tables`: `board_table`, `segment_table`, `fault_table`, `flat` (for CSV)
- `streamed`: `board_tables` - all tables of one board in one pass over its packages
- `contrast`, `language`: `axis_contrast`, `language_contrast` - one model on two boards that differ along one axis
- `repeats`: `pass_hat`, `pass_at`; `costs`: what a run and a success cost; `attempts`: what is counted of one attempt
- `trend`: `trend_table`, `regressions` - the runs of one board over time, and where a later one does worse
"""
