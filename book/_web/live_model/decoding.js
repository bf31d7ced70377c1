// From logits to a token, as clearformer.decoding does it: temperature, then top-k, then top-p, then a draw.
(() => {
  const { softmax } = globalThis.clearformer;

  const temperature = (logits, tau) => Float64Array.from(logits, (z) => z / tau);

  // Tokens tied with the k-th highest all stay.
  const topK = (logits, k) => {
    if (k >= logits.length) return logits;
    const kth = logits.slice().sort()[logits.length - k];
    return logits.map((z) => (z < kth ? -Infinity : z));
  };

  // A token falls out when it and all less likely ones sum to 1 - p at most; of tied ones the lower ids first.
  const topP = (logits, p) => {
    if (p >= 1) return logits;
    const order = Array.from(logits.keys()).sort((a, b) => logits[a] - logits[b] || a - b);
    const probabilities = softmax(order.map((id) => logits[id]));
    const kept = Float64Array.from(logits);
    let below = 0;
    for (let i = 0; i + 1 < order.length; i++) {
      below += probabilities[i];
      if (below <= 1 - p) kept[order[i]] = -Infinity;
    }
    return kept;
  };

  const process = (logits, { tau, k, p }) => softmax(topP(topK(temperature(logits, tau), k), p));

  // The token in whose part of the line the dart sticks; u lies in [0, 1), the dart in [0, total).
  const draw = (probabilities, u) => {
    let total = 0;
    const ends = probabilities.map((probability) => (total += probability));
    return ends.findIndex((end) => end > u * total);
  };

  // Mulberry32 by Tommy Ettinger: numbers in [0, 1), the same for the same seed in every browser.
  const generator = (seed) => {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
  };

  Object.assign(globalThis.clearformer, { draw, generator, process, temperature, topK, topP });
})();
