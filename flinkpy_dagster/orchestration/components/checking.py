"""Checks of a program as YAML says them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dagster import Model, Resolvable
from pydantic import Field

from flinkpy_dagster.orchestration.quality.expecting import Expectations, expect, expect_state


class Check(Model, Resolvable):
    """A suite of Great Expectations for a data set, a sink or the state of an operator of the program."""

    asset: str | None = Field(default=None, description="Key of a data set or sink, or its end.")
    uid: str | None = Field(
        default=None, description="Instead: the uid of an operator whose state is checked."
    )
    state: str | None = Field(default=None, description="With uid: one of its states, its fields as columns.")
    suite: str | Sequence[Mapping[str, Any]] = Field(
        description="A JSON or YAML file beside this one, or the expectations: type, kwargs, severity."
    )
    name: str | None = Field(default=None, description="Of the check. Not set: that of the suite.")
    blocking: bool = Field(default=False, description="What does not meet it does not become a result.")
    samples: int = Field(default=5, description="Unexpected values shown of each expectation.")
    materialize: bool = Field(
        default=False, description="Store a pipelined data set, so that it can be checked."
    )

    def expectations(self, program: str, folder: Path) -> Expectations:
        """Raises ValueError if it is of neither or of both."""
        if (self.asset is None) == (self.uid is None):
            raise ValueError("A check is of an asset, or of state (uid): give exactly one of them.")
        suite = str(folder / self.suite) if isinstance(self.suite, str) else list(self.suite)
        if self.uid is not None:
            return expect_state(
                program,
                self.uid,
                suite,
                state=self.state,
                blocking=self.blocking,
                name=self.name,
                samples=self.samples,
            )
        assert self.asset is not None
        return expect(
            self.asset,
            suite,
            blocking=self.blocking,
            name=self.name,
            samples=self.samples,
            materialize=self.materialize,
        )
