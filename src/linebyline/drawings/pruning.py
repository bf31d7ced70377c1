"""Pruning for Unigram: from all substrings of a few words to eleven pieces, stage by stage."""

from math import ceil, floor, log

from .kit import Canvas, Drawing

TEXT = {"ice": 5, "icecream": 4, "cream": 4, "dream": 3, "dreams": 2}
ROOM, SELDOM = 11, 0.5
WIDTHS = {"ice": 44, "cream": 64, "dream": 64, "dreams": 72, "icecream": 86}
ORDER = ("icecream", "dreams", "dream", "ice", "cream")  # by the cost of their removal


def listed(word: str, p: dict[str, float]) -> dict[tuple[str, ...], float]:
    """Return all cuts of a word and their probabilities.

    Example:
        >>> listed("ice", {"i": 0.5, "ce": 0.25, "ice": 0.1})
        {('i', 'ce'): 0.125, ('ice',): 0.1}
    """
    if not word:
        return {(): 1.0}
    ends = [t for t in range(1, len(word) + 1) if word[:t] in p]
    return {(word[:t], *cut): p[word[:t]] * x for t in ends for cut, x in listed(word[t:], p).items()}


def expected(p: dict[str, float]) -> dict[str, float]:
    """Return the expected count of each piece."""
    counts = dict.fromkeys(p, 0.0)
    for word, times in TEXT.items():
        ways = listed(word, p)
        for cut, x in ways.items():
            for piece in cut:
                counts[piece] += times * x / sum(ways.values())
    return counts


def one_step(p: dict[str, float]) -> dict[str, float]:
    """Return the expected counts; a letter counts at least one half, and rarer pieces are dropped."""
    return {v: max(x, SELDOM) for v, x in expected(p).items() if len(v) == 1 or x >= SELDOM}


def two_steps(p: dict[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Return the expected counts of the second of two steps, and the probabilities after it."""
    counts = dict[str, float]()
    for _ in range(2):
        counts = one_step(p)
        p = {v: x / sum(counts.values()) for v, x in counts.items()}
    return counts, p


def cost(v: str, counts: dict[str, float], p: dict[str, float]) -> float:
    """Return what the log-likelihood loses, by estimate, if the best other cut replaces a piece."""
    return counts[v] * (log(p[v]) - log(max(listed(v, {u: x for u, x in p.items() if u != v}).values())))


def all_pieces() -> dict[str, float]:
    """Return all substrings of the words, equally probable."""
    pieces = {w[b:t] for w in TEXT for t in range(1, len(w) + 1) for b in range(t)}
    return dict.fromkeys(sorted(pieces), 1 / len(pieces))


def stages() -> tuple[int, dict[str, float], dict[str, float], dict[str, float]]:
    """Return the number of substrings, the cost of each word, the probabilities before stage 4, and the last ones.

    Example:
        >>> n, costs, before, last = stages()
        >>> n, len(costs), len(before), len(last)
        (45, 5, 12, 11)
    """
    counts, p = two_steps(all_pieces())
    costs = {v: cost(v, counts, p) for v in p if len(v) > 1}
    cheapest = min(costs, key=lambda v: costs[v])
    _, before = two_steps({v: x for v, x in p.items() if v != cheapest})
    rarest = min((v for v in before if len(v) > 1), key=lambda v: before[v])
    counts = one_step({v: x for v, x in before.items() if v != rarest})
    return len(all_pieces()), costs, before, {v: x / sum(counts.values()) for v, x in counts.items()}


def pruning() -> Drawing:
    """Draw the pieces after each stage of pruning, with the costs and probabilities that decide."""
    n, costs, before, last = stages()
    canvas, letters = Canvas(354), sum(len(v) == 1 for v in last)
    assert tuple(sorted(costs, key=lambda v: costs[v])) == ORDER
    others = n - letters - len(TEXT)

    def row(y: float, words: str, size: int, pieces: dict[str, str], removed: str) -> None:
        canvas.note(4, y, words, "bold")
        canvas.note(356, y, f"{size} pieces", "bold", "end")
        x = 4.0
        for piece, number in pieces.items():
            width = WIDTHS.get(piece, 96)
            canvas.token(x + width / 2, y + 26, piece, width, "" if piece == removed else "lit")
            if piece == removed:
                canvas.line((x + 4, y + 38), (x + width - 4, y + 14), arrow=False, width=2)
            canvas.note(x + width / 2, y + 57, number, "", "middle")
            x += width + 5

    first = expected(all_pieces())
    least = min(first[v] for v in TEXT)
    most = max(x for v, x in first.items() if len(v) > 1 and v not in TEXT)
    kinds = {f"{letters} letters": "always kept", f"{len(TEXT)} words": f"above {floor(10 * least) / 10}"}
    kinds[f"{others} others"] = f"below {ceil(10 * most) / 10}"

    row(18, "1 and 2: expected counts", n, kinds, f"{others} others")
    row(104, "3: cost of removing a word", len(costs) + letters, {v: f"{costs[v]:.1f}" for v in ORDER}, ORDER[0])
    rest = sorted((v for v in before if len(v) > 1), key=lambda v: before[v])
    row(190, "4: probability", len(before), {v: f"{before[v]:.3f}" for v in rest}, rest[0])
    kept = sorted((v for v in last if len(v) > 1), key=lambda v: last[v])
    row(276, "at the end: probability", len(last), {v: f"{last[v]:.3f}" for v in kept}, "")
    said = ", ".join(f"{v} {costs[v]:.1f}" for v in ORDER)
    return canvas.finish(
        f"From {n} pieces to {len(last)}",
        f"Stages 1 and 2 begin with {n} pieces and remove {others} that are neither words nor letters. Stage 3 compares"
        f" the costs of removing a word, {said}, and removes {ORDER[0]}. Stage 4 compares the probabilities,"
        f" {', '.join(f'{v} {before[v]:.3f}' for v in rest)}, and removes {rest[0]}. What remains is {letters} letters"
        f" and {', '.join(f'{v} {last[v]:.3f}' for v in kept)}.",
    )
