"""The genome workbench: a headless session whose tools compute on real records.

Nothing is imported here: Biopython and its like load only when a session is prepared.
"""
