"""The report for other programs: CSV for a spreadsheet, JUnit XML for a build server."""

import csv
import io
import re
from xml.etree import ElementTree as ET

from ragsonde.evaluation.comparison import ChangeResult
from ragsonde.evaluation.gate import CheckResult
from ragsonde.evaluation.report import Report
from ragsonde.exporters.quality import outcome_labels
from ragsonde.scorers.score import Scored

_FORMULA = re.compile(r"^[=+\-@\t\r]")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_csv(report: Report) -> str:
    """Return one row an item: each metric's value, and the reason where it has none.

    Text that a spreadsheet would run as a formula is quoted with an apostrophe.
    """
    keys = [summary.key for summary in report.summaries]
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["id", "question", "answer", "diagnosis", *keys, *(f"{key}_reason" for key in keys)])
    for known in report.scored:
        outcomes = [known.scores.get(key) for key in keys]
        interaction = known.interaction
        writer.writerow(
            [
                *map(_cell, (interaction.id, interaction.question, interaction.answer)),
                known.diagnosis.label,
                *(f"{outcome.value:.6g}" if isinstance(outcome, Scored) else "" for outcome in outcomes),
                *(
                    "" if outcome is None or isinstance(outcome, Scored) else outcome_labels(outcome)[1]
                    for outcome in outcomes
                ),
            ]
        )
    return stream.getvalue()


def _cell(text: str | None) -> str:
    plain = (text or "").encode("utf-8", "replace").decode()
    return f"'{plain}" if _FORMULA.match(plain) else plain


def to_junit(report: Report) -> bytes:
    """Return the gate as a test suite: one test a threshold, and one a compared metric."""
    root = ET.Element("testsuites", name="ragsonde evaluate")
    gate = ET.SubElement(root, "testsuite", name="thresholds")
    for check in report.gate.checks:
        case = ET.SubElement(gate, "testcase", classname="thresholds", name=f"{check.key} >= {check.threshold:.2f}")
        if check.failed:
            ET.SubElement(case, "failure", message=_xml(check.explanation), type=check.result)
        elif check.result is CheckResult.NOT_MEASURED:
            ET.SubElement(case, "skipped", message=_xml(check.explanation))
    if not report.gate.passed and not any(check.failed for check in report.gate.checks):
        case = ET.SubElement(gate, "testcase", classname="thresholds", name="something is measured")
        ET.SubElement(case, "failure", message="none of the metrics with a threshold could be measured", type="empty")
    suites = [gate]
    if report.comparison is not None:
        suite = ET.SubElement(root, "testsuite", name="comparison")
        for change in report.comparison.changes:
            case = ET.SubElement(suite, "testcase", classname="comparison", name=f"{change.key} has not become worse")
            if change.result is ChangeResult.WORSE:
                message = f"{change.before:.3f} before, {change.after:.3f} after (adjusted p = {change.adjusted:.2g})"
                ET.SubElement(case, "failure", message=message, type=change.result)
            elif change.result is ChangeResult.TOO_FEW:
                ET.SubElement(case, "skipped", message=f"only {change.pairs} items are scored in both runs")
        suites.append(suite)
    for suite in suites:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _xml(text: str) -> str:
    """Leave out what XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
