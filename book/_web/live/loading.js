// The weights of a model: fetched by a script, because a page opened from disk may load nothing else, and unpacked.
(() => {
  const loadWeights = (url, key) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = url;
      script.onload = () => resolve(globalThis.clearformerModels[key]);
      script.onerror = () => reject(new Error(`cannot load ${url}`));
      document.head.append(script);
    });

  // The weights by name. A matrix comes as int8 by rows, one float32 scale for each; a row makes one output.
  const unpack = ({ tensors, bytes }) => {
    const text = atob(bytes);
    const data = new ArrayBuffer(text.length);
    const view = new Uint8Array(data);
    for (let i = 0; i < text.length; i++) view[i] = text.charCodeAt(i);
    const weights = {};
    let offset = 0;
    const take = (Type, count) => {
      const end = offset + count * Type.BYTES_PER_ELEMENT;
      const part = new Type(data.slice(offset, end));
      offset = end;
      return part;
    };
    for (const [name, n, d] of tensors) {
      if (d === undefined) {
        weights[name] = take(Float32Array, n);
        continue;
      }
      const codes = take(Int8Array, n * d);
      const scales = take(Float32Array, n);
      const matrix = (weights[name] = new Float32Array(n * d));
      for (let i = 0; i < n * d; i++) matrix[i] = codes[i] * scales[Math.floor(i / d)];
    }
    return weights;
  };

  Object.assign((globalThis.clearformer ??= {}), { loadWeights, unpack });
})();
