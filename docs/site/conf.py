"""Settings of Sphinx; ``python -m docs.site`` collects the pages and calls it."""

import importlib.metadata

project = "Jourdain"
author = "The authors of Jourdain"
release = importlib.metadata.version("jourdain")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
highlight_language = "default"

html_theme = "furo"
html_title = "Jourdain"
html_static_path = ["static"]
html_css_files = ["jourdain.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b62b8", "color-brand-content": "#0b62b8"},
    "dark_css_variables": {"color-brand-primary": "#5eb0ff", "color-brand-content": "#5eb0ff"},
}

myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
