"""Downloads: once for each user, checked by their SHA-256."""

from pathlib import Path

from ..errors import InvalidInput, MissingExtra, one_line
from ..machine import install


def fetched(url: str, sha256: str, title: str, remedy: str) -> Path:
    """Return the file at an address from the user's cache; download and check it if necessary."""
    try:
        import pooch
    except ImportError:
        raise MissingExtra(
            f"downloading {title} needs pooch",
            "no module 'pooch'",
            f"{install('data')}, or {remedy}",
        ) from None
    try:
        pooch.get_logger().setLevel("WARNING")
        name = url.rpartition("/")[2]
        return Path(
            pooch.retrieve(url, f"sha256:{sha256}", fname=name, path=pooch.os_cache("rpttheory"))
        )
    except (OSError, ValueError) as error:
        what = f"{title} cannot be downloaded from {url}"
        raise InvalidInput(what, one_line(error), remedy) from None
