"""`python -m attention_kata.messages.catalogue`: writes locale/kata.pot, from which a language's catalogue is made."""

from __future__ import annotations

import io

from .render import LOCALES, texts

POT = LOCALES / "kata.pot"


def fresh_pot() -> bytes:
    """All texts there are to translate, each under its template's id, or `id:public` for that audience."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import write_po

    catalogue = Catalog()
    for context, one, many in texts():
        catalogue.add((one, many) if many else one, context=context)
    written = io.BytesIO()
    write_po(written, catalogue, width=120, omit_header=True)  # a header would differ from day to day
    return written.getvalue()


if __name__ == "__main__":
    POT.parent.mkdir(exist_ok=True)
    POT.write_bytes(fresh_pot())
