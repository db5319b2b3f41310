"""`rpttheory cite`: what to cite, as BibTeX; CITATION.cff says the same."""

import click

from .. import __version__
from .output import emit

_BIBTEX = r"""@article{szlendak2023progressive,
  title = {Understanding Progressive Training Through the Framework of Randomized Coordinate Descent},
  author = {Szlendak, Rafa{\l} and Gasanov, Elnur and Richt{\'a}rik, Peter},
  journal = {arXiv preprint arXiv:2306.03626},
  year = {2023}
}

@software{rpttheory,
  title = {rpttheory: numerically verified theory of randomized coordinate descent and randomized progressive training},
  author = {{The rpttheory contributors}},
  version = {%s}
}"""


@click.command()
def cite() -> None:
    """Print BibTeX of the paper and of this program."""
    emit(_BIBTEX % __version__)
