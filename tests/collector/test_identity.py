from ragsonde.collector.identity import InteractionLedger
from tests.builders import TRACE, interaction


def test_an_interaction_seen_again_is_recognised() -> None:
    ledger = InteractionLedger(10)
    assert [seen for _, seen in ledger.recognise([interaction()])] == [False]
    assert [seen for _, seen in ledger.recognise([interaction()])] == [True]


def test_the_first_answer_of_a_growing_trace_keeps_its_id_and_the_second_is_new() -> None:
    ledger = InteractionLedger(10)
    ledger.recognise([interaction(span_id="a")])
    grown = [interaction(id=f"{TRACE}:a", span_id="a"), interaction(id=f"{TRACE}:b", span_id="b")]
    recognised = ledger.recognise(grown)
    assert [(found.id, seen) for found, seen in recognised] == [(TRACE, True), (f"{TRACE}:b", False)]


def test_a_replaced_generation_span_of_a_single_answer_is_the_same_interaction() -> None:
    ledger = InteractionLedger(10)
    ledger.recognise([interaction(span_id="a")])
    assert ledger.recognise([interaction(span_id="root")])[0] == (interaction(span_id="root"), True)


def test_memory_is_bounded() -> None:
    ledger = InteractionLedger(1)
    ledger.recognise([interaction()])
    ledger.recognise([interaction(trace_id="f" * 32, id="f" * 32)])
    assert ledger.recognise([interaction()])[0][1] is False
