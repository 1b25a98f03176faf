"""Word count in both runtime modes, printed and as Parquet."""

from collections import Counter

import pandas as pd
import pytest

from tests.jobs.running import run_job

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.slow]

TEXT = "the cat and the hat\n\nThe end, and that's that\n"
COUNTS = {"the": 3, "cat": 1, "and": 2, "hat": 1, "end": 1, "that's": 1, "that": 1}


@pytest.fixture
def text(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    return file


def printed_counts(out: str) -> list[tuple[str, int]]:
    """The pairs of lines like ``1> (word,2)``."""
    pairs = [line.partition("(")[2].rstrip(")").rpartition(",") for line in out.splitlines()]
    return [(word, int(count)) for word, _, count in pairs]


def test_batch_when_printed_gives_one_count_per_word(text, tmp_path):
    out = run_job("word_count.py", "--input", str(text), cwd=tmp_path)
    assert sorted(printed_counts(out)) == sorted(COUNTS.items())


def test_streaming_when_printed_gives_every_count_on_the_way(text, tmp_path):
    out = run_job("word_count.py", "--input", str(text), "--mode", "streaming", cwd=tmp_path)
    assert Counter(printed_counts(out)) == Counter(
        (word, number) for word, count in COUNTS.items() for number in range(1, count + 1)
    )


def test_parquet_when_an_output_is_given_holds_the_counts(text, tmp_path):
    run_job("word_count.py", "--input", str(text), "--output", str(tmp_path / "counts"), cwd=tmp_path)
    table = pd.read_parquet(tmp_path / "counts")
    assert dict(zip(table["word"], table["count"], strict=True)) == COUNTS
