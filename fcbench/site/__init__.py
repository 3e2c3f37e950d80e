"""The static leaderboard site: plain modules that turn data into HTML, and a thin MkDocs plugin around them.

Only `plugin` and `build` import MkDocs. Everything that a model wrote is hostile input here: see `environment`.
"""
