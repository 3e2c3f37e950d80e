"""What the tools compute: one module for each category, or several where a category is large.

Each module registers its functions with `fcbench.workbench.tools.tool`; nothing has to be listed here.
"""
