#!/usr/bin/env python3
"""Writes the tables that prompt cleaning looks things up in: sgf/text/tables/*_tables.cpp.

    python3 -m venv tables && tables/bin/pip install ftfy==6.3.1
    tables/bin/python tools/generate_text_tables.py

Facts only, from where they are published: Python's Unicode data, code pages and list of HTML5 entities, and the classes
of characters that ftfy (Apache-2.0) counts as signs of mojibake.
"""
import html
import html.entities
import itertools
import pathlib
import re
import sys
import unicodedata

from ftfy import chardata
from ftfy.badness import MOJIBAKE_CATEGORIES

FOLDER = "sgf/text/tables"
OUT = pathlib.Path(__file__).parent.parent / FOLDER
WIDTH = 120
# The order of the bits of MojibakeClass.
CLASSES = ["common", "c1", "bad", "law", "currency", "start_punctuation", "end_punctuation", "numeric", "kaomoji",
           "upper_accented", "lower_accented", "upper_common", "lower_common", "box"]
CLUES = ["utf8_first_of_2", "utf8_first_of_3", "utf8_first_of_4", "utf8_continuation", "utf8_continuation_strict"]


def lines_of(items):
    line = " "
    for item in items:
        if len(line) + len(item) + 2 > WIDTH:
            yield line
            line = " "
        line += f" {item},"
    yield line


def array(kind, name, items):
    return "\n".join([f"constexpr {kind} {name}[] = {{", *lines_of(items), "};"]) + "\n"


def accessor(kind, function, name):
    return f"std::span<const {kind}> {function}() {{ return {name}; }}\n"


def write(name, comment, parts):
    head = f'// {comment}\n// Written by tools/generate_text_tables.py; change it there.\n#include "{FOLDER}/{name}.h"\n'
    body = "\n".join(parts)
    text = f"{head}\nnamespace sgf {{\nnamespace {{\n\n// clang-format off\n{body}// clang-format on\n\n"
    return text


def finish(name, comment, tables):
    arrays = "\n".join(array(kind, f"k{function.title().replace('_', '')}", items) for kind, function, items in tables)
    functions = "".join(accessor(kind, function, f"k{function.title().replace('_', '')}") for kind, function, _ in tables)
    text = write(name, comment, [arrays]) + "}  // namespace\n\n" + functions + "\n}  // namespace sgf\n"
    (OUT / f"{name}.cpp").write_text(text)


def ranges(points):
    """Runs of (first, last) over sorted code points."""
    for _, group in itertools.groupby(enumerate(sorted(points)), lambda pair: pair[1] - pair[0]):
        run = [point for _, point in group]
        yield run[0], run[-1]


def all_characters():
    return [chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF]


def is_hangul(point):
    return 0xAC00 <= point <= 0xD7A3


def decompositions():
    composed, only_apart = [], []
    for char in all_characters():
        canonical = unicodedata.decomposition(char)
        if not canonical or canonical.startswith("<") or is_hangul(ord(char)):
            continue
        parts = [int(part, 16) for part in canonical.split()]
        entry = "{0x%X, 0x%X, 0x%X}" % (ord(char), parts[0], parts[1] if len(parts) > 1 else 0)
        (composed if unicodedata.normalize("NFC", char) == char else only_apart).append(entry)
    return composed, only_apart


def combining_classes():
    by_class = {}
    for char in all_characters():
        if unicodedata.combining(char):
            by_class.setdefault(unicodedata.combining(char), []).append(ord(char))
    runs = [(first, last, number) for number, points in by_class.items() for first, last in ranges(points)]
    return ["{0x%X, 0x%X, %d}" % run for run in sorted(runs)]


def literal(text):
    out = ""
    for char in text:
        if char in '"\\':
            out += "\\" + char
        elif 32 <= ord(char) < 127:
            out += char
        elif char == "\n":
            out += "\\n"
        elif char == "\t":
            out += "\\t"
        else:
            out += "\\u%04X" % ord(char) if ord(char) < 0x10000 else "\\U%08X" % ord(char)
    return f'U"{out}"'


def replacements(table):
    return ["{0x%X, %s}" % (point, literal(form)) for point, form in sorted(table.items())]


def unicode_tables():
    composed, only_apart = decompositions()
    word = [ord(char) for char in all_characters() if re.match(r"\w", char)]
    finish("unicode_tables", f"Of Unicode {unicodedata.unidata_version}, what NFC and the widths of letters need.", [
        ("Decomposition", "composed_letters", composed),
        ("Decomposition", "letters_kept_apart", only_apart),
        ("CombiningRange", "combining_ranges", combining_classes()),
        ("Replacement", "width_forms", replacements(chardata.WIDTH_MAP)),
        ("Replacement", "latin_ligatures", replacements(chardata.LIGATURES)),
        ("CodePointRange", "word_ranges", ["{0x%X, 0x%X}" % run for run in ranges(word)]),
    ])


def entity_entries(entities):
    return [f'{{"{name}", {literal(value)}}}' for name, value in sorted(entities.items())]


def html_tables():
    capitals = {name[1:]: value for name, value in chardata.HTML_ENTITIES.items() if name[1:] not in html.entities.html5}
    finish("html_entity_tables", "The named characters of HTML5, and those that are read in capitals too.", [
        ("HtmlEntity", "html_entities", entity_entries(html.entities.html5)),
        ("HtmlEntity", "capital_entities", entity_entries(capitals)),
    ])


def members(classes):
    return {ord(char) for char in all_characters()[: 0x10000] if re.match(f"[{classes}]", char)}


def class_entries():
    masks = {}
    for bit, name in enumerate(CLASSES + CLUES):
        for point in members(MOJIBAKE_CATEGORIES.get(name) or chardata.UTF8_CLUES[name]):
            masks[point] = masks.get(point, 0) | 1 << bit
    runs = []
    for mask in sorted(set(masks.values())):
        runs += [(first, last, mask) for first, last in ranges(p for p, m in masks.items() if m == mask)]
    return ["{0x%X, 0x%X, 0x%X}" % run for run in sorted(runs)]


def code_page(encoding):
    upper = bytes(range(0x80, 0x100)).decode(encoding)
    assert len(set(upper)) == 128 and bytes(range(0x80)).decode(encoding).replace("\ufffd", "\x1a").isascii()
    return ["0x%X" % ord(char) for char in upper]


def mojibake_tables():
    pages = [entry for encoding in chardata.CHARMAP_ENCODINGS for entry in code_page(encoding)]
    finish("mojibake_tables", "Characters that UTF-8 turns into when it is read as something else.", [
        ("MojibakeRange", "mojibake_ranges", class_entries()),
        ("char16_t", "code_page_characters", pages),
    ])


if __name__ == "__main__":
    unicode_tables()
    html_tables()
    mojibake_tables()
