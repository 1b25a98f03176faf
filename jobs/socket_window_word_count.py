"""How often each word has come in the last five seconds, from a text that a socket sends.

    nc -lk 9999                                              # in one terminal: type words
    flinkpy run jobs/socket_window_word_count.py --port 9999     # in another one

Prints ``(word,count)`` at the end of every window, until Ctrl-C or until the server has gone. A socket cannot be read
twice: of what had arrived when the process is killed, lines that no completed epoch has are lost, counts are not.
"""

import argparse

from flinkpy_dagster.api import StreamExecutionEnvironment, Time, TumblingProcessingTimeWindows, Types

WORD_COUNT = Types.TUPLE([Types.STRING(), Types.INT()])


def words(line):
    """One count for each word of a line."""
    for word in line.lower().split():
        yield word, 1


def added(one, other):
    """The sum of two counts of one word."""
    return one[0], one[1] + other[1]


def build(lines, seconds):
    """The counts of the words of a stream of lines, window by window."""
    return (
        lines.flat_map(words, output_type=WORD_COUNT)
        .key_by(lambda word_count: word_count[0], key_type=Types.STRING())
        .window(TumblingProcessingTimeWindows.of(Time.seconds(seconds)))
        .reduce(added)
        .name("count_words")
        .uid("count_words")
    )


def main():
    parser = argparse.ArgumentParser(description="Counts the words that a socket sends, window by window.")
    parser.add_argument("--hostname", default="localhost", help="host of the server")
    parser.add_argument("--port", type=int, default=9999, help="port of the server")
    parser.add_argument("--seconds", type=int, default=5, help="length of a window")
    arguments = parser.parse_args()

    env = StreamExecutionEnvironment.get_execution_environment()
    lines = env.socket_text_stream(arguments.hostname, arguments.port)
    build(lines, arguments.seconds).print()
    env.execute("socket_window_word_count")


if __name__ == "__main__":
    main()
