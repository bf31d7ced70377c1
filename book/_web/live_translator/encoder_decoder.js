// The first Transformer, norms behind its layers, as clearformer.functional.encoder_decoder computes it; what is written
// keeps the keys and values of the words so far.
(() => {
  const { attend, layerNorm, linear, unpack } = globalThis.clearformer;

  const rooms = (count, size) => Array.from({ length: count }, () => new Float64Array(size));

  class EncoderDecoder {
    constructor(model) {
      Object.assign(this, model.sizes); // context, d_model, longest, n_heads, n_layers
      this.weights = unpack(model);
      this.table = this.weights["encoder.embedding.table"]; // (vocab_size, d_model)
      this.vocab_size = this.table.length / this.d_model;
    }

    // √d_model times the row of the token, plus the sines and cosines of its position, (d_model,).
    embed(id, position) {
      const { d_model, table } = this;
      if (!(id >= 0 && id < this.vocab_size)) throw new RangeError(`id ${id} is not among ${this.vocab_size} tokens`);
      const wave = (i) => {
        const angle = position * 10000 ** (-(i - (i % 2)) / d_model);
        return i % 2 ? Math.cos(angle) : Math.sin(angle);
      };
      return Float64Array.from({ length: d_model }, (_, i) => Math.sqrt(d_model) * table[id * d_model + i] + wave(i));
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

    // LayerNorm(x + found).
    added(name, x, found) {
      const { weights } = this;
      const sum = x.map((value, i) => value + found[i]);
      return layerNorm(sum, weights[`${name}.gamma`], weights[`${name}.beta`], new Float64Array(x.length));
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
      const hidden = this.product(`${block}.feed_forward`, "in", x).map((z) => Math.max(z, 0));
      return this.added(`${block}.norm_feed_forward`, x, this.product(`${block}.feed_forward`, "out", hidden));
    }

    // Read a sentence: the weights of its words on each other, maps[layer][query][head], and for each layer of the
    // decoder the keys and values that it will look at.
    encode(ids) {
      const S = ids.length;
      if (!S || S > this.context) throw new RangeError(`${S} tokens, but the model reads 1 to ${this.context}`);
      let x = ids.map((id, position) => this.embed(id, position));
      const maps = [];
      for (let layer = 0; layer < this.n_layers; layer++) {
        const block = `encoder.blocks.${layer}`;
        const memory = this.remember(`${block}.attention`, x);
        const found = (maps[layer] = x.map(() => rooms(this.n_heads, S)));
        x = x.map((row, t) => this.look(`${block}.attention`, `${block}.norm_attention`, row, memory, found[t]));
        x = x.map((row) => this.feedForward(block, row));
      }
      const layers = Array.from({ length: this.n_layers }, (_, layer) => `decoder.blocks.${layer}.cross`);
      return { length: S, maps, memories: layers.map((name) => this.remember(name, x)) };
    }
  }

  // A translation as it is written: what the decoder remembers of the words so far.
  class Writing {
    constructor(model, read) {
      Object.assign(this, { model, read });
      this.maps = []; // [position][layer][head], (S,): what each position looked at in the sentence
      this.past = rooms(2 * model.n_layers, model.longest * model.d_model); // keys and values of each layer
    }

    // The same so far, to be continued in another way.
    copy() {
      const twin = Object.assign(Object.create(Writing.prototype), this);
      twin.maps = [...this.maps];
      twin.past = this.past.map((numbers) => numbers.slice());
      return twin;
    }

    // Take in one word more; the logits of the next one, (vocab_size,).
    step(id) {
      const { model, read, maps, past } = this;
      const { d_model, n_heads } = model;
      const position = maps.length;
      if (position >= model.longest) throw new RangeError(`word ${position}, but the model writes at most ${model.longest}`);
      let x = model.embed(id, position);
      const seen = [];
      for (let layer = 0; layer < model.n_layers; layer++) {
        const block = `decoder.blocks.${layer}`;
        const [keys, values] = past.slice(2 * layer, 2 * layer + 2);
        const row = model.remember(`${block}.attention`, [x]);
        keys.set(row.keys, position * d_model);
        values.set(row.values, position * d_model);
        const back = rooms(n_heads, position + 1);
        x = model.look(`${block}.attention`, `${block}.norm_attention`, x, { keys, values }, back);
        seen[layer] = rooms(n_heads, read.length);
        x = model.look(`${block}.cross`, `${block}.norm_cross`, x, read.memories[layer], seen[layer]);
        x = model.feedForward(block, x);
      }
      maps.push(seen);
      return linear(model.table, null, x, new Float64Array(model.vocab_size));
    }
  }

  Object.assign(globalThis.clearformer, { EncoderDecoder, Writing });
})();
