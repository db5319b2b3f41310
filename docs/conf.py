"""How the site is built: `bash docs/build`, where every warning is an error and nothing is
fetched.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
# The kernels that run the tutorials inherit these.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.pop("MPLBACKEND", None)
os.environ["PATH"] = os.pathsep.join(
    [sysconfig.get_path("scripts"), os.environ["PATH"]]
)  # the program, for cells

import rpttheory  # noqa: E402

project = "rpttheory"
author = "the rpttheory contributors"
project_copyright = author
version = release = rpttheory.__version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "ledger_pages",
    "api_pages",
]
exclude_patterns = ["_build", "gallery", "pictures/*.ipynb"]
nitpicky = True
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist", "substitution"]
myst_substitutions = {"version": version}
myst_heading_anchors = 3
# Tutorials are run by the build; an error in one of them ends it. What was run is kept under
# _build.
nb_execution_mode = "cache"
nb_execution_timeout = 180
nb_execution_raise_on_error = True
nb_execution_cache_path = str(HERE / "_build" / "executed")
nb_execution_in_temp = True
nb_merge_streams = True

numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pictures",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e6,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}
html_title = "rpttheory"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {
    page: [] for page in ("index", "quickstart", "explorer", "performance", "faq", "changelog")
}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
