"""`python -m docs`: write the documentation into docs/_build/html, as the site shows it."""

import os
import sys
from pathlib import Path

BUILT = Path(__file__).resolve().parent / "_build" / "html"


def main() -> int:
    """Write the pages. Returns 1, with a message, for a broken link or an unknown directive."""
    # Commands and the REST API are described by the code; no server is needed for that.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ.setdefault("SECRET_KEY", "the key of a site that only renders its pages")
    os.environ.setdefault("IDENTITY_KEYS", "documentation-documentation-documentation")
    import django

    django.setup()
    from config.documentation import static_pages
    from config.documentation.markdown import DocumentationError

    try:
        count = static_pages.write(BUILT)
    except DocumentationError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{count} pages in {BUILT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
