"""What the contract harness answers for every contract: valid, of one invented world, true where it is computed."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Call
from fcbench.core.names import Digest, JsonObject, JsonValue, ToolName
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema
from fcbench.core.synthetic import synthetic_result
from fcbench.errors import BadInputError, UnavailableError
from fcbench.harnesses.answers import Answerer, SyntheticTools
from fcbench.providers.base import Reply, ReplyCall
from fcbench.registry import load_registries
from fcbench.workbench.pure import computed_answer, is_answered

SAMPLES = 12
PLACES = {"rhaB": (54602, 56071, "+"), "rhaN": (55120, 55410, "-"), "rhaS": (56359, 57195, "+")}
"""The invented genes of the genomics contracts."""
SEQUENCE = "SYN00001.1"
NO_DIGEST = Digest("0" * 64)


@cache
def contracts(registry: str) -> dict[ToolName, ToolContract]:
    return dict(load_registries(Path(__file__).parents[2] / "tools_registry")[registry].contracts)


GENOMICS = [pytest.param(one, id=name) for name, one in contracts("genomics").items()]
EVERY = [*GENOMICS, *(pytest.param(one, id=name) for name, one in contracts("complex-schema").items())]


def calls(contract: ToolContract) -> Iterator[JsonObject]:
    """Valid arguments: drawn ones, and one value at the edge of its schema at a time."""
    for seed in range(SAMPLES):
        arguments = sample(contract.parameters, random.Random(seed))
        assert isinstance(arguments, dict)
        yield arguments
    check = compile_schema(contract.parameters)
    base = plain(contract)
    for name, schema in contract.properties.items():
        for value in edges(schema):
            if check.is_valid({**base, name: value}):
                yield {**base, name: value}


def plain(contract: ToolContract) -> JsonObject:
    """Valid arguments, as few as there may be."""
    arguments = None
    for chance in (0.0, 0.5):  # an object that needs some of its optional keys is not met by none
        with contextlib.suppress(BadInputError):
            arguments = arguments or sample(contract.parameters, random.Random(1), optional=chance)
    return arguments if isinstance(arguments, dict) else {}


def edges(schema: JsonValue) -> Iterator[JsonValue]:
    assert isinstance(schema, dict)
    yield from (schema[key] for key in ("minimum", "maximum") if key in schema)
    if isinstance(schema.get("minimum"), int):
        yield float(str(schema["minimum"]))  # 1.0 is an integer in JSON Schema
    yield from (value for values in (schema.get("enum"),) if isinstance(values, list) for value in values)
    items, least, most = schema.get("items"), schema.get("minItems"), schema.get("maxItems")
    for count in (least, most):
        if isinstance(count, int) and isinstance(items, dict) and "$ref" not in json.dumps(items):
            yield [sample(items, random.Random(number)) for number in range(count)]
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and "{" in pattern and "ACGT" in pattern:
        yield from ("ACGT" * (count // 4) for count in (4, 20, 60, 100, 200, 500, 2000))


def objects(value: JsonValue, place: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Every object of an answer with its place."""
    if isinstance(value, dict):
        yield place, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from objects(child, f"{place}/{key}")


def contradictions(contract: ToolContract, arguments: JsonObject, answer: JsonValue) -> Iterator[str]:
    """Where an answer contradicts itself, the call or the invented world."""
    synthetic = contract.synthetic
    of_the_call = {
        place.rpartition("/")[0]
        for place in (*synthetic.echo, *synthetic.derived)
        if place.endswith(("/start", "/end"))
    }
    for place, found in objects(answer):
        # A call may name a range that ends before it starts, or move one end alone; the answer shows what came.
        told = place in of_the_call or any(place.startswith(f"{each}/") for each in synthetic.repeated)
        if not told:
            yield from (f"{place}: {each}" for each in misplaced(found))
        letters, length = found.get("sequence"), found.get("length")
        if (
            isinstance(letters, str)
            and isinstance(length, int)
            and not found.get("truncated")
            and len(letters) != length
        ):
            yield f"{place}: {len(letters)} letters are not {length}"
        lists = [each for each in found.values() if isinstance(each, list)]
        if "count" in found and len(lists) == 1 and found["count"] != len(lists[0]):
            yield f"{place}: a count of {found['count']} over a list of {len(lists[0])}"
        if found.get("sequence_id", SEQUENCE) not in (SEQUENCE, arguments.get("sequence_id")):
            yield f"{place}: the sequence {found['sequence_id']}"


