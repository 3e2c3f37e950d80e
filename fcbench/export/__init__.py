"""Export: datasets for others.

The modules are imported by name, so that `import fcbench.export` loads neither polars nor pyarrow:

- `hf_dataset`: `export_dataset(sources, output, options)` writes a folder that `datasets.load_dataset` opens
- `rows`: records as rows
- `reading`, `catalogue`, `rebuilding`: a dataset back, every cell compared
"""
