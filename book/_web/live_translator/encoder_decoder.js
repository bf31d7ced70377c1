// The first Transformer, norms behind its layers, as clearformer.functional.encoder_decoder computes it; what is written
// keeps the keys and values of the words so far.
(() => {
  const { PostNormLayers, linear, rooms } = globalThis.clearformer;

  const relu = (z) => Math.max(z, 0);
  // Numbers put in their places among so many, and 0 in all others.
  const spread = (numbers, places, count) => {
    const wide = new Float64Array(count);
    numbers.forEach((number, n) => (wide[places[n]] = number));
    return wide;
  };

  class EncoderDecoder extends PostNormLayers {
    constructor(model) {
      super(model, relu, 1e-5); // and longest: how many words it writes
      this.table = this.weights["encoder.embedding.table"]; // (vocab_size, d_model)
      this.vocab_size = this.table.length / this.d_model;
    }

    // √d_model times the row of the token, plus the sines and cosines of its position, (d_model,).
    embed(id, position) {
      const { d_model, table } = this;
      const wave = (i) => {
        const angle = position * 10000 ** (-(i - (i % 2)) / d_model);
        return i % 2 ? Math.cos(angle) : Math.sin(angle);
      };
      return Float64Array.from(this.row(table, id), (value, i) => Math.sqrt(d_model) * value + wave(i));
    }

    // Read a sentence: the weights of its words on each other, maps[layer][query][head], and for each layer of the
    // decoder the keys and values that it will look at. Those of hidden places are left out; with both, no word of the
    // encoder sees a hidden one either.
    encode(ids, hidden = new Set(), both = false) {
      const all = [...ids.keys()];
      const shown = all.filter((place) => !hidden.has(place));
      const read = both ? shown : all;
      const found = this.readAll("encoder.blocks", read.map((place) => ids[place]), read);
      const states = found.states.filter((_, n) => !hidden.has(read[n]));
      const nothing = rooms(this.n_heads, ids.length);
      const wide = (rows) => rows?.map((row) => spread(row, read, ids.length)) ?? nothing;
      const maps = found.maps.map((queries) => all.map((place) => wide(queries[read.indexOf(place)])));
      const layers = Array.from({ length: this.n_layers }, (_, layer) => `decoder.blocks.${layer}.cross`);
      return { length: ids.length, shown, maps, memories: layers.map((name) => this.remember(name, states)) };
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
        const found = rooms(n_heads, read.shown.length);
        x = model.look(`${block}.cross`, `${block}.norm_cross`, x, read.memories[layer], found);
        seen[layer] = found.map((row) => spread(row, read.shown, read.length));
        x = model.feedForward(block, x);
      }
      maps.push(seen);
      return linear(model.table, null, x, new Float64Array(model.vocab_size));
    }
  }

  Object.assign(globalThis.clearformer, { EncoderDecoder, Writing });
})();
