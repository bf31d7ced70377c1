"""How docstrings name the works they follow."""

import re

# "Vaswani et al. (2017)", "Kingma and Ba (2015)", "Ackley, Hinton and Sejnowski (1985)", "Bridle (1990)"
WORK = re.compile(r"([A-Z][\w-]+)(?:(?:, [A-Z][\w-]+)* and [A-Z][\w-]+| et al\.)?,? \((\d{4})\)")


def sources(text: str) -> set[str]:
    """The keys of the works in the paragraphs that begin with Source."""
    sources = re.findall(r"^ *Source: (.*?)(?:\n\s*\n|\"\"\")", text, re.MULTILINE | re.DOTALL)
    return {author.lower() + year for source in sources for author, year in WORK.findall(" ".join(source.split()))}
