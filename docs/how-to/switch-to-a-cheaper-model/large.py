"""The model that stands: wrong in about 5 of 100 cases."""

from answers import drawn, serve

serve(lambda case: drawn(case, "hard") < 5, tokens=1900)
