#!/usr/bin/env python3
"""Prints the units of a markdown document that are labelled: paragraphs, list items, tables, quotations.

usage: units.py FILE

A unit is a line number and the text without its nested blocks. Headings and code blocks are no units of their own.
"""
import re
import sys

ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


def units(text):
    found, fence, current, in_front = [], None, None, False
    # Comments are removed, but not their lines.
    text = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.S)
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if number == 1 and bare == "---":
            in_front = True
            continue
        if in_front:
            in_front = bare != "---"
            continue
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            if mark and mark.group(1).startswith(fence) and bare == mark.group(1):
                fence = None
            continue
        if mark:
            fence, current = mark.group(1), None
            continue
        is_setext = number < len(lines) and re.fullmatch(r"\s*(=+|-{3,})\s*", lines[number] or "")
        if not bare or bare.startswith(("#", "<")) or re.fullmatch(r"[-*_=]{3,}", bare) or (is_setext and current is None):
            current = None
            continue
        kind = "item" if ITEM.match(line) else "quote" if bare.startswith(">") else "table" if bare.startswith("|") else "text"
        if current is not None and kind != "item" and (kind == current[2] or kind == "text"):
            current[1] += " " + bare
        else:
            current = [number, ITEM.sub("", line, count=1).strip(), kind]
            found.append(current)
    return [(number, words, kind) for number, words, kind in found]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as document:
        for number, words, kind in units(document.read()):
            print(f"{number}\t{kind}\t{words}")
