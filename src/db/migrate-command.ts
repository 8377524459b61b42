/**
 * The shell command that migrates a schema to the latest version.
 *
 * @param optionalTables - The optional tables to create, as `--with` names them.
 * @param checkpointTable - The table of the checkpoint store, where it has another name than `checkpoint_store`.
 */
export function migrateCommand(
  schema: string,
  optionalTables: readonly string[] = [],
  checkpointTable?: string,
): string {
  const named = checkpointTable === undefined ? "" : ` --checkpoint-table ${shellWord(checkpointTable)}`;
  return (
    shellCommand("migrate", schema) + optionalTables.map((tables) => ` --with ${tables}`).join("") + named
  );
}

/** A shell command of this library about a schema. */
export function shellCommand(words: string, schema: string): string {
  return `npx langgraph-checkpoint-kysely ${words} --schema ${shellWord(schema)}`;
}

function shellWord(text: string): string {
  return /^[\w-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The longest name of a schema or a role, in bytes of UTF-8. Postgres silently truncates a longer one. */
export const MAX_NAME_BYTES = 63;

/** Quotes identifiers, and joins them by dots. */
export function quoted(...names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join(".");
}

/** A literal with the {@link quoted} identifiers, for functions that take the name of a table as text. */
export function quotedText(...names: readonly string[]): string {
  return `'${quoted(...names).replaceAll("'", "''")}'`;
}
