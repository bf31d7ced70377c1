// Reads a Vega-Lite specification, writes what a page needs: the compiled Vega specification without its input
// bindings, those bindings, a static SVG, and the numbers of the data table. A warning of the compiler is an error.
import * as vega from "vega";
import { compile } from "vega-lite";

const read = async () => {
  let text = "";
  for await (const chunk of process.stdin) text += chunk;
  return JSON.parse(text);
};

const warnings = [];
const collect = (...messages) => (warnings.push(messages.join(" ")), logger);
const quiet = () => logger;
const logger = { level: quiet, warn: collect, error: collect, info: quiet, debug: quiet };

const source = await read();
const { spec } = compile(source, { logger });
const controls = [];
for (const signal of spec.signals ?? []) {
  if (!signal.bind) continue;
  controls.push({ signal: signal.name, value: signal.value ?? null, ...signal.bind });
  delete signal.bind;
}
// In the order of the specification; what can be chosen in the drawing, too, comes last.
const values = new Set((source.params ?? []).filter((param) => !param.select).map((param) => param.name));
controls.sort((a, b) => values.has(b.signal) - values.has(a.signal));
const table = source.usermeta?.table ?? {};
delete spec.usermeta;
delete spec.$schema;
const view = new vega.View(vega.parse(spec), { renderer: "none", logger });
await view.runAsync();
// As `digits` in figures.js, which writes it anew when a control is moved.
const digits = (value) => (Number.isInteger(value) || typeof value === "string" ? String(value) : value.toFixed(3));
for (const control of controls) {
  control.value = view.signal(control.signal);
  const output = source.usermeta?.outputs?.[control.signal] ?? control.signal;
  if (control.input === "range") Object.assign(control, { output, shown: digits(view.signal(output)) });
}

const marksOf = (items, name) => {
  const found = items.find((mark) => mark.name === name);
  if (found) return found;
  for (const mark of items) {
    const inner = mark.marks && marksOf(mark.marks, name);
    if (inner) return inner;
  }
};
let cells = table.cells ?? [];
if (table.mark) {
  table.data = marksOf(spec.marks, table.mark).from.data;
  const fields = [table.value].flat();
  const rows = [...view.data(table.data)];
  if (table.sort) rows.sort((a, b) => a[table.sort] - b[table.sort]);
  cells = rows.flatMap((row) => fields.map((field) => row[field]));
}
const svg = await view.toSVG();
if (warnings.length) {
  console.error(warnings.join("\n"));
  process.exit(1);
}
process.stdout.write(JSON.stringify({ spec, controls, table, cells, svg }));
