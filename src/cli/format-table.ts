import Table from "cli-table3";

const BORDERS = ["top", "bottom", "left", "right"];
const NO_LINES = Object.fromEntries(
  [...BORDERS.flatMap((edge) => ["", "-mid", "-left", "-right"].map((part) => `${edge}${part}`)), "mid"]
    .concat(["left-mid", "mid-mid", "right-mid"])
    .map((name) => [name, ""]),
);

/** How a table is laid out. */
export interface TableLayout {
  /** The columns of numbers, from 0, which are written to the right. */
  readonly numbers?: readonly number[];
}

/**
 * Lays rows out in columns that are as wide as their widest cell; colours take no room, wide characters take two. Nothing
 * is cut, so that an id can be copied.
 *
 * @example
 * ```ts
 * formatTable([["STEP", "STATE"], ["0001-create-tables", "applied"]]);
 * ```
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  { numbers = [] }: TableLayout = {},
): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const table = new Table({
    chars: { ...NO_LINES, middle: "  " },
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
