"""The words that a page of samples/Document must show, and the words that pdftotext finds in the PDF."""

import re

import recorder

# Vertical range of a page's text, between running title and page number (points from the top).
_TEXT_AREA = ["-x", "60", "-y", "70", "-W", "475", "-H", "705"]


def words_of_input(text, copies):
    words, numbers = [], []
    for line in text.split("\n") * copies:
        heading = re.match(r"(#+) (.*)", line)
        if heading:
            level = len(heading[1])
            numbers = (numbers + [0] * level)[:level]
            numbers[-1] += 1
            words += [".".join(map(str, numbers)), *heading[2].split()]
        elif line.startswith("    "):
            words += line.split()
        elif line.startswith("|"):
            words += [word for cell in line.strip("|").split("|") for word in cell.split()]
        else:
            bullet = ["\u2022"] if line.startswith("- ") else []
            words += bullet + re.sub(r"([*_`])([^*_`]+)\1", r"\2", line.removeprefix("- ")).split()
    return words


def words_of_pages(file, first, last):
    done = recorder.execute(["pdftotext", "-raw", "-enc", "UTF-8", *_TEXT_AREA, "-f", str(first), "-l", str(last), str(file), "-"])
    if done.status != 0 or done.stderr:
        raise recorder.Failure(f"pdftotext ended with {done.status} and said {done.stderr.decode()!r}")
    return done.stdout.decode().split()
