// WordPiece with capitals kept, as clearformer.tokenizers.WordPieceTokenizer does it, and texts framed as BERT reads them.
(() => {
  // As linebyline.masked_language_model.SPECIAL; ordinary pieces follow.
  const SPECIAL = { PAD: 0, UNKNOWN: 1, CLS: 2, SEP: 3, MASK: 4 };
  const CONTINUATION = "##";
  const LONGEST_WORD = 100;
  // White_Space in the place of \s: the two differ at U+0085 and U+FEFF, and Python means the former.
  const WORD = /\[MASK\]|[^\p{White_Space}\p{P}$+<=>^`|~]+|[\p{P}$+<=>^`|~]/gu;

  class WordPiece {
    // tokens: each at its id.
    constructor(tokens) {
      this.tokens = tokens;
      this.ids = new Map(tokens.map((token, id) => [token, id]).slice(Object.keys(SPECIAL).length));
    }

    // The words of a text with their pieces, [{text, ids}]; a [MASK] that was typed is one.
    words(text) {
      const found = wellFormed(text).match(WORD) ?? [];
      return found.map((word) => ({ text: word, ids: word === "[MASK]" ? [SPECIAL.MASK] : this.pieces(word) }));
    }

    // The longest known piece from the left, again and again; [UNK] where there is none.
    pieces(word) {
      const letters = [...word];
      if (letters.length > LONGEST_WORD) return [SPECIAL.UNKNOWN];
      const ids = [];
      for (let start = 0; start < letters.length; ) {
        const prefix = start ? CONTINUATION : "";
        let end = letters.length;
        while (end > start && !this.ids.has(prefix + letters.slice(start, end).join(""))) end--;
        if (end === start) return [SPECIAL.UNKNOWN];
        ids.push(this.ids.get(prefix + letters.slice(start, end).join("")));
        start = end;
      }
      return ids;
    }

    // The text of pieces, one blank between words.
    decode(ids) {
      const glue = (token, i) => (token.startsWith(CONTINUATION) && i ? token.slice(CONTINUATION.length) : (i ? " " : "") + token);
      return this.spell(ids).map(glue).join("");
    }

    spell(ids) {
      return ids.map((id) => this.tokens[id]);
    }
  }

  // Lone surrogates are read as U+FFFD.
  const wellFormed = (text) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));

  Object.assign((globalThis.clearformer ??= {}), { SPECIAL, WordPiece });
})();
