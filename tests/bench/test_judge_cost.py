"""The merged mode asks once where the decomposed one asks several times, and what is reported was counted."""

from bench.judge_cost.measure import Shape, measure


def test_the_merged_mode_takes_one_call_and_fewer_tokens_than_the_decomposed_one() -> None:
    shape = Shape("two", 2)
    costs = measure(shapes=[shape])
    merged, decomposed = costs["two", "merged"], costs["two", "decomposed"]
    assert (merged.calls, merged.embedding_calls) == (1.0, 0.0)
    assert decomposed.calls > merged.calls
    assert decomposed.input_tokens > merged.input_tokens > 0
    assert merged.output_tokens > 0
