// Byte-level byte-pair encoding with the pattern of GPT-2, as clearformer.tokenizers.BPETokenizer does it.
(() => {
  // White_Space in the place of \s: the two differ at U+0085 and U+FEFF, and Python means the former.
  const PRE_TOKEN =
    /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;
  const NAMES = { " ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍" };

  const bytesOf = (token) => Uint8Array.from(token, (character) => character.charCodeAt(0));

  class Tokenizer {
    // tokens: the bytes of each, a character a byte; merges: ids of left, right and both joined, end to end.
    constructor({ tokens, merges }) {
      this.bytes = tokens.map(bytesOf);
      this.byteIds = new Uint32Array(256);
      this.bytes.forEach((bytes, id) => bytes.length === 1 && (this.byteIds[bytes[0]] = id));
      this.spelt = [];
      this.ranks = new Map();
      for (let i = 0; i < merges.length; i += 3) {
        this.ranks.set(this.pair(merges[i], merges[i + 1]), { rank: i, joined: merges[i + 2] });
      }
    }

    pair(left, right) {
      return left * this.bytes.length + right;
    }

    encode(text) {
      const encoder = new TextEncoder(); // reads lone surrogates as U+FFFD
      const words = text.match(PRE_TOKEN) ?? [];
      return words.flatMap((word) => this.merge(Array.from(encoder.encode(word), (byte) => this.byteIds[byte])));
    }

    // Join the pair that was learnt earliest, the leftmost of its kind first, until no neighbours were ever learnt.
    merge(ids) {
      for (;;) {
        let best = { rank: Infinity };
        let place = -1;
        for (let i = 0; i + 1 < ids.length; i++) {
          const found = this.ranks.get(this.pair(ids[i], ids[i + 1]));
          if (found && found.rank < best.rank) [best, place] = [found, i];
        }
        if (place < 0) return ids;
        ids.splice(place, 2, best.joined);
      }
    }

    decode(ids) {
      const bytes = ids.flatMap((id) => [...this.bytes[id]]);
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
    }

    // One token for the eye: blanks get a sign, and a part of a character is shown by its bytes.
    spell(id) {
      return (this.spelt[id] ??= spell(this.bytes[id]));
    }
  }

  const spell = (bytes) => {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      const named = text.replace(/[ \n\t\r]/g, (blank) => NAMES[blank]);
      return named.replace(/\p{C}/gu, (character) => hex(new TextEncoder().encode(character)));
    } catch {
      return hex(bytes);
    }
  };

  const hex = (bytes) => `‹${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(" ")}›`;

  Object.assign((globalThis.clearformer ??= {}), { Tokenizer });
})();
