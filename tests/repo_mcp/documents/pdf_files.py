"""Small PDF files, written by hand."""

from __future__ import annotations

import zlib
from collections.abc import Sequence


def pdf_of(*pages: Sequence[str], compress: bool = False) -> bytes:
    """A file with these pages, each a list of lines."""
    objects: list[bytes] = [b"", b""]
    kids = []
    for lines in pages:
        rows = "\n".join(f"({line}) Tj 0 -14 Td" for line in lines)
        stream = f"BT /F1 12 Tf 72 720 Td\n{rows}\nET".encode()
        extra = b"/Filter /FlateDecode " if compress else b""
        stream = zlib.compress(stream) if compress else stream
        content = b"<< %s/Length %d >>\nstream\n%s\nendstream" % (extra, len(stream), stream)
        objects.append(content)
        font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources %s"
        objects.append((page + b" /Contents %d 0 R >>") % (font, len(objects)))
        kids.append(b"%d 0 R" % len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    return with_table(objects)


def with_table(objects: Sequence[bytes]) -> bytes:
    """A file of these objects, numbered from 1; the first is the catalog."""
    whole = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(whole))
        whole += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return whole + head + trailer % (size, len(whole))


def bomb(size: int) -> bytes:
    """A page whose content unpacks to so many bytes of text that is shown."""
    stream = zlib.compress(b"BT /F1 12 Tf " + b"(aaaaaaaa) Tj " * (size // 14) + b" ET", 9)
    font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    return with_table(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
            b"<< /Type /Page /Parent 2 0 R /Resources %s /Contents 3 0 R >>" % font,
        ]
    )


def circle() -> bytes:
    """Pages that are their own parents."""
    return with_table(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 99999999 /Parent 2 0 R >>",
        ]
    )
