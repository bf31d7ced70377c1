// Draws the weights of one head: a row for each query, a column for each key, stronger where more is looked at.
(() => {
  const ACCENT = [37, 99, 168];
  const LABEL_CELL = 12; // below this many pixels a cell has no room for a word beside it

  // weights(query) gives a number for each key it may look at; labels are the tokens; the query chosen is framed.
  const drawAttention = (canvas, weights, labels, chosen) => {
    const style = getComputedStyle(canvas);
    const side = canvas.clientWidth;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.height = Math.round(side * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = `12px ${style.fontFamily}`;
    context.fillStyle = context.strokeStyle = style.color;
    const T = labels.length;
    const longest = Math.min(96, 8 + Math.max(...labels.map((label) => context.measureText(label).width)));
    const margin = (side - longest) / T >= LABEL_CELL ? longest : 0;
    const cell = (side - margin) / T;
    canvas.place = { margin, cell };
    if (margin) drawLabels(context, labels, margin, cell);
    if (T) {
      context.imageSmoothingEnabled = false;
      context.drawImage(pixels(weights, T), margin, margin, T * cell, T * cell);
    }
    context.lineWidth = 1;
    context.globalAlpha = 0.4;
    context.strokeRect(margin + 0.5, margin + 0.5, side - margin - 1, side - margin - 1);
    context.globalAlpha = 1;
    if (!T) return;
    const reach = weights(chosen).length * cell;
    context.strokeRect(margin + 0.5, margin + chosen * cell + 0.5, reach - 1, Math.max(cell - 1, 1));
  };

  // How opaque a weight is drawn. The square root, because among a hundred tokens most weights are small.
  const opacity = (weight) => Math.sqrt(weight);

  // The map with a pixel for each cell, drawn large in one go: thousands of rectangles would take longer than the model.
  const pixels = (weights, T) => {
    const small = Object.assign(document.createElement("canvas"), { width: T, height: T });
    const image = new ImageData(T, T);
    for (let query = 0; query < T; query++) {
      weights(query).forEach((weight, key) => image.data.set([...ACCENT, 255 * opacity(weight)], 4 * (query * T + key)));
    }
    small.getContext("2d").putImageData(image, 0, 0);
    return small;
  };

  const drawLabels = (context, labels, margin, cell) => {
    context.textBaseline = "middle";
    labels.forEach((label, t) => {
      const middle = margin + (t + 0.5) * cell;
      context.textAlign = "right";
      context.fillText(label, margin - 4, middle, margin - 6);
      context.save();
      context.translate(middle, margin - 4);
      context.rotate(-Math.PI / 2);
      context.textAlign = "left";
      context.fillText(label, 0, 0, margin - 6);
      context.restore();
    });
  };

  // The query and the key under the pointer, or nothing where there is no weight.
  const pointedAt = (canvas, event, T, weights) => {
    const { margin, cell } = canvas.place ?? { cell: 0 };
    const [key, query] = [event.offsetX, event.offsetY].map((at) => Math.floor((at - margin) / cell));
    return key >= 0 && query >= 0 && query < T && key < weights(query).length ? { query, key } : null;
  };

  Object.assign((globalThis.clearformer ??= {}), { drawAttention, opacity, pointedAt });
})();
