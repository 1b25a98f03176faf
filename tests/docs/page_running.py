"""Runs the blocks of one page in their order, in the current folder: ``python -m tests.docs.page_running PAGE``.

``flinkpy`` and ``dagster`` commands run in this process, one after the other, so that a page starts one JVM at most;
lines with pipes, redirections and other commands go to bash.
"""

import contextlib
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.docs.snippets import ON_SPARK, Snippet, is_matched, snippets_of

_SHELL = re.compile(r"[|<>&;`*]|\$\(")
_BIN = Path(sys.executable).parent


class Mismatch(Exception):
    """A block did something else than the page says."""


def run_page(page: Path) -> None:
    """Raises Mismatch, naming the line of the page."""
    is_on_spark = ON_SPARK in page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    for snippet in snippets_of(page):
        try:
            _do(snippet, names, is_on_spark)
        except BaseException as error:
            if not isinstance(error, Mismatch):
                traceback.print_exc()
            raise Mismatch(f"{page.name}, line {snippet.line}: {type(error).__name__}: {error}") from None


def _do(snippet: Snippet, names: dict[str, Any], is_on_spark: bool) -> None:
    if snippet.is_shown_only:
        return
    if snippet.title:
        path = Path(snippet.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(snippet.body, encoding="utf-8")
        if path.suffix == ".py":
            compile(snippet.body, snippet.title, "exec")
    elif snippet.program:
        _check_run_config(snippet)
    elif snippet.language == "python":
        _expect(snippet, _printed_by_python(snippet, names, is_on_spark))
    elif snippet.language == "bash":
        _expect(snippet, _printed_by_commands(snippet))


def _expect(snippet: Snippet, printed: str) -> None:
    if snippet.output is not None and not is_matched(snippet.output, printed):
        raise Mismatch(f"it printed\n{printed}\ninstead of\n{snippet.output}")


def _printed_by_python(snippet: Snippet, names: dict[str, Any], is_on_spark: bool) -> str:
    from flinkpy_dagster.programs import pyflink_alias
    from flinkpy_dagster.testing import local_execution

    pyflink_alias.install()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        with contextlib.nullcontext([]) if is_on_spark else local_execution() as clients:
            exec(compile(snippet.body, "example.py", "exec"), names)
        for client in clients:
            client.get_job_execution_result().result()
    return printed.getvalue()


def _check_run_config(snippet: Snippet) -> None:
    """Raises DagsterInvalidConfigError."""
    import yaml
    from dagster import validate_run_config

    from flinkpy_dagster import definitions_from

    assert snippet.program is not None
    name = f"{Path(snippet.program).stem}_job"
    job = definitions_from(snippet.program).resolve_job_def(name)
    validate_run_config(job, yaml.safe_load(snippet.body))


# -- commands ----------------------------------------------------------------------------------------------


def _printed_by_commands(snippet: Snippet) -> str:
    text = snippet.body.replace("\\\n", " ")
    printed, code = "", 0
    for line in _commands(text):
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[0] == "export":
            name = words[1].partition("=")[0]
            os.environ[name], _ = _in_bash(f'{line}\nprintf %s "${name}"')
            continue
        if words[0] in ("flinkpy", "dagster") and not _SHELL.search(shlex.join(words).replace("'", "")):
            said, code = _in_this_process(words)
        else:
            said, code = _in_bash(line)
        printed += said
        if code != snippet.exit_code:
            raise Mismatch(f"'{line}' ended with {code}, and printed\n{printed}")
    return printed


def _commands(text: str) -> Iterator[str]:
    """A line each, but a here-document with its lines."""
    lines = iter(text.splitlines())
    for line in lines:
        document = re.search(r"<<-?\s*['\"]?(\w+)", line)
        if document:
            for more in lines:
                line += "\n" + more
                if more.strip() == document[1]:
                    break
        yield line


def _in_this_process(words: list[str]) -> tuple[str, int]:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            code = _flinkpy(words[1:]) if words[0] == "flinkpy" else _dagster(words[1:])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return printed.getvalue(), code


def _flinkpy(arguments: list[str]) -> int:
    from flinkpy_dagster.cli.main import main

    with _as_in_a_new_process():
        return main(list(map(os.path.expandvars, arguments)))


def _dagster(arguments: list[str]) -> int:
    from dagster._cli import create_dagster_cli

    with _as_in_a_new_process():
        create_dagster_cli()(args=list(map(os.path.expandvars, arguments)), prog_name="dagster")
    return 0


@contextlib.contextmanager
def _as_in_a_new_process() -> Iterator[None]:
    """The page's own modules are forgotten: their files may be others next time."""
    path, modules, argv = list(sys.path), set(sys.modules), list(sys.argv)
    try:
        yield
    finally:
        sys.path[:], sys.argv[:] = path, argv
        here = str(Path.cwd())
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", "") or "").startswith(here):
                del sys.modules[name]
        importlib.invalidate_caches()


def _in_bash(line: str) -> tuple[str, int]:
    environment = {**os.environ, "PATH": f"{_BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        check=False,
    )
    return done.stdout, done.returncode


if __name__ == "__main__":
    try:
        run_page(Path(sys.argv[1]))
    except Mismatch as mismatch:
        print(mismatch, file=sys.stderr)
        sys.exit(1)
