"""The cheaper one: right in some cases where the large one is not, and wrong in others, most of them of level L4."""

from answers import drawn, serve

serve(
    lambda case: drawn(case, "hard") < 4 or drawn(case, "small") < (8 if case.oracle.labels.level == "L4" else 1),
    tokens=1900,
)
