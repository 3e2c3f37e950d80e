"""Places of the evaluator that `mutation_run.py` breaks."""

from __future__ import annotations

from typing import NamedTuple


class Break(NamedTuple):
    """One place: a module as seen from the evaluator's folder, the text there, and what stands there instead."""

    name: str
    module: str
    text: str
    broken: str


PLACES = [
    Break("equivalents-cost-nothing", "search", "_EQUIVALENT: Final = 1 * TIE", "_EQUIVALENT: Final = 0"),
    Break("order-costs-more", "search", "_WRONG_ORDER: Final = 9 * TIE", "_WRONG_ORDER: Final = 11 * TIE"),
    Break("unmatched-is-cheap", "search", "UNMATCHED: Final = 1_000_000 * TIE", "UNMATCHED: Final = _FAULT"),
    Break(
        "same-round-is-a-source",
        "search",
        "source.round < call.round else None",
        "source.round <= call.round else None",
    ),
    Break("failed-call-is-a-source", "search", "source and source.call.succeeded and", "source and"),
    Break("success-never-preferred", "search", "(rules.needs_success and not call.succeeded)", "False"),
    Break(
        "ties-to-the-latest",
        "search",
        "* _FAULT + call.index for call in calls]",
        "* _FAULT - call.index for call in calls]",
    ),
    Break("greedy", "search", "if faults_of(self.best_cost) > faults_of(bound):", "if False:"),
    Break(
        "validity-never-preferred",
        "search",
        "return (not call.valid) + (not call.offered)",
        "return (not call.offered)",
    ),
    Break("no-order-at-strict", "search", "ordered = rules.strict and (", "ordered = False and ("),
    Break("blocks-are-ordered", "search", "(block is None or block != run.steps[index].block)", "True"),
    Break("after-in-the-same-round", "search", "taken.round >= call.round", "taken.round > call.round"),
    Break("success-of-call-only", "rules", "(not self.strict and not call_only)", "(not self.strict)"),
    Break("may-omit-ignored", "arguments", "return key in self.may_omit or (", "return ("),
    Break(
        "default-not-compared",
        "arguments",
        "key in self.defaults and node.fits(self.defaults[key])",
        "key in self.defaults",
    ),
    Break(
        "extra-default-not-compared",
        "arguments",
        "(key in self.defaults and json_equal(value, self.defaults[key]))",
        "key in self.defaults",
    ),
    Break("neutral-ignored", "arguments", "key in self.neutral or", "False or"),
    Break("form-offset-ignored", "forms", "plain + value.offset if is_number", "plain if is_number"),
    Break(
        "form-by-presence",
        "forms",
        'return {"$exact": other} if isinstance(other, dict | list) else other',
        'return {"$any": {}}',
    ),
    Break("condition-ignored", "forms", "if not _is_applicable(equivalent, expected, ours):", "if False:"),
    Break(
        "values-lost-in-an-equivalent",
        "forms",
        "if key not in carried and key not in may_omit and not",
        "if False and not",
    ),
    Break("constant-ignored", "forms", 'return {"$exact": value.constant}', 'return {"$any": {}}'),
    Break("set-is-a-list", "structures", "owner[index] = wanted\n                return True", "return False"),
    Break(
        "extra-items-free",
        "structures",
        "len(found) == len(self.nodes) and _all_fit(self.nodes, found)\n\n    def count",
        "len(found) >= len(self.nodes) and _all_fit(self.nodes, found)\n\n    def count",
    ),
    Break(
        "extra-keys-free", "structures", "found.keys() != self.nodes.keys()", "not self.nodes.keys() <= found.keys()"
    ),
    Break("true-is-one", "nodes", "found == self.value and not isinstance(found, bool)", "found == self.value"),
    Break("one-is-true", "nodes", "return found is self.value", "return found == self.value"),
    Break("nfc-ignored", "nodes", 'unicodedata.normalize("NFC", found) == self.normal', "False"),
    Break("tolerance-takes-true", "comparing", "isinstance(found, bool) or not", "not"),
    Break(
        "tolerance-without-end",
        "comparing",
        "distance <= limit or math.isclose(distance, limit, rel_tol=1e-9)",
        "distance < limit",
    ),
    Break("regex-part", "comparing", "re.fullmatch(", "re.search("),
    Break("dna-keeps-u", "comparing", '.replace("U", "T")', ""),
    Break("follow-ups-refused", "extras", "if _is_follow_up(call, run, chosen):", "if False:"),
    Break("follow-ups-before", "extras", "if taken is None or taken.index > call.index:", "if taken is None:"),
    Break("views-always-tolerated", "extras", "and not expects_view(run.needed)", ""),
    Break("capability-refused", "extras", "contract.capability == other.capability", "False"),
    Break("everything-reads", "extras", 'if contract.effect == "reads":', 'if contract.effect != "file":'),
    Break("duplicates-unseen", "extras", "duplicate = mark in seen or", "duplicate = False and"),
    Break(
        "duplicates-by-the-letter",
        "extras",
        "mark = (call.name, _content(call))",
        "mark = (call.name, call.call.raw_arguments)",
    ),
    Break("timeouts-pass", "scene", 'self.timed_out = attempt.outcome == "timeout"', "self.timed_out = False"),
    Break("asking-without-text", "scene", "or not self.final_text or", "or"),
    Break("asking-with-a-call", "scene", "(rounds and rounds[-1].calls)", "False"),
    Break("asking-in-a-cut-reply", "scene", "return self.finish_reason.casefold() in ENDED", "return True"),
    Break(
        "offers-unchecked",
        "conditions",
        "if scene.all_offered:\n        return _OFFERED",
        "if True:\n        return _OFFERED",
    ),
    Break(
        "schema-unchecked",
        "conditions",
        "if scene.all_valid:\n        return _VALID",
        "if True:\n        return _VALID",
    ),
    Break("extras-unchecked", "conditions", "extra.call.name for extra in facts.untolerated", '"" for extra in ()'),
    Break("executed-is-succeeded", "conditions", "not item.call.executed", "not item.call.succeeded"),
    Break(
        "any-call-without-a-call",
        "conditions",
        "return (in_time(scene), structured_call(scene))",
        "return (in_time(scene),)",
    ),
    Break("weights", "partial", "(0.45, 0.35, 0.20)", "(0.35, 0.45, 0.20)"),
    Break("execution-weights", "partial", "0.10, 0.15)", "0.15, 0.10)"),
    Break("free-extras", "partial", "EXTRA_COST * unexpected", "0 * unexpected"),
    Break("cap", "partial", "HIGHEST_FAILING: Final = 0.99", "HIGHEST_FAILING: Final = 1.0"),
    Break(
        "validity-of-the-expected",
        "partial",
        "validity = sum([call.valid for call in calls]) / len(calls)",
        "validity = sum([call.valid for call in calls]) / expected",
    ),
    Break(
        "broken-syntax-is-false",
        "dimensions",
        "schema_conformance=None,\n            argument_fidelity=None,\n            restraint=restrained,",
        "schema_conformance=False,\n            argument_fidelity=None,\n            restraint=restrained,",
    ),
    Break("extra-keys-break-fidelity", "facts", "elif not isinstance(path[-1], str):", "elif True:"),
    Break("unknown-keys-are-supported", "dimensions", '        "unknown_key",\n', ""),
    Break(
        "recall-without-the-missing",
        "facts",
        "self.fields += fields\n            self.lost += fields",
        "self.fields += 0",
    ),
    Break(
        "end-state-unchecked",
        "facts",
        "part in wanted and part in reached and json_equal(reached[part], wanted[part])",
        "True",
    ),
    Break("end-state-of-the-case-only", "facts", "(*wanted, *reached)", "wanted"),
    Break("view-always-counts", "facts", 'part in ("view", "session") and part not in effects', "False"),
    Break("first-branch-meant", "unions", "key=lambda pair: _distance(pair[1], telling)", "key=lambda pair: 0"),
    Break(
        "discriminator-ignored",
        "unions",
        "own_type, sum(len(key) == 1 and key[0] in telling for key in keys), len(violations)",
        "own_type, 0, len(violations)",
    ),
    Break("branch-keys-unknown", "violations", "if path and path[-1] in other_keys:", "if False:"),
    Break(
        "depth-from-zero",
        "violations",
        "return sum([isinstance(place, dict) for place in places])",
        "return sum([isinstance(place, dict) for place in places]) - 1",
    ),
    Break(
        "lists-have-depth",
        "violations",
        "return sum([isinstance(place, dict) for place in places])",
        "return len(places)",
    ),
    Break("root-fields-unknown", "violations", "path[-1] in contract.properties", "False"),
    Break("recased-is-untranslated", "violations", "and not _is_recased(value, breach)", ""),
    Break("recovery-of-anything", "recovery", "rejected.name and call.index > rejected.index", "rejected.name"),
    Break("recovery-by-wrong-values", "recovery", "and not item.differences", ""),
    Break("last-run-kept", "judge", "_rank(other) > _rank(verdict)", "_rank(other) >= _rank(verdict)"),
    Break("whole-attempt-of-single-calls", "judge", "first_reply=case.task.single_call", "first_reply=False"),
]
