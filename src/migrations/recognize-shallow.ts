import { IncompatibleTablesError } from "../errors/index.js";
import { convertCommand } from "./convert-command.js";
import type { FoundTable } from "./migration-set.js";

/** The columns that the tables of Python's shallow saver lack: it keeps one checkpoint of a namespace, and one value of a channel. */
const MISSING: Readonly<Record<string, readonly string[]>> = {
  checkpoints: ["checkpoint_id", "parent_checkpoint_id"],
  checkpoint_blobs: ["version"],
  checkpoint_writes: [],
};

/** Recognizes the tables of Python's `ShallowPostgresSaver`. */
export function recognizeShallow(
  schema: string,
  tables: readonly FoundTable[],
): IncompatibleTablesError | undefined {
  const isShallow = tables.every(({ table, missing }) => {
    const expected = MISSING[table] ?? [];
    return missing.length === expected.length && missing.every((column) => expected.includes(column));
  });
  if (!isShallow) return undefined;
  const message =
    `schema "${schema}" has the tables of Python's ShallowPostgresSaver, which keep one checkpoint of a thread and ` +
    "have other columns: neither this library nor Python's PostgresSaver can use them. To convert them, stop the " +
    `services that use them and run \`${convertCommand(schema, "python-shallow") ?? ""}\`; or use another schema`;
  return new IncompatibleTablesError(schema, "python-shallow", message);
}
