"""Fill in templates to pages that open from disk and load nothing from a network.

All values are escaped (Jinja's autoescape), so that no text from a file becomes markup. A page
states to the browser what it may load, so that even a fault here would not run another script.
Galleries and the page for people use it without the packages that draw charts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import jinja2
from markupsafe import Markup

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file: data:; base-uri 'none'"
)
"""What a page without scripts may load."""

SCRIPT_POLICY = f"{POLICY}; script-src 'self' file:"
"""What a page with the scripts beside it may load."""


@cache
def _template_environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("facelet.pipeline.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read_asset(name: str) -> str:
    """Return a file of the templates' folder, such as the style or a script."""
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")


def render_page(template: str, values: Mapping[str, object], *, policy: str = POLICY) -> str:
    """Return a page.

    Args:
        template: name of the template, without its ending.
        values: what it shows.
        policy: what it may load.
    """
    known = {
        "style": Markup(read_asset("style.css")),
        "policy": Markup(policy),
        "links": (),
        "here": "",
    }
    return (
        _template_environment().get_template(f"{template}.html.jinja").render({**known, **values})
    )
