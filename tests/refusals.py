"""Expect an error by its class, its argument and the value it shows, never by its sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from rpttheory.errors import InvalidInput, RptTheoryError


@contextmanager
def refuses(
    argument: str = "", *, found: str = "", error: type[RptTheoryError] = InvalidInput
) -> Iterator[None]:
    """Expect an error about `argument` that shows `found` and says what to try.

    An empty `argument` or `found` is not compared.
    """
    with pytest.raises(error) as caught:
        yield
    assert caught.value.remedy, "the error does not say what to try"
    if argument:
        assert caught.value.argument == argument
    assert found in caught.value.found
