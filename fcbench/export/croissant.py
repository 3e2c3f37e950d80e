"""Croissant 1.1 metadata: `croissant.json`, the dataset in the words that catalogues and `mlcroissant` read.

Source: the Croissant format specification, version 1.1 (docs.mlcommons.org/croissant). A record set is a config; its
field `split` comes from the names of the shards. Every shard stands there once more with its SHA-256.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import pyarrow as pa

from fcbench.core.names import JsonObject, JsonValue
from fcbench.export.card import ABOUT, CardFacts, plain
from fcbench.export.parquet import FileFacts

CROISSANT = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
_PARQUET = "application/x-parquet"
_KINDS: dict[pa.DataType, str] = {
    pa.string(): "sc:Text",
    pa.bool_(): "sc:Boolean",
    pa.int32(): "cr:Int32",
    pa.int64(): "cr:Int64",
    pa.float64(): "cr:Float64",
}
_LICENCES = {"apache-2.0": "https://spdx.org/licenses/Apache-2.0", "cc-by-4.0": "https://spdx.org/licenses/CC-BY-4.0"}
_CONTEXT: JsonObject = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""As the specification gives it, so that no reader has to fetch one."""


def croissant_text(
    facts: CardFacts, schemas: Mapping[str, pa.Schema], files: Mapping[str, FileFacts], published: str
) -> str:
    """The text of `croissant.json`.

    Args:
        facts: what the card states too.
        schemas: the Arrow schema of each config that has rows.
        files: every Parquet file by its path below the dataset.
        published: when the newest run was sealed, so that equal packages give equal bytes.
    """
    whole: JsonObject = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": plain(facts.name),
        "description": (
            f"How language models called functions, round by round: {facts.runs} runs with their cases, tools, "
            "verdicts and leaderboards. Every verdict can be recomputed from the evidence here. Not for training."
        ),
        "license": _LICENCES.get(facts.licence, plain(facts.licence)),
        "version": "1.0.0",
        "datePublished": published[:10],
        "keywords": ["function calling", "tool use", "benchmark", "evaluation"],
        "inLanguage": list(facts.languages),
        "citeAs": f"fcbench {plain(facts.fcbench_version)}, {plain(facts.name)}, {published[:10]}",
        "rai:dataUseCases": "Measuring and studying function calling; not training.",
        "rai:dataLimitations": "Numbers hold for one board; results of tools on the contract harness are synthetic.",
        "distribution": [*_distribution(schemas, files)],
        "recordSet": [_record_set(config, schema) for config, schema in sorted(schemas.items())],
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _distribution(schemas: Mapping[str, pa.Schema], files: Mapping[str, FileFacts]) -> Iterator[JsonObject]:
    for config in sorted(schemas):
        yield {
            "@type": "cr:FileSet",
            "@id": f"files-{config}",
            "name": f"files-{config}",
            "description": f"The shards of {config}.",
            "encodingFormat": _PARQUET,
            "includes": f"data/{config}/*.parquet",
        }
    for path, facts in sorted(files.items()):
        yield {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path,
            "contentUrl": path,
            "contentSize": f"{facts.size} B",
            "encodingFormat": _PARQUET,
            "sha256": facts.sha256,
        }


def _record_set(config: str, schema: pa.Schema) -> JsonObject:
    split: JsonObject = {
        "@type": "cr:Field",
        "@id": f"{config}/split",
        "name": "split",
        "description": "The split, from the name of the shard.",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": f"files-{config}"},
            "extract": {"fileProperty": "filename"},
            "transform": {"regex": "^([a-z0-9_]+)-[0-9]+-of-[0-9]+[.]parquet$"},
        },
    }
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "description": ABOUT[config.split("_", 1)[0]],
        "field": [split, *(_field(config, field) for field in schema)],
    }


def _field(config: str, field: pa.Field[pa.DataType]) -> JsonObject:
    described: JsonObject = {"@type": "cr:Field", "@id": f"{config}/{field.name}", "name": field.name}
    if not isinstance(field.type, pa.ListType):
        return {**described, "dataType": _KINDS[field.type], "source": _column(config, field.name)}
    array: JsonObject = {"isArray": True, "arrayShape": "-1"}
    item = field.type.value_type
    if not isinstance(item, pa.StructType):
        return {**described, **array, "dataType": _KINDS[item], "source": _column(config, field.name)}
    return {**described, **array, "repeated": True, "subField": [*_texts_of(config, field.name, item)]}


def _texts_of(config: str, column: str, struct: pa.StructType) -> Iterator[JsonValue]:
    """The members that are plain values; what is nested deeper is read from Parquet itself."""
    for place in range(struct.num_fields):
        member = struct.field(place)
        if member.type in _KINDS:
            yield {
                "@type": "cr:Field",
                "@id": f"{config}/{column}/{member.name}",
                "name": member.name,
                "dataType": _KINDS[member.type],
                "source": {**_column(config, column), "transform": {"jsonPath": f"$.{member.name}"}},
            }


def _column(config: str, column: str) -> JsonObject:
    return {"fileSet": {"@id": f"files-{config}"}, "extract": {"column": column}}
