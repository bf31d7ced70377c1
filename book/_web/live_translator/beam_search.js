// Search with beams, as clearformer.decoding.beam_search does it with a length penalty of 1.
(() => {
  const { largest, softmax } = globalThis.clearformer;

  // Hypotheses {tokens, score}, best first; the score is the mean log-probability of a token. `writing` takes a token
  // and gives the logits of the next (step), and can be continued in several ways (copy).
  const beamSearch = (writing, start, { nBeams, longest, end }) => {
    let beams = [{ writing, tokens: [], sum: 0 }];
    let pool = [];
    for (let length = 1; length <= longest; length++) {
      const candidates = continued(beams, start, 2 * nBeams);
      const open = [];
      candidates.forEach((candidate, rank) => {
        const isOpen = candidate.tokens.at(-1) !== end && length < longest;
        if (isOpen) open.push(candidate);
        else if (rank < nBeams) pool.push({ tokens: candidate.tokens, score: candidate.sum / length });
      });
      pool = pool.sort((a, b) => b.score - a.score).slice(0, nBeams);
      // Log-probabilities only fall: the best that a beam may hope for is its present one over the greatest length.
      if (!open.length || (pool.length === nBeams && open[0].sum / longest <= pool.at(-1).score)) break;
      beams = open.slice(0, nBeams).map((beam) => ({ ...beam, writing: beam.writing.copy() }));
    }
    return pool;
  };

  // The most likely continuations of all beams, best first; each beam has one that ends it, so twice as many as
  // beams hold as many that are open.
  const continued = (beams, start, count) => {
    const all = beams.flatMap(({ writing, tokens, sum }) => {
      const probabilities = softmax(writing.step(tokens.at(-1) ?? start));
      const tokenOf = (token) => ({ writing, tokens: [...tokens, token], sum: sum + Math.log(probabilities[token]) });
      return largest(probabilities, count).map(tokenOf);
    });
    return all.sort((a, b) => b.sum - a.sum).slice(0, count);
  };

  Object.assign(globalThis.clearformer, { beamSearch });
})();
