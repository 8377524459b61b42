import Table from "cli-table3";
import { textWidth } from "../text-width.js";
import { wrapWords } from "../wrap-words.js";

const BORDERS = ["top", "bottom", "left", "right"];
const NO_LINES = Object.fromEntries(
  [...BORDERS.flatMap((edge) => ["", "-mid", "-left", "-right"].map((part) => `${edge}${part}`)), "mid"]
    .concat(["left-mid", "mid-mid", "right-mid"])
    .map((name) => [name, ""]),
);
const GAP = "  ";
/** How narrow a column of text may become before each row is written as a list of its cells. */
const NARROWEST = 20;

/** How a table is laid out. */
export interface TableLayout {
  /** The columns of numbers, from 0, which are written to the right. */
  readonly numbers?: readonly number[];
  /** The column of text, from 0, that is wrapped between words where the table is too wide; the others never are. */
  readonly text?: number;
  /** How wide the terminal is. Default: as wide as it takes, as for a file or a program. */
  readonly width?: number | undefined;
}

/**
 * Lays rows out in columns that are as wide as their widest cell; colours take no room, wide characters take two. No word
 * is cut, so that an id can be copied: where the terminal is too narrow, each row is a list of its cells instead.
 *
 * @param rows - The first one has the names of the columns.
 *
 * @example
 * ```ts
 * formatTable([["STEP", "STATE"], ["0001-create-tables", "applied"]]);
 * ```
 */
export function formatTable(rows: readonly (readonly string[])[], layout: TableLayout = {}): string {
  const { width = Number.POSITIVE_INFINITY, text } = layout;
  const widths = columnWidths(rows);
  const spare = width - widths.reduce((sum, one) => sum + one, 0) - GAP.length * (widths.length - 1);
  if (spare >= 0) return formatColumns(rows, layout);
  const room = text === undefined ? 0 : (widths[text] ?? 0) + spare;
  if (text === undefined || room < Math.max(NARROWEST, longestWord(rows, text)))
    return formatLists(rows, layout);
  const wrapped = rows.map((row) =>
    row.map((cell, index) => (index === text ? wrapWords(cell, room).join("\n") : cell)),
  );
  return formatColumns(wrapped, layout);
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

/** Each row as lines of a name and a cell. Empty ones are left out. */
function formatLists([head = [], ...rows]: readonly (readonly string[])[], layout: TableLayout): string {
  const nameWidth = Math.max(...head.map(textWidth));
  const room = Math.max(NARROWEST, (layout.width ?? Number.POSITIVE_INFINITY) - nameWidth - GAP.length);
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
