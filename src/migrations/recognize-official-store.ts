import { IncompatibleTablesError } from "../errors/index.js";
import { convertCommand } from "./convert-command.js";
import type { FoundTable } from "./migration-set.js";

/** Recognizes the tables of the official JavaScript store. */
export function recognizeOfficialStore(
  schema: string,
  tables: readonly FoundTable[],
): IncompatibleTablesError | undefined {
  if (!tables.some(({ columns }) => columns.includes("namespace_path"))) return undefined;
  const message =
    `schema "${schema}" has the tables of the official JavaScript PostgresStore, which have other columns: neither ` +
    "this library nor Python's PostgresStore can use them. To convert them, stop the services that use them and run " +
    `\`${convertCommand(schema, "javascript-store") ?? ""}\`; or use another schema`;
  return new IncompatibleTablesError(schema, "javascript-store", message);
}
