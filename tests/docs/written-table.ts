import { readFile, writeFile } from "node:fs/promises";
import { expect } from "@jest/globals";
import { formatted } from "../../test-support/formatted.js";

/** A table of a page that a test writes. */
export interface WrittenTable {
  /** The page, such as `interop.md`. */
  readonly page: string;
  /** What it is made from, in one word, as the comments around it say. */
  readonly from: string;
  /** The script that writes it: the tests with `DOCS_TABLES=write`. */
  readonly script: string;
}

/** Compares a table with the one on its page, or writes it there. */
export async function expectTable(
  { page, from, script }: WrittenTable,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const file = new URL(`../../docs/${page}`, import.meta.url);
  const begin = `<!-- The table from ${from} is written by \`npm run ${script}\`. -->`;
  const end = `<!-- End of the table from ${from}. -->`;
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const text = await readFile(file, "utf8");
  expect(text).toContain(begin);
  expect(text).toContain(end);
  const written = `${text.slice(0, text.indexOf(begin))}${begin}\n\n${table}\n\n${text.slice(text.indexOf(end))}`;
  const fresh = await formatted(page, written);
  if (process.env.DOCS_TABLES === "write") await writeFile(file, fresh);
  else expect(text).toBe(fresh);
}
