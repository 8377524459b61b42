import { migrateCommand, quoted } from "../db/migrate-command.js";

/**
 * What to do where a table has been dropped.
 *
 * @param record - The table of the applied migrations, where the table is not created again by itself.
 */
export function remedyOfMissing(schema: string, record?: string): string {
  const forget = record === undefined ? "" : `delete from ${quoted(schema, record)}, then `;
  return `restore it from a backup; or create an empty one: ${forget}${migrateCommand(schema)}`;
}

/** Says that a table is missing. */
export function describeMissing(table: string): string {
  return `table "${table}" does not exist, although its migration is recorded as applied`;
}
