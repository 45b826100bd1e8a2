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
html_favicon = "static/favicon.svg"
html_css_files = ["jourdain.css"]
html_js_files = ["theme.js"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    # Drawings on white are inverted on a dark page; pictures with colours of their own for dark pages get the scheme of the page.
    "light_css_variables": {"color-brand-primary": "#0b62b8", "color-brand-content": "#0b62b8", "drawn": "none", "scheme": "light"},
    "dark_css_variables": {
        "color-brand-primary": "#5eb0ff",
        "color-brand-content": "#5eb0ff",
        "drawn": "invert(0.9) hue-rotate(180deg)",
        "scheme": "dark",
    },
}

myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
