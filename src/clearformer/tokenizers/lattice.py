"""Sums over all ways to split words into pieces: forward and backward, for all words at once.

The edges of a lattice are the occurrences of pieces; its nodes are the positions between characters. The sum over
all paths to a node is the sum over the edges that end there, of the sums to their beginnings. Nodes at the same
distance from the beginnings of their words do not depend on each other, so each distance is one step of NumPy.

Source: Kudo (2018), section 3.2; Rabiner (1989) for forward and backward.
"""

import numpy as np
from jaxtyping import Bool, Float, Int

# One number for each edge, node, piece or word.
OfEdges = Int[np.ndarray, " n_edges"]
OfNodes = Float[np.ndarray, " n_nodes"]
OfPieces = Float[np.ndarray, " n_pieces"]
OfWords = Int[np.ndarray, " n_words"]


class Edges:
    """The occurrences of pieces, as edges from source to target nodes, in an order in which paths can be summed.

    ``distance`` says of each node how far it is from the nodes where all paths begin.

    Example:
        >>> edges = Edges(np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([0, 0, 1]), np.arange(3))  # a, a, aa
        >>> np.exp(edges.log_sums(np.log([0.5, 0.25]), np.array([0])))
        array([1. , 0.5, 0.5])
        >>> np.exp(edges.log_maxima(np.log([0.5, 0.25]), np.array([0])))
        array([1.  , 0.5 , 0.25])
    """

    def __init__(self, source: OfEdges, target: OfEdges, piece: OfEdges, distance: Int[np.ndarray, " n_nodes"]) -> None:
        """Sort by distance, then by target, so that the edges to one node are adjacent."""
        order = np.lexsort((target, distance[target]))
        self._distance = distance
        self._set(*(column[order].astype(np.int32) for column in (source, target, piece)))

    def _set(self, source: np.ndarray, target: np.ndarray, piece: np.ndarray) -> None:
        """Find the groups of edges with one target, and the steps: the groups at one distance."""
        self.source, self.target, self.piece = source, target, piece
        groups = np.flatnonzero(np.diff(target, prepend=-1))
        self._groups, self._reached = groups, target[groups]
        self._sizes = np.diff(groups, append=len(target))
        firsts = np.flatnonzero(np.diff(self._distance[self._reached], prepend=-1)).tolist()
        borders = [*groups[firsts].tolist(), len(target)]
        self._steps = list(zip(borders[:-1], borders[1:], firsts, [*firsts, len(groups)][1:], strict=True))

    def filtered(self, edges: Bool[np.ndarray, " n_edges"], number: Int[np.ndarray, " n_pieces"]) -> "Edges":
        """Some of the edges, with new numbers for the pieces."""
        fewer = object.__new__(Edges)
        fewer._distance = self._distance
        piece = number[self.piece[edges]].astype(np.int32)
        fewer._set(self.source[edges], self.target[edges], piece)
        return fewer

    def log_sums(self, scores: OfPieces, first: OfWords) -> OfNodes:
        """For each node, the logarithm of the sum over all paths to it from the first nodes."""
        values, edge_scores = self._zero_at(first), scores[self.piece]
        for start, end, group, last in self._steps:
            paths = values[self.source[start:end]] + edge_scores[start:end]
            starts = self._groups[group:last] - start
            best = np.maximum.reduceat(paths, starts)
            # Subtracting the best leaves the result unchanged and keeps exp finite.
            np.exp(paths - np.repeat(best, self._sizes[group:last]), out=paths)
            values[self._reached[group:last]] = best + np.log(np.add.reduceat(paths, starts))
        return values

    def log_maxima(self, scores: OfPieces, first: OfWords) -> OfNodes:
        """For each node, the best of all paths to it from the first nodes; minus infinity without any."""
        values, edge_scores = self._zero_at(first), scores[self.piece]
        for start, end, group, last in self._steps:
            paths = values[self.source[start:end]] + edge_scores[start:end]
            values[self._reached[group:last]] = np.maximum.reduceat(paths, self._groups[group:last] - start)
        return values

    def _zero_at(self, nodes: Int[np.ndarray, " n"]) -> OfNodes:
        values = np.full(len(self._distance), -np.inf)
        values[nodes] = 0.0
        return values


class Lattice:
    """The ways to split words into pieces.

    Each occurrence of a piece has a start and an end node, each word a first and a last one; its nodes are adjacent.
    """

    def __init__(self, start: OfEdges, end: OfEdges, piece: OfEdges, begin: OfWords, finish: OfWords) -> None:
        """Sort the edges for both directions."""
        self.begin, self.finish = begin, finish
        self._sizes = finish - begin + 1
        nodes = np.arange(self._sizes.sum())
        self._forward = Edges(start, end, piece, nodes - np.repeat(begin, self._sizes))
        self._backward = Edges(end, start, piece, np.repeat(finish, self._sizes) - nodes)

    def keep(self, kept: Bool[np.ndarray, " n_pieces"]) -> None:
        """Remove the other pieces, and renumber those that stay."""
        number = kept.cumsum() - 1
        self._forward = self._forward.filtered(kept[self._forward.piece], number)
        self._backward = self._backward.filtered(kept[self._backward.piece], number)

    def expected_counts(self, scores: OfPieces, repeats: Float[np.ndarray, " n_words"]) -> tuple[OfPieces, float]:
        """How often each piece is expected in all splits of all words, and the log-likelihood of the words.

        Example:
            >>> nodes = np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([0, 0, 1])  # a, a and aa
            >>> lattice = Lattice(*nodes, np.array([0]), np.array([2]))
            >>> lattice.expected_counts(np.log([0.5, 0.25]), np.array([3.0]))[0].round(2)
            array([3. , 1.5])
        """
        forward = self._forward.log_sums(scores, self.begin)
        backward = self._backward.log_sums(scores, self.finish)
        totals = forward[self.finish]
        log_weights = np.repeat(np.log(repeats) - totals, self._sizes)
        edges = self._forward
        log_counts = (forward + log_weights)[edges.source] + scores[edges.piece] + backward[edges.target]
        return np.bincount(edges.piece, np.exp(log_counts), minlength=len(scores)), float(repeats @ totals)
