"""Names on the wire: legal, no two alike, reversible, and the same however the tools are ordered."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.providers.wire_names import WireNames, wire_names
from fcbench.registry import load_registries
from fcbench.workflows.project import find_project

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
close_names = st.text(st.sampled_from("ab_.2é \n\ud800"), max_size=4)
"""Few letters, so that names meet on the wire."""
long_names = st.text(st.sampled_from("._"), min_size=60, max_size=70)
names = st.lists(close_names | long_names | st.text(max_size=80), max_size=12, unique=True)


@given(names, st.randoms(use_true_random=False))
def test_the_mapping_is_legal_injective_reversible_and_stable(offered: list[str], rng: random.Random) -> None:
    sent = wire_names(offered)
    assert set(sent) == set(offered)
    assert all(LEGAL.fullmatch(wire) for wire in sent.values())
    assert len(set(sent.values())) == len(offered)
    assert {name: wire for name, wire in sent.items() if LEGAL.fullmatch(name)} == {
        name: name for name in offered if LEGAL.fullmatch(name)
    }
    wire = WireNames(sent)
    assert [wire.read(wire.sent(name)) for name in offered] == offered
    # What was mapped back is never mapped again: evidence is read by the same rule.
    assert [wire.read(name) for name in offered] == offered
    assert wire_names(rng.sample(offered, len(offered))) == sent


@pytest.mark.parametrize(
    ("offered", "sent"),
    [
        pytest.param(["math.factorial"], ["math_factorial"], id="a dot"),
        pytest.param(["a.b", "a_b", "a b", "a_b_2"], ["a_b_4", "a_b", "a_b_3", "a_b_2"], id="meeting names"),
        pytest.param(["x" * 65, "x" * 64], ["x" * 62 + "_2", "x" * 64], id="too long"),
        pytest.param(["", "naïve"], ["unnamed", "na_ve"], id="empty and foreign"),
    ],
)
def test_a_name_that_providers_refuse_goes_out_changed(offered: list[str], sent: list[str]) -> None:
    found = wire_names(offered)
    assert [found[name] for name in offered] == sent


def test_a_name_that_was_not_sent_stays_as_the_model_wrote_it() -> None:
    wire = WireNames(wire_names(["math.factorial"]))
    assert (wire.read("math_factorial"), wire.read("math factorial")) == ("math.factorial", "math factorial")
    assert wire.sent("never.offered") == "never.offered"


def test_every_name_of_our_own_goes_out_unchanged() -> None:
    for registry in load_registries(find_project().tools_registry).values():
        own = [one.name for one in registry.contracts.values()]
        assert wire_names(own) == dict(zip(own, own, strict=True))
