"""What several exercises share: merging pairs of tokens, in the right way and in wrong ones."""

from typing import Any


def apply(tokens: Any, pair: Any) -> list[Any]:
    merged: list[Any] = []
    for token in tokens:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return merged


def apply_once(tokens: Any, pair: Any) -> Any:
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) == pair:
            return [*tokens[:i], pair[0] + pair[1], *tokens[i + 2 :]]
    return list(tokens)


def apply_in_text(tokens: Any, pair: Any) -> Any:
    blanks = " ".join(tokens).replace(f"{pair[0]} {pair[1]}", pair[0] + pair[1])
    return blanks.split(" ")
