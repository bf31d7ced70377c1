// A BERT that guesses hidden tokens, as linebyline.masked_language_model.encoder puts it together.
(() => {
  const { PostNormLayers, gelu, linear } = globalThis.clearformer;

  class MaskedLanguageModel extends PostNormLayers {
    constructor(model) {
      super(model, gelu, model.sizes.eps);
      this.table = this.weights["embedding.table"]; // (vocab_size, d_model)
    }

    // The norm of the sum: the row of the token, that of its position and that of the first segment, (d_model,).
    embed(id, position) {
      const { d_model, weights } = this;
      const positions = weights["embedding.position.table"].subarray(position * d_model);
      const segment = weights["embedding.segments"];
      const sum = Float64Array.from(this.row(this.table, id), (value, i) => value + positions[i] + segment[i]);
      return this.norm("embedding.norm", sum);
    }

    // The states of all tokens and maps[layer][query][head], (T,).
    encode(ids) {
      return this.readAll("blocks", ids);
    }

    // Score every token by a state, (vocab_size,).
    guess(state) {
      const { d_model, table, weights } = this;
      const dense = linear(weights["head.dense.w"], weights["head.dense.b"], state, new Float64Array(d_model));
      const c = weights["head.c"];
      return linear(table, c, this.norm("head.norm", dense.map(gelu)), new Float64Array(c.length));
    }
  }

  Object.assign(globalThis.clearformer, { MaskedLanguageModel });
})();
