"""What users write: which suite is expected of which asset."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dagster import AssetKey

from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.orchestration.quality.suites import SuiteLike, suite_name

AssetLike: TypeAlias = str | Sequence[str] | AssetKey


@dataclass(frozen=True, kw_only=True)
class Expectations:
    """One suite for one asset; made by ``expect`` and ``expect_state``.

    ``uid`` and ``state``: of keyed state; then ``asset`` is the program.
    """

    asset: tuple[str, ...]
    suite: SuiteLike
    name: str
    blocking: bool = False
    samples: int = 5
    materialize: bool = False
    description: str | None = None
    uid: str | None = None
    state: str | None = None

    @property
    def shown(self) -> str:
        """The asset, for people."""
        return "/".join(self.asset)


def expect(
    asset: AssetLike,
    suite: SuiteLike,
    *,
    blocking: bool = False,
    name: str | None = None,
    samples: int = 5,
    materialize: bool = False,
    description: str | None = None,
) -> Expectations:
    """A suite of Great Expectations for a data set or a sink of a program, as one Dagster asset check.

    ``asset``: its key, or the end of it (``"delays"``, ``"flight_delays/delays"``). ``suite``: see ``SuiteLike``; a
    path or a function keeps the code location from importing great_expectations. ``blocking``: what does not meet an
    expectation of severity ``critical`` does not become a result: no table is moved, no epoch committed, no later
    region and no downstream asset runs. ``samples``: unexpected values shown of each expectation. ``materialize``:
    store a pipelined data set beside its way, so that it can be checked.
    """
    key = _path(asset)
    called = name or suite_name(suite, "expectations")
    return Expectations(
        asset=key,
        suite=suite,
        name=_legal(called, key),
        blocking=blocking,
        samples=samples,
        materialize=materialize,
        description=description,
    )


def expect_state(
    program: AssetLike,
    uid: str,
    suite: SuiteLike,
    *,
    state: str | None = None,
    blocking: bool = False,
    name: str | None = None,
    samples: int = 5,
    description: str | None = None,
) -> Expectations:
    """A suite for the keyed state of one operator of an unbounded program, as a check of its checkpoints asset.

    ``uid``: uid or name of the operator; ``state``: one of its states, whose fields then are columns (see
    ``CheckFrames.state``). The check can be executed at any time, on the newest checkpoint. ``blocking``: only state
    that meets it becomes a savepoint.
    """
    key = _path(program)
    return Expectations(
        asset=key,
        suite=suite,
        name=_legal(name or suite_name(suite, f"state_of_{uid}"), key),
        blocking=blocking,
        samples=samples,
        description=description,
        uid=uid,
        state=state,
    )


def _path(asset: AssetLike) -> tuple[str, ...]:
    if isinstance(asset, AssetKey):
        return tuple(asset.path)
    return tuple(asset.split("/")) if isinstance(asset, str) else tuple(asset)


def _legal(name: str, asset: tuple[str, ...]) -> str:
    legal = "".join(letter if letter.isalnum() else "_" for letter in name).strip("_")
    if not legal:
        raise InvalidProgram(
            f"A check of '{'/'.join(asset)}' is called {name!r}: give it a name with letters in it."
        )
    return legal
