/** A cell is Markdown. */
export type Row = readonly string[];

/** Renders a table of Markdown. Columns that are empty in every row are left out. */
export function table(head: Row, rows: readonly Row[]): string {
  const used = head.map((_, column) => rows.some((row) => row[column] !== ""));
  return [head, head.map(() => "---"), ...rows]
    .map(
      (row) =>
        `| ${row
          .filter((_, column) => used[column])
          .map(escaped)
          .join(" | ")} |`,
    )
    .join("\n");
}

function escaped(cell: string): string {
  return cell.replaceAll(/(?<!\\)\|/g, String.raw`\|`);
}

/** A word of code, as Markdown. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** Joins sentences and parts of them. */
export function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(". ");
}
