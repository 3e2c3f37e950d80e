"""fcbench: how well do language models call functions?"""

__version__ = "0.1.0"

__all__ = ["__version__"]
