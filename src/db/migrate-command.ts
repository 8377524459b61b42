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
