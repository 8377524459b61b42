import ts from "typescript";
import { seeAlso } from "./explained-in.js";
import { parsed, sources } from "./sources.js";
import { code, type Row, sentences, table } from "./tables.js";

/** The file whose metrics have a table of their own: those of what runs by itself. */
const ROUNDS = "db/scheduling/round-events.ts";
/** What creates a metric, and what the table calls it. */
const KINDS: Readonly<Record<string, string>> = {
  createHistogram: "histogram",
  createCounter: "counter",
  createUpDownCounter: "up-down counter",
  createGauge: "gauge",
};
/** Units of the UCUM whose names people don't know. */
const UNITS: Readonly<Record<string, string>> = { s: "seconds", By: "bytes" };

/** The names of the tables. */
export const METRIC_TABLES = ["CallMetrics", "RoundMetrics"];

/** A table of metrics, from the calls that create them. */
export function metricTable(name: string): string {
  const paths = [...sources()]
    .filter(([, text]) => text.includes("= defineInstruments("))
    .map(([path]) => path);
  const wanted = paths.filter((path) => (path === ROUNDS) === (name === "RoundMetrics"));
  const rows = wanted.flatMap((path) => metricsIn(parsed(path)));
  return table(
    ["metric", "kind, unit", "meaning"],
    rows.sort(([first = ""], [second = ""]) => first.localeCompare(second)),
  );
}

function metricsIn(node: ts.Node): Row[] {
  const rows: Row[] = [];
  node.forEachChild((child) => void rows.push(...metricsIn(child)));
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return rows;
  const kind = KINDS[node.expression.name.text];
  const [name, options] = node.arguments;
  if (kind === undefined || name === undefined || options === undefined) return rows;
  if (!ts.isStringLiteral(name) || !ts.isObjectLiteralExpression(options))
    throw new Error(`the name or the options of a metric are not literals: ${node.getText()}`);
  const unit = textOf(options, "unit").replaceAll(/[{}]/g, "");
  const meaning = textOf(options, "description").replace(/\.$/, "");
  const what = [kind, UNITS[unit] ?? unit].filter((part) => part !== "").join(", ");
  return [...rows, [code(name.text), what, sentences(meaning, seeAlso(name.text))]];
}

function textOf(options: ts.ObjectLiteralExpression, name: string): string {
  const property = options.properties
    .filter(ts.isPropertyAssignment)
    .find((one) => one.name.getText() === name);
  return property === undefined ? "" : literal(property.initializer);
}

/** The value of a text that may be written in several parts. */
function literal(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isBinaryExpression(node)) return literal(node.left) + literal(node.right);
  throw new Error(`the text of a metric is no literal: ${node.getText()}`);
}
