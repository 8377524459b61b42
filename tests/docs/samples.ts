import { readFileSync } from "node:fs";

const FENCE = /^ *```(\w+)\n([^]*?)^ *```/gm;
const COMMAND = /^ *npx langgraph-checkpoint-kysely ([^#|>\n]+)/gm;
/** The command line of a test has an address of its own. */
const URL_OPTION = / --url "[^"]*"/;

/** The text of a page of the documentation. */
export function pageText(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
}

/** The blocks of a language in a page. */
export function blocksOf(page: string, language: string): string[] {
  return [...pageText(page).matchAll(FENCE)].flatMap(([, name, block = ""]) =>
    name === language ? [block] : [],
  );
}

/** The arguments of each command line in the shell blocks of a page, without its address. */
export function commandsOf(page: string): string[] {
  const lines = blocksOf(page, "sh").flatMap((block) => [...block.matchAll(COMMAND)]);
  return lines.map(([, line = ""]) => line.replace(URL_OPTION, "").trim());
}

/** The cells of each row of the tables in a text. */
export function rowsOf(text: string): string[][] {
  return [...text.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) =>
    row.split(" | ").map((cell) => cell.trim()),
  );
}
