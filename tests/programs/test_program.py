"""A program is executed as ``python PROGRAM.py`` would execute it."""

import sys

import pytest

from flinkpy_dagster.errors import EmptyTopology, InvalidProgram
from flinkpy_dagster.programs.program import Program, ProgramRaised


def write(folder, text, name="job.py"):
    path = folder / name
    path.write_text(text)
    return str(path)


def test_execute_when_main_sees_its_name_arguments_and_folder(tmp_path):
    write(tmp_path, "VALUE = 7", "neighbour_of_job.py")
    path = write(
        tmp_path,
        "import sys, neighbour_of_job\nseen = __name__, sys.argv, sys.path[0], neighbour_of_job.VALUE",
    )
    with Program(path, ["-x", "1"]) as program:
        module = program.execute()
        assert sys.modules["__main__"] is module
    assert module.seen == ("__main__", [path, "-x", "1"], str(tmp_path), 7)
    assert module.__file__ == path


def test_after_the_program_everything_is_as_before(tmp_path):
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    with Program(write(tmp_path, ""), []) as program:
        program.execute()
        program.execute("other_name")
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before
    assert "other_name" not in sys.modules


def test_execute_when_the_program_raises_then_names_its_line(tmp_path):
    path = write(tmp_path, "def go():\n    return 1 / 0\n\ngo()\n")
    with Program(path, []) as program, pytest.raises(ProgramRaised) as caught:
        program.execute()
    assert str(caught.value) == (
        f"Program 'job.py' raised ZeroDivisionError: division by zero (File \"{path}\", line 2, in go: return 1 / 0)"
    )
    assert caught.value.__cause__.__traceback__.tb_frame.f_code.co_filename == path


def test_execute_when_the_error_is_ours_or_an_exit_then_passes_it_on(tmp_path):
    path = write(tmp_path, "from flinkpy_dagster.errors import EmptyTopology\nraise EmptyTopology()")
    with Program(path, []) as program, pytest.raises(EmptyTopology):
        program.execute()
    with Program(write(tmp_path, "import sys; sys.exit(3)"), []) as program, pytest.raises(SystemExit):
        program.execute()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "Program 'nowhere.py' cannot be read: No such file or directory."),
        ("def", "Program '{path}' is not valid Python: invalid syntax (job.py, line 1)."),
    ],
)
def test_execute_when_there_is_no_program_says_so(tmp_path, text, sentence):
    path = "nowhere.py" if text is None else write(tmp_path, text)
    with Program(path, []) as program, pytest.raises(InvalidProgram) as caught:
        program.execute()
    assert str(caught.value) == sentence.format(path=path)
