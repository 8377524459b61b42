import { stripVTControlCharacters } from "node:util";

const GAP = "  ";

/**
 * Lays rows out in columns that are as wide as their widest cell; colours take no room.
 *
 * @example
 * ```ts
 * formatTable([["STEP", "STATE"], ["0001-create-tables", "applied"]]);
 * ```
 */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = columnWidths(rows);
  return rows.map((row) => formatRow(row, widths)).join("\n");
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
  }
  return widths;
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  const last = row.length - 1;
  return row
    .map((cell, column) =>
      column === last ? cell : cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)),
    )
    .join(GAP);
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
