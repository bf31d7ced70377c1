// What models are made of. The weights are float32, all numbers made from them float64.
(() => {
  // out = W x + b, with W by rows; four rows at a time, because one sum alone waits for each of its additions.
  const linear = (w, b, x, out) => {
    const [n, d] = [out.length, x.length];
    let row = 0;
    for (; row + 3 < n; row += 4) {
      const [at0, at1, at2, at3] = [row * d, (row + 1) * d, (row + 2) * d, (row + 3) * d];
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      for (let i = 0; i < d; i++) {
        const value = x[i];
        s0 += w[at0 + i] * value;
        s1 += w[at1 + i] * value;
        s2 += w[at2 + i] * value;
        s3 += w[at3 + i] * value;
      }
      out[row] = s0;
      out[row + 1] = s1;
      out[row + 2] = s2;
      out[row + 3] = s3;
    }
    for (; row < n; row++) for (let i = 0; i < d; i++) out[row] += w[row * d + i] * x[i];
    if (b) for (let i = 0; i < n; i++) out[i] += b[i];
    return out;
  };

  const layerNorm = (x, gamma, beta, out, eps = 1e-5) => {
    const n = x.length;
    let mean = 0;
    for (let i = 0; i < n; i++) mean += x[i] / n;
    let variance = 0;
    for (let i = 0; i < n; i++) variance += (x[i] - mean) ** 2 / n;
    const factor = 1 / Math.sqrt(variance + eps);
    for (let i = 0; i < n; i++) out[i] = (x[i] - mean) * factor * gamma[i] + beta[i];
    return out;
  };

  // erf(x) = 2/√π e^(-x²) Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)): all terms of one sign, so nothing cancels.
  const erf = (x) => {
    if (Math.abs(x) > 5.9) return Math.sign(x);
    let [term, sum] = [x, x];
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) sum += term *= (2 * x * x) / (2 * n + 1);
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  };

  const gelu = (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2));

  // Attention of one query, (d_model,), to the first rows of keys and values, (n, d_model). In each head
  // softmax(q k / √d_k), written into weights[head], (n,), and then the mean of the values.
  const attend = (query, keys, values, weights) => {
    const d_model = query.length;
    const d_k = d_model / weights.length;
    const output = new Float64Array(d_model);
    weights.forEach((row, head) => {
      const first = head * d_k;
      const n = row.length;
      let [highest, total] = [-Infinity, 0];
      for (let s = 0; s < n; s++) {
        let score = 0;
        for (let i = first; i < first + d_k; i++) score += query[i] * keys[s * d_model + i];
        row[s] = score / Math.sqrt(d_k);
        highest = Math.max(highest, row[s]);
      }
      for (let s = 0; s < n; s++) total += row[s] = Math.exp(row[s] - highest);
      for (let s = 0; s < n; s++) row[s] /= total;
      for (let i = first; i < first + d_k; i++) {
        let sum = 0;
        for (let s = 0; s < n; s++) sum += row[s] * values[s * d_model + i];
        output[i] = sum;
      }
    });
    return output;
  };

  const softmax = (logits) => {
    const highest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
    const exponentials = Float64Array.from(logits, (z) => Math.exp(z - highest));
    const total = exponentials.reduce((a, b) => a + b, 0);
    return exponentials.map((e) => e / total);
  };

  // Where the largest numbers stand, the largest first, of equal ones the first.
  const largest = (values, count) => {
    const best = [];
    for (let i = 0; i < values.length; i++) {
      if (best.length === count && !(values[i] > values[best[count - 1]])) continue;
      let place = best.length;
      while (place && values[i] > values[best[place - 1]]) place--;
      best.splice(place, 0, i);
      best.length = Math.min(best.length, count);
    }
    return best;
  };

  Object.assign((globalThis.clearformer ??= {}), { attend, erf, gelu, largest, layerNorm, linear, softmax });
})();