def misplaced(found: JsonObject) -> Iterator[str]:
    """A range that ends before it starts, has another length, or is that of an invented gene on the other strand."""
    start, end, length = found.get("start"), found.get("end"), found.get("length")
    if not isinstance(start, int) or not isinstance(end, int):
        return
    if start > end:
        yield f"starts at {start} and ends at {end}"
    bases = end - start + 1
    if isinstance(length, int) and length not in (bases, bases // 3 - 1):  # of the protein, without its stop
        yield f"{start} to {end} are not {length}"
    known = PLACES.get(str(found.get("gene", found.get("name"))))
    if known and start == known[0] and (end, found.get("strand", known[2])) != known[1:]:
        yield f"a gene of the invented world ends at {end} on {found.get('strand')}"


@pytest.mark.parametrize("contract", EVERY)
def test_every_valid_call_is_answered_inside_the_result_schema(contract: ToolContract) -> None:
    tools, returns = SyntheticTools(computed_answer), compile_schema(contract.returns)
    for arguments in calls(contract):
        result = tools.run(contract, arguments)
        assert result.provenance == ("computed" if contract.synthetic.computed else "synthetic")
        assert result.engine is None, "an answer that names no engine is the same whichever is installed"
        if result.status == "error":
            assert contract.synthetic.computed, "only a real function may refuse valid arguments"
            continue
        assert not returns.violations(result.content), (arguments, result.content)
        assert result == tools.run(contract, arguments), "the answer depends on the call alone"
        assert not returns.violations(synthetic_result(contract, arguments)), "golden runs have another answer"


@pytest.mark.parametrize("contract", GENOMICS)
def test_no_answer_contradicts_itself_the_call_or_the_invented_world(contract: ToolContract) -> None:
    tools = SyntheticTools(computed_answer)
    for arguments in calls(contract):
        result = tools.run(contract, arguments)
        if result.status == "ok":
            assert not list(contradictions(contract, arguments, result.content)), (arguments, result.content)


@pytest.mark.parametrize("contract", EVERY)
def test_calls_that_are_not_valid_or_not_offered_get_an_error_result(contract: ToolContract) -> None:
    wrong: list[tuple[str, str]] = [
        ("[1]", "invalid_json"),
        ('{"a": 1, "a": 2}', "invalid_json"),
        ("{", "invalid_json"),
    ]
    wrong += [(json.dumps(each), "invalid_arguments") for each in broken(contract)]
    for text, code in wrong:
        assert answered(contract, contract.name, text) == ("invalid", code), text
    base = plain(contract)
    assert answered(contract, "not_" + contract.name, json.dumps(base)) == ("not_offered", "unknown_function")
    assert answered(contract, contract.name, json.dumps(base))[0] in ("ok", "error")


def broken(contract: ToolContract) -> Iterator[JsonObject]:
    """Arguments that break the schema: a key more, one less, a wrong type."""
    base = plain(contract)
    yield {**base, "surplus": 1}
    for name in contract.required:
        yield {key: value for key, value in base.items() if key != name}
    for name in contract.properties:
        yield {**base, name: {"no": "such type"}}


def answered(contract: ToolContract, name: str, text: str) -> tuple[str, str | None]:
    answerer = Answerer({contract.name: contract}, SyntheticTools(computed_answer))
    called = ReplyCall(id="1", name=name, raw_arguments=text)
    reply = Reply(calls=(called,), finish_reason="tool_calls", request_sha256=NO_DIGEST, reply_sha256=NO_DIGEST)
    (made,) = answerer.answer(reply, 1, 8)
    return made.result.status, code_of(made)


def code_of(call: Call) -> str | None:
    content = call.result.content
    return str(content["code"]) if call.result.status not in ("ok",) and isinstance(content, dict) else None


def ask(tool: str, **arguments: JsonValue) -> Any:
    contract = contracts("genomics")[ToolName(tool)]
    assert compile_schema(contract.parameters).is_valid(arguments)
    return SyntheticTools(computed_answer).run(contract, arguments).content


def test_the_tools_speak_of_one_gene() -> None:
    coding, protein = ask("get_coding_sequence", gene_name="rhaB"), ask("get_protein_sequence", gene_name="rhaB")
    assert ask("translate_dna", sequence=coding["sequence"])["protein"] == protein["sequence"] + "*"
    found = ask("get_gene_details", gene_name="rhaB")
    for tool, key in (
        ("search_gene_by_name", "name"),
        ("select_gene", "gene_name"),
        ("get_protein_record", "accession"),
    ):
        told = ask(tool, **{key: "rhaB"})
        told = told["genes"][0] if "genes" in told else told
        assert (told["start"], told["end"], told.get("strand", "+")) == (found["start"], found["end"], found["strand"])
    assert coding["length"] == found["length"] == found["end"] - found["start"] + 1
    numbers = ask("protein_properties", gene_name="rhaB")
    mass = ask("molecular_weight", sequence=protein["sequence"], molecule="protein")["molecular_weight"]
    assert (numbers["length"], numbers["molecular_weight"]) == (protein["length"], mass)
    assert protein["sequence"] == ask("get_uniprot_entry", uniprot_id="P90001")["sequence"]
    ends = ask("get_upstream_sequence", gene_name="rhaB", length=30)
    assert (ends["start"], ends["end"]) == (found["start"] - 30, found["start"] - 1)
    assert len(ends["sequence"]) == 30
    motif = ask("find_protein_motifs", pattern="CPTCHGSG")["matches"][0]
    assert protein["sequence"][motif["start"] - 1 : motif["end"]] == motif["matched"]


def test_letters_that_are_shown_of_the_gene_are_those_of_its_coding_sequence() -> None:
    first, letters = PLACES["rhaB"][0], ask("get_coding_sequence", gene_name="rhaB")["sequence"]
    shown = [(one["start"], one["sequence"]) for one in (ask("get_selection"), ask("get_clipboard"))]
    guide = ask("find_crispr_guides", start=54602, end=56071)["guides"][0]
    shown.append((guide["start"], guide["guide"] + guide["pam"]))
    shown += [(one["position"], one["ref"]) for one in ask("list_variants")["variants"] if one["gene"] == "rhaB"]
    for start, bases in shown:
        assert letters[start - first :].startswith(bases), (start, bases)


def test_a_call_for_several_genes_is_answered_gene_by_gene() -> None:
    names = ["thrA", "thrB", "thrC"]
    found = ask("get_multiple_coding_sequences", gene_names=names)
    assert (found["count"], [one["gene"] for one in found["sequences"]]) == (3, names)
    made = ask(
        "create_annotations_batch",
        annotations=[
            {"name": name, "feature_type": "promoter", "start": at, "end": at + 9} for at, name in enumerate(names, 1)
        ],
    )
    assert [(one["annotation_id"], one["name"], one["start"]) for one in made["annotations"]] == [
        ("ann-1", "thrA", 1),
        ("ann-2", "thrB", 2),
        ("ann-3", "thrC", 3),
    ]


def test_contracts_say_that_they_are_computed_exactly_where_a_pure_function_answers() -> None:
    said = {name for name, one in contracts("genomics").items() if one.synthetic.computed}
    assert said == {name for name, one in contracts("genomics").items() if is_answered(one)}


def test_a_contract_that_no_function_answers_is_a_plain_error() -> None:
    contract = contracts("genomics")[ToolName("reverse_complement")]
    with pytest.raises(UnavailableError, match="computed"):
        SyntheticTools().run(contract, {"sequence": "ACGT"})
