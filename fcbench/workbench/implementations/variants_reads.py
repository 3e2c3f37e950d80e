"""Loaded variants and what they do to genes. The variants of the fixtures are simulated."""

from __future__ import annotations

from collections import Counter

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.effects import VariantEffect, effect_of
from fcbench.workbench.errors import ToolError
from fcbench.workbench.project import Variant
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.results import listing, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

SHOWN_BASES = 50
"""Letters of an allele that are shown."""
KINDS = ("snv", "mnv", "insertion", "deletion")


@tool("predict_variant_effect")
def predict_variant_effect(session: Session, arguments: Arguments) -> JsonObject:
    """What one change of bases would do to the gene it hits."""
    position, ref, alt = arguments.integer("position"), arguments.text("ref").upper(), arguments.text("alt").upper()
    record, start, end = session.span(position, position + len(ref) - 1, arguments.sequence_id)
    there = record.bases(start, end)
    if there != ref:
        raise ToolError("ref_mismatch", f"{record.id} has {there} at {start} to {end}; not {ref}")
    if ref == alt:
        raise ToolError("bad_argument", f"ref and alt are both {ref}: nothing would change")
    return _effect_item(effect_of(record, position, ref, alt))


@tool("list_variants", provenance="simulated")
def list_variants(session: Session, arguments: Arguments) -> JsonObject:
    """The loaded variants of a sequence, a range or a gene, in order of place."""
    start, end = arguments.optional_integer("start"), arguments.optional_integer("end")
    name = arguments.optional_text("gene_name")
    if (start is None) != (end is None):
        raise ToolError("bad_argument", "a range has both start and end; only one of them was given")
    if name is not None and start is not None:
        raise ToolError("bad_argument", "a gene or a range is listed, not both: gene_name goes without start and end")
    if name is not None:
        record, parts = _gene_stretches(session, name, arguments.sequence_id)
    else:
        whole = session.record(arguments.sequence_id)
        record, first, last = session.span(start or 1, end or whole.length, whole.id)
        parts = [(first, last)]
    found = [
        each
        for each in _variants(session, record)
        if any(each.position <= last and _last(each) >= first for first, last in parts)
    ]
    return listing("variants", [_item(record, each) for each in found], arguments.integer("limit"))


def _gene_stretches(
    session: Session, name: str, sequence_id: str | None
) -> tuple[SequenceRecord, list[tuple[int, int]]]:
    """The record of a gene and the stretches that its entry covers."""
    record, gene = session.gene(name)
    if sequence_id is not None and session.record(sequence_id).id != record.id:
        raise ToolError("bad_argument", f"{gene.name} lies on {record.id}, not on the sequence of the call")
    return record, [(part.start, part.end) for part in gene.main.parts]


@tool("filter_variants", provenance="simulated")
def filter_variants(session: Session, arguments: Arguments) -> JsonObject:
    """The loaded variants of all sequences that meet every condition, in order of place."""
    quality, depth = arguments.number("min_quality"), arguments.integer("min_depth")
    kind, effect = arguments.text("kind"), arguments.text("effect")
    kept = [
        _item(record, each)
        for record, each in _all(session)
        if (not quality or (each.quality is not None and each.quality >= quality))
        and (not depth or (each.depth is not None and each.depth >= depth))
        and kind in ("any", _kind(each))
        and effect in ("any", _effect(record, each).kind)
    ]
    return listing("variants", kept)


@tool("summarize_variants", provenance="simulated")
def summarize_variants(session: Session, arguments: Arguments) -> JsonObject:
    """The loaded variants counted by kind, effect and gene."""
    every = _all(session)
    effects = [_effect(record, each) for record, each in every]
    kinds = Counter(_kind(each) for _, each in every)
    genes = Counter(shown_symbol(effect.gene) for effect in effects if effect.gene)
    return {
        "count": len(every),
        "by_kind": {kind: kinds[kind] for kind in KINDS},
        "by_effect": _counted("effect", Counter(str(effect.kind) for effect in effects)),
        "gene_count": len(genes),
        "by_gene": _counted("gene", genes)[:50],
    }


def _counted(name: str, counts: Counter[str]) -> list[JsonValue]:
    """The most frequent first; of equal ones by name."""
    return [
        {name: each, "count": count} for each, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


def _loaded(session: Session) -> tuple[Variant, ...]:
    records = session.records
    if session.state.variants is None:
        raise ToolError("not_found", f"no variants are loaded for {records[0].id}; a VCF file has to be loaded first")
    return session.state.variants.variants


def _variants(session: Session, record: SequenceRecord) -> list[Variant]:
    """The variants of a sequence, in order of place.

    Raises:
        ToolError: `no_genome`, `not_found` where none are loaded, or `ref_mismatch` where the sequence was edited.
    """
    found = [each for each in _loaded(session) if each.sequence_id == record.id]
    for each in found:
        if record.sequence[each.position - 1 : _last(each)] != each.ref:
            was = f"{each.position} does not hold {each.ref[:50]} any more"
            raise ToolError("ref_mismatch", f"{record.id} was edited since its variants were loaded: {was}")
    return sorted(found, key=lambda each: (each.position, each.ref, each.alt))


def _all(session: Session) -> list[tuple[SequenceRecord, Variant]]:
    return [(record, each) for record in session.records for each in _variants(session, record)]


def _last(variant: Variant) -> int:
    return variant.position + len(variant.ref) - 1


def _kind(variant: Variant) -> str:
    more = len(variant.alt) - len(variant.ref)
    if more:
        return "insertion" if more > 0 else "deletion"
    return "snv" if len(variant.ref) == 1 else "mnv"


def _effect(record: SequenceRecord, variant: Variant) -> VariantEffect:
    return effect_of(record, variant.position, variant.ref, variant.alt)


def _effect_item(effect: VariantEffect) -> JsonObject:
    return {"gene": shown_symbol(effect.gene), "effect": effect.kind, "protein_change": effect.protein_change}


def _item(record: SequenceRecord, variant: Variant) -> JsonObject:
    """A variant as lists show it; a number that the file does not give is left out."""
    numbers = {"quality": variant.quality, "depth": variant.depth, "allele_fraction": variant.allele_fraction}
    return {
        "sequence_id": record.id[:40],
        "position": variant.position,
        "ref": variant.ref[:SHOWN_BASES],
        "alt": variant.alt[:SHOWN_BASES],
        "kind": _kind(variant),
        **{name: value for name, value in numbers.items() if value is not None},
        **_effect_item(_effect(record, variant)),
    }
