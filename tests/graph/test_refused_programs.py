"""Programs that Flink refuses are refused here, with Flink's telling words."""

import re

import pytest

from flinkpy_dagster.errors import ProgramError
from tests.graph.conformance_cases import GOLDEN, expected, plans

NAMES = [path.stem for path in sorted((GOLDEN / "programs").glob("error_*.py"))]


@pytest.mark.parametrize("name", NAMES)
def test_refused_program_when_planned_raises_flinks_first_sentence(name):
    said = expected(GOLDEN, name)["error"].split("Exception: ")[1]
    first_sentence = re.split(r"\.(?: |$)", said)[0]
    with pytest.raises(ProgramError, match=re.escape(first_sentence)):
        plans(GOLDEN, name)
