// Layers with norms behind them, as in the first Transformer and in BERT, and a stack of them that sees all it reads.
(() => {
  const { attend, layerNorm, linear, unpack } = globalThis.clearformer;

  const rooms = (count, size) => Array.from({ length: count }, () => new Float64Array(size));

  // A kind of model embeds a token at a position: embed(id, position), (d_model,).
  class PostNormLayers {
    // activation: what the feed-forward layers do with each number; eps: what the norms add to the variance.
    constructor(model, activation, eps) {
      Object.assign(this, model.sizes, { activation, eps }); // context, d_model, n_heads, n_layers
      this.weights = unpack(model);
    }

    // The row of a token in a table of embeddings, (d_model,).
    row(table, id) {
      const { d_model } = this;
      const count = table.length / d_model;
      if (!(id >= 0 && id < count)) throw new RangeError(`id ${id} is not among ${count} tokens`);
      return table.subarray(id * d_model, (id + 1) * d_model);
    }

    // Rows first to last of a layer's matrix of queries, keys and values, times x.
    project(name, x, first, last) {
      const { d_model, weights } = this;
      const w = weights[`${name}.w_qkv`].subarray(first * d_model * d_model, last * d_model * d_model);
      const b = weights[`${name}.b_qkv`].subarray(first * d_model, last * d_model);
      return linear(w, b, x, new Float64Array((last - first) * d_model));
    }

    product(name, kind, x) {
      const bias = this.weights[`${name}.b_${kind}`];
      return linear(this.weights[`${name}.w_${kind}`], bias, x, new Float64Array(bias.length));
    }

    norm(name, x) {
      const { eps, weights } = this;
      return layerNorm(x, weights[`${name}.gamma`], weights[`${name}.beta`], new Float64Array(x.length), eps);
    }

    // LayerNorm(x + found).
    added(name, x, found) {
      return this.norm(name, x.map((value, i) => value + found[i]));
    }

    // Keys and values that a layer makes of vectors, one row each; room for so many.
    remember(name, vectors) {
      const { d_model } = this;
      const [keys, values] = rooms(2, vectors.length * d_model);
      vectors.forEach((x, position) => {
        const both = this.project(name, x, 1, 3);
        keys.set(both.subarray(0, d_model), position * d_model);
        values.set(both.subarray(d_model), position * d_model);
      });
      return { keys, values };
    }

    // What a layer finds for x among keys and values, normed; its weights go into maps, (n, ) for each head.
    look(name, norm, x, { keys, values }, maps) {
      const heads = attend(this.project(name, x, 0, 1), keys, values, maps);
      return this.added(norm, x, this.product(name, "o", heads));
    }

    feedForward(block, x) {
      const hidden = this.product(`${block}.feed_forward`, "in", x).map(this.activation);
      return this.added(`${block}.norm_feed_forward`, x, this.product(`${block}.feed_forward`, "out", hidden));
    }

    // Read tokens through blocks in which each sees all: their states, and maps[layer][query][head], (S,). The tokens are
    // at the positions 0, 1, 2 and so on, unless their places are given.
    readAll(blocks, ids, places = [...ids.keys()]) {
      const S = ids.length;
      if (!S || S > this.context) throw new RangeError(`${S} tokens, but the model reads 1 to ${this.context}`);
      let states = ids.map((id, n) => this.embed(id, places[n]));
      const maps = [];
      for (let layer = 0; layer < this.n_layers; layer++) {
        const block = `${blocks}.${layer}`;
        const memory = this.remember(`${block}.attention`, states);
        const found = (maps[layer] = states.map(() => rooms(this.n_heads, S)));
        const look = (x, t) => this.look(`${block}.attention`, `${block}.norm_attention`, x, memory, found[t]);
        states = states.map(look).map((x) => this.feedForward(block, x));
      }
      return { states, maps };
    }
  }

  Object.assign(globalThis.clearformer, { PostNormLayers, rooms });
})();
