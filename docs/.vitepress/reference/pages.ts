import { readdirSync, readFileSync } from "node:fs";
import { formatted } from "../../../test-support/formatted.js";
import { COMMAND_TABLES, commandTable } from "./command-tables.js";
import { ERROR_TABLES, errorTable } from "./error-tables.js";
import { METRIC_TABLES, metricTable } from "./metric-tables.js";
import { typeTable } from "./type-tables.js";

const DOCS = new URL("../../", import.meta.url);
const MARKED =
  /<!-- The table from (\w+) is written by `npm run docs:reference`\. -->[^]*?<!-- End of the table from \1\. -->/g;

/** A page of the documentation, as it is and as the sources want it. */
export interface ReferencePage {
  readonly file: URL;
  readonly text: string;
  readonly fresh: string;
}

/** Fills in the tables of the pages that have some. */
export async function referencePages(): Promise<ReferencePage[]> {
  const pages = readdirSync(DOCS).filter((name) => name.endsWith(".md"));
  const found = await Promise.all(pages.map(filledIn));
  return found.filter((page) => page !== undefined);
}

async function filledIn(name: string): Promise<ReferencePage | undefined> {
  const file = new URL(name, DOCS);
  const text = readFileSync(file, "utf8");
  const filled = text.replaceAll(
    MARKED,
    (_, from: string) =>
      `<!-- The table from ${from} is written by \`npm run docs:reference\`. -->\n\n${tableFrom(from)}\n\n<!-- End of the table from ${from}. -->`,
  );
  const isMarked = new RegExp(MARKED).test(text);
  return isMarked ? { file, text, fresh: await formatted(name, filled) } : undefined;
}

function tableFrom(name: string): string {
  if (ERROR_TABLES.includes(name)) return errorTable(name);
  if (METRIC_TABLES.includes(name)) return metricTable(name);
  return COMMAND_TABLES.includes(name) ? commandTable(name) : typeTable(name);
}
