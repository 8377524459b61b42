import type { Style } from "./style.js";
import { stripVTControlCharacters } from "node:util";
import Table from "cli-table3";

const BORDERS = ["top", "bottom", "left", "right"];
const NO_LINES = Object.fromEntries(
  [...BORDERS.flatMap((edge) => ["", "-mid", "-left", "-right"].map((part) => `${edge}${part}`)), "mid"]
    .concat(["left-mid", "mid-mid", "right-mid"])
    .map((name) => [name, ""]),
);
const GAP = "  ";
/** The minimum width of a wrapped column. If there is less room, each row becomes a list of its cells. */
const MIN_TEXT_WIDTH = 20;
const WIDE_CHARACTER =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const ZERO_WIDTH_CHARACTER = /[\p{Mark}\u200b-\u200d]/u;

/** The layout of a table. */
interface TableLayout {
  /** The indexes of right-aligned columns, from 0. */
  readonly numbers?: readonly number[];
  /** The index of the column that is wrapped between words if the table is too wide. Other columns are never wrapped. */
  readonly text?: number;
  /** The width of the terminal. Default: unlimited, as for a file or a program. */
  readonly width?: number | undefined;
}

/**
 * Formats rows in columns that are as wide as their widest cell. Words are never cut, so that ids can be copied: if the
 * terminal is too narrow, each row becomes a list of its cells.
 *
 * @param rows - The first row holds the names of the columns.
 *
 * @example
 * ```ts
 * formatTable([["STEP", "STATE"], ["0001-create-tables", "applied"]]);
 * ```
 */
export function formatTable(rows: readonly (readonly string[])[], layout: TableLayout = {}): string {
  const { width = Number.POSITIVE_INFINITY, text } = layout;
  const widths = columnWidths(rows);
  const remaining = width - widths.reduce((sum, one) => sum + one, 0) - GAP.length * (widths.length - 1);
  if (remaining >= 0) return formatColumns(rows, layout);
  const room = text === undefined ? 0 : (widths[text] ?? 0) + remaining;
  if (text === undefined || room < Math.max(MIN_TEXT_WIDTH, longestWord(rows, text)))
    return formatLists(rows, layout);
  const wrapped = rows.map((row) =>
    row.map((cell, index) => (index === text ? wrapWords(cell, room).join("\n") : cell)),
  );
  return formatColumns(wrapped, layout);
}

/** A column of {@link formatRows}: its name, the cell of an item, and what it holds. Numbers are right-aligned, and texts may be wrapped. */
export type TableColumn<Item> = readonly [
  name: string,
  cell: (item: Item) => string,
  kind?: "number" | "text",
];

/** Formats a table with a row for each item. A column that is `false` is left out. */
export function formatRows<Item>(
  items: readonly Item[],
  given: readonly (TableColumn<Item> | false)[],
  width?: number,
): string {
  const columns = given.filter((column) => column !== false);
  const head = columns.map(([name]) => name);
  const numbers = columns.flatMap(([, , kind], index) => (kind === "number" ? [index] : []));
  const text = columns.findIndex(([, , kind]) => kind === "text");
  const rows = items.map((item) => columns.map(([, cell]) => cell(item)));
  return formatTable([head, ...rows], { numbers, width, ...(text >= 0 && { text }) });
}

/** Lists facts, each with its name in front. Empty ones are left out. */
export function formatFacts(facts: Readonly<Record<string, string>>, style: Style): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  return Object.entries(facts)
    .filter(([, fact]) => fact !== "")
    .map(([name, fact]) => `${style.dim(name.padEnd(width))}  ${fact}`)
    .join("\n");
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
  }
  return widths;
}

function longestWord(rows: readonly (readonly string[])[], column: number): number {
  return Math.max(...rows.flatMap((row) => (row[column] ?? "").split(" ").map(textWidth)));
}

function formatColumns(rows: readonly (readonly string[])[], { numbers = [] }: TableLayout): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const table = new Table({
    chars: { ...NO_LINES, middle: GAP },
    colAligns: Array.from({ length: columns }, (_column, index) =>
      numbers.includes(index) ? "right" : "left",
    ),
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Formats each row as lines of a column name and a cell. Empty cells are left out. */
function formatLists([head = [], ...rows]: readonly (readonly string[])[], layout: TableLayout): string {
  const nameWidth = Math.max(...head.map(textWidth));
  const room = Math.max(MIN_TEXT_WIDTH, (layout.width ?? Number.POSITIVE_INFINITY) - nameWidth - GAP.length);
  const indented = `\n${" ".repeat(nameWidth)}${GAP}`;
  const blocks = rows.map((row) => {
    const lines: string[] = [];
    for (const [index, cell] of row.entries()) {
      const name = head[index] ?? "";
      if (cell === "") continue;
      const shown = index === layout.text ? wrapWords(cell, room).join(indented) : cell;
      lines.push(`${name}${" ".repeat(nameWidth - textWidth(name))}${GAP}${shown}`);
    }
    return lines.join("\n");
  });
  return blocks.join("\n\n");
}

/** The width of a line of text on a terminal: escape sequences take no column, wide characters take two. */
function textWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    width += WIDE_CHARACTER.test(character) ? 2 : ZERO_WIDTH_CHARACTER.test(character) ? 0 : 1;
  }
  return width;
}

/** Breaks text between words into lines of at most `width` columns. A longer word gets a line of its own. */
function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || textWidth(longer) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ""];
}
