"""The tests of state run on both kinds of storage: one that renames, one that compares and swaps."""

import pytest

from . import crashing_files


@pytest.fixture(params=sorted(crashing_files.KINDS), scope="module")
def kind(request):
    """The class of file systems that ``new_files`` makes."""
    before, crashing_files.kind = crashing_files.kind, crashing_files.KINDS[request.param]
    yield crashing_files.kind
    crashing_files.kind = before
