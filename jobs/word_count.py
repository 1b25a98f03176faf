"""How often each word occurs in a text.

    flinkpy run jobs/word_count.py [--input FILE] [--output DIRECTORY] [--mode batch|streaming]

Prints ``(word,count)`` lines, or writes them as Parquet when there is an output directory. In BATCH mode there is one
count per word; in STREAMING mode every word tells how often it has occurred so far. Without an input it counts the
words of Lewis Carroll's *Jabberwocky* (1871).
"""

import argparse
import re
from pathlib import Path

from flinkpy_dagster.api import ParquetSink, Row, RuntimeExecutionMode, StreamExecutionEnvironment, Types

JABBERWOCKY = Path(__file__).resolve().parent / "data" / "jabberwocky.txt"
WORD_COUNT = Types.TUPLE([Types.STRING(), Types.INT()])
RESULT = Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.INT()])


def words(line):
    """One count for each word of a line."""
    for word in re.findall(r"\w+(?:['-]\w+)*", line.lower()):
        yield word, 1


def build(lines):
    """The counts of the words in a stream of lines."""
    return (
        lines.flat_map(words, output_type=WORD_COUNT)
        .name("words")
        .key_by(lambda word_count: word_count[0], key_type=Types.STRING())
        .reduce(lambda one, other: (one[0], one[1] + other[1]))
        .name("counts")
    )


def main():
    parser = argparse.ArgumentParser(description="Counts the words of a text.")
    parser.add_argument("--input", default=str(JABBERWOCKY), help="text file to read")
    parser.add_argument("--output", help="directory of the Parquet result; without it the counts are printed")
    parser.add_argument("--mode", choices=["batch", "streaming"], default="batch", help="runtime mode")
    arguments = parser.parse_args()

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode[arguments.mode.upper()])
    counts = build(env.read_text_file(arguments.input))
    if arguments.output:
        counts.map(lambda count: Row(*count), RESULT).sink_to(ParquetSink(arguments.output)).name(
            "word_counts"
        )
    else:
        counts.print()
    env.execute("word_count")


if __name__ == "__main__":
    main()
