// A decoder of GPT-2's blocks with rotary positions, one token at a time, as clearformer.functional.decoder computes it:
// the keys, turned, and values of the positions so far are kept. The weights are float32, all numbers made from them
// float64.
(() => {
  const { attend, gelu, layerNorm, linear, unpack } = globalThis.clearformer;

  // The cosine and the sine by which each pair of features turns at each position, (context, pairs).
  const rotation = (context, pairs) => {
    const angle = (_, at) => Math.floor(at / pairs) * 10000 ** (-(at % pairs) / pairs);
    const angles = Float64Array.from({ length: context * pairs }, angle);
    return { cos: angles.map(Math.cos), sin: angles.map(Math.sin) };
  };

  class Decoder {
    constructor({ sizes, tensors, bytes }) {
      Object.assign(this, sizes); // context, d_model, n_heads, n_layers
      this.d_k = this.d_model / this.n_heads;
      this.rotation = rotation(this.context, this.d_k / 2);
      this.weights = unpack({ tensors, bytes });
      this.vocab_size = this.weights["embedding.table"].length / this.d_model;
      this.length = 0; // positions read so far; a smaller number forgets the last ones
      const room = () => Array.from({ length: this.n_layers }, () => new Float64Array(this.context * this.d_model));
      [this.keys, this.values] = [room(), room()];
      this.maps = new Float64Array(this.n_layers * this.n_heads * this.context ** 2);
    }

    // Read one token more; the logits of the next one, (vocab_size,).
    read(id) {
      const { weights, d_model, length: position } = this;
      if (!(id >= 0 && id < this.vocab_size)) throw new RangeError(`id ${id} is not among ${this.vocab_size} tokens`);
      if (position >= this.context) throw new RangeError(`position ${position}, but the model has context=${this.context}`);
      const table = weights["embedding.table"];
      const x = Float64Array.from(table.subarray(id * d_model, (id + 1) * d_model));
      for (let layer = 0; layer < this.n_layers; layer++) this.block(layer, position, x);
      this.length = position + 1;
      const normed = layerNorm(x, weights["norm.gamma"], weights["norm.beta"], new Float64Array(d_model));
      return linear(table, null, normed, new Float64Array(this.vocab_size));
    }

    // Add to x, (d_model,), what the two layers of a block find.
    block(layer, position, x) {
      const part = (name) => this.weights[`blocks.${layer}.${name}`];
      const norm = (name) => layerNorm(x, part(`${name}.gamma`), part(`${name}.beta`), new Float64Array(x.length));
      const product = (name, input) => {
        const bias = part(name.replace("w_", "b_"));
        return linear(part(name), bias, input, new Float64Array(bias.length));
      };
      const add = (found) => found.forEach((value, i) => (x[i] += value));
      const qkv = product("attention.w_qkv", norm("norm_attention"));
      add(product("attention.w_o", this.attend(layer, position, qkv)));
      const hidden = product("feed_forward.w_in", norm("norm_feed_forward"));
      add(product("feed_forward.w_out", hidden.map(gelu)));
    }

    // Turn the pairs (i, i + d_k / 2) of the queries and keys of all heads by the angles of the position.
    turn(qkv, position) {
      const { cos, sin } = this.rotation;
      const half = this.d_k / 2;
      for (let head = 0; head < 2 * this.d_model; head += this.d_k) {
        for (let i = 0; i < half; i++) {
          const c = cos[position * half + i];
          const s = sin[position * half + i];
          const a = qkv[head + i];
          const b = qkv[head + half + i];
          qkv[head + i] = a * c - b * s;
          qkv[head + half + i] = a * s + b * c;
        }
      }
    }

    // Each head weighs the positions up to this one.
    attend(layer, position, qkv) {
      const { d_model } = this;
      const [keys, values] = [this.keys[layer], this.values[layer]];
      this.turn(qkv, position);
      keys.set(qkv.subarray(d_model, 2 * d_model), position * d_model);
      values.set(qkv.subarray(2 * d_model), position * d_model);
      const rows = Array.from({ length: this.n_heads }, (_, head) => this.attention(layer, head, position));
      return attend(qkv.subarray(0, d_model), keys, values, rows);
    }

    // The weights with which a head looks from a position at itself and those before, (position + 1,).
    attention(layer, head, position) {
      const start = ((layer * this.n_heads + head) * this.context + position) * this.context;
      return this.maps.subarray(start, start + position + 1);
    }
  }

  Object.assign(globalThis.clearformer, { Decoder });
})();
