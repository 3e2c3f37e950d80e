"""A gate's outcome in words, as JUnit XML and as Markdown. Texts of models and cases are made harmless in each."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from fcbench.cli.output import plain
from fcbench.core.records import to_plain
from fcbench.core.visible import markdown_text as md
from fcbench.workflows.gate import FailingCase, GateReport, RuleResult

SHOWN = 20
"""Failing cases that terminal and summary list; JUnit and JSON have all."""
MAX_TEXT = 400
_NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (production 2) does not allow, and a carriage return, which a parser would make a line feed."""
WORD = {"pass": "PASS", "fail": "FAIL", "cannot tell": "CANNOT TELL"}


def gate_data(report: GateReport) -> object:
    """As plain JSON values."""
    return {**to_plain(report), "exit_code": report.exit_code}


def gate_lines(report: GateReport) -> Iterator[str]:
    """For a terminal."""
    yield f"{WORD[report.standing]}  {report.model}, {report.board.label}"
    yield f"  package: {report.package}"
    if report.baseline:
        yield f"  baseline: {report.baseline}"
    for note in report.notes:
        yield f"  note: {note}"
    for rule in report.rules:
        yield f"  {WORD[rule.standing]:<11}  {rule.name}: {rule.sentence}"
    if report.failing:
        yield f"  {len(report.failing)} cases fail in at least one repeat:"
    for one in report.failing[:SHOWN]:
        yield f"    {one.task_id}  {one.passed}/{one.judged}  {_cut(one.reason)}"
    if len(report.failing) > SHOWN:
        yield f"    and {len(report.failing) - SHOWN} more (all with --json or --junit)"


def junit(report: GateReport) -> bytes:
    """JUnit XML: one test case a rule, and one for each failing case of the package.

    A rule that cannot be told is an `error`. A failing case is a `failure`, or `skipped` where the gate passes, since
    the gate allows it then.
    """
    suites = ET.Element("testsuites", name="fcbench gate")
    rules = _suite(suites, "rules", len(report.rules))
    for rule in report.rules:
        _rule_case(rules, rule)
    cases = _suite(suites, "failing cases", len(report.failing))
    for one in report.failing:
        _failing_case(cases, one, passes=report.standing == "pass")
    for suite in (rules, cases):
        for kind, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            suite.set(attribute, str(len(suite.findall(f"testcase/{kind}"))))
    written: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _suite(parent: ET.Element, name: str, tests: int) -> ET.Element:
    return ET.SubElement(parent, "testsuite", name=f"fcbench gate: {name}", tests=str(tests), time="0")


def _rule_case(suite: ET.Element, rule: RuleResult) -> None:
    made = ET.SubElement(suite, "testcase", classname="fcbench.gate.rules", name=xml_text(rule.name), time="0")
    if rule.standing == "pass":
        ET.SubElement(made, "system-out").text = xml_text(rule.sentence)
        return
    tag = "failure" if rule.standing == "fail" else "error"
    found = ET.SubElement(made, tag, type=rule.standing, message=xml_text(_cut(rule.sentence)))
    found.text = xml_text(rule.sentence)


def _failing_case(suite: ET.Element, one: FailingCase, *, passes: bool) -> None:
    made = ET.SubElement(suite, "testcase", classname="fcbench.gate.cases", name=xml_text(str(one.task_id)), time="0")
    said = f"passed {one.passed} of {one.judged}: {one.reason}"
    if passes:
        ET.SubElement(made, "skipped", message=xml_text(_cut(f"the gate allows this failure: {said}")))
        return
    ET.SubElement(made, "failure", type="case", message=xml_text(_cut(said))).text = xml_text(said)


def xml_text(text: str) -> str:
    """Text of legal XML 1.0 characters, without terminal escapes and format characters; each becomes visible."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", plain(text))


def summary(report: GateReport) -> str:
    """Markdown for a pull request or GITHUB_STEP_SUMMARY."""
    return "\n".join(_summary_lines(report)) + "\n"


def _summary_lines(report: GateReport) -> Iterator[str]:
    yield f"## fcbench gate: {WORD[report.standing]}"
    yield ""
    yield f"Model {md(report.model)} on {md(report.board.label)}, run {md(report.run_id)}"
    for note in report.notes:
        yield ""
        yield f"Note: {md(note)}"
    yield ""
    yield "| rule | outcome | figures |"
    yield "|---|---|---|"
    for rule in report.rules:
        yield f"| {md(rule.name)} | {WORD[rule.standing]} | {md(rule.sentence)} |"
    if not report.failing:
        return
    yield ""
    yield f"<details><summary>{len(report.failing)} cases fail in at least one repeat</summary>"
    yield ""
    yield "| case | passed | why |"
    yield "|---|---|---|"
    for one in report.failing[:SHOWN]:
        yield f"| {md(str(one.task_id))} | {one.passed}/{one.judged} | {md(_cut(one.reason))} |"
    if len(report.failing) > SHOWN:
        yield ""
        yield f"And {len(report.failing) - SHOWN} more."
    yield ""
    yield "</details>"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
