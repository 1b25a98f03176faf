"""Options that several actions share: the program, the job, the cluster, how results are printed."""

import argparse

from flinkpy_dagster.cli.arguments import Parser


def add_configuration(parser: Parser) -> None:
    """Parallelism and options."""
    parser.add_argument(
        "-p", "--parallelism", type=_parallelism, metavar="N", help="parallelism of operators that set none"
    )
    add_pairs(parser)


def add_pairs(parser: Parser) -> None:
    """``-D key=value``."""
    parser.add_argument(
        "-D",
        dest="pairs",
        action="append",
        default=[],
        metavar="key=value",
        help="an option of the configuration, see docs/options.md; spark.* goes to Spark; may be repeated",
    )


_PROGRAM = (
    (
        ("-py", "--python"),
        "program",
        "PROGRAM.py",
        "the program; may import pyflink.* or flinkpy_dagster.api",
    ),
    (
        ("-pym", "--pyModule"),
        "module",
        "MODULE",
        "the program is this module, found in the files of -pyfs",
    ),
    (
        ("-c", "--class", "--function"),
        "function",
        "FUNCTION",
        "call this function of the program with the environment, not main",
    ),
    (
        ("-pyfs", "--pyFiles"),
        "files",
        "FILES",
        ".py, .zip, .whl and .egg files and folders, separated by commas, for the import path of driver, workers",
    ),
    (
        ("-pypath", "--pyPythonPath"),
        "python_path",
        "FOLDERS",
        "folders, separated by colons, as with -pyfs",
    ),
    (
        ("-pyreq", "--pyRequirements"),
        "requirements",
        "FILE[#FOLDER]",
        "packages that the workers shall have; FOLDER has them if no index is to be asked",
    ),
    (
        ("-pyarch", "--pyArchives"),
        "archives",
        "FILES",
        "archives, separated by commas, unpacked in the workers' working folder: data.zip, or data.zip#NAME",
    ),
    (
        ("-pyexec", "--pyExecutable"),
        "python_executable",
        "PYTHON",
        "the interpreter of the workers; may be one of an archive: venv.zip/venv/bin/python",
    ),
    (
        ("-pyclientexec", "--pyClientExecutable"),
        "client_executable",
        "PYTHON",
        "refused: see the message",
    ),
)
"""Options that say what a program is and what it needs: names, attribute, placeholder, help."""


def add_program(parser: Parser) -> None:
    """The program is the first word that is no option, or what -py or -pym name; what follows is its own."""
    add_traceback(parser)
    for names, dest, metavar, sentence in _PROGRAM:
        parser.add_argument(*names, dest=dest, metavar=metavar, help=sentence)
    parser.usage = f"{parser.prog} [OPTIONS] PROGRAM.py [ARGS...]"
    parser.take_rest()


def add_cluster(parser: Parser) -> None:
    """Where the jobs are, and options that Flink's command line takes there."""
    add_manager(parser)
    add_pairs(parser)
    parser.add_argument("-t", "--target", metavar="TARGET", help="accepted; -m says where the jobs are")
    add_traceback(parser)


def add_manager(parser: Parser) -> None:
    """``-m``: a gateway."""
    parser.add_argument(
        "-m",
        "--jobmanager",
        dest="manager",
        metavar="HOST:PORT",
        help="ask this gateway, not the Dagster instance of DAGSTER_HOME",
    )


def add_job(parser: Parser) -> None:
    """Which job."""
    parser.add_argument(
        "job_id", metavar="JOB_ID", nargs="?", help="the id of the job, or of its Dagster run"
    )


def add_format(parser: Parser) -> None:
    """``-type``, of savepoints."""
    parser.add_argument(
        "-type",
        "--type",
        dest="format_type",
        metavar="FORMAT",
        default="CANONICAL",
        help="format of the savepoint: canonical or native, which are the same here",
    )


def add_no_wait(parser: Parser) -> None:
    """``-detached``, of savepoints."""
    parser.add_argument(
        "-detached",
        "--detached",
        dest="is_detached",
        action="store_true",
        help="print the trigger id, do not wait",
    )


def add_json(parser: Parser, sentence: str) -> None:
    """``--json``; ``sentence`` says what is printed."""
    parser.add_argument("--json", action="store_true", help=sentence)


def add_traceback(parser: Parser) -> None:
    """``--traceback``."""
    parser.add_argument("--traceback", action="store_true", help="show the whole traceback of an error")


def _parallelism(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError("The parallelism of an operator must be at least 1")
    return number
