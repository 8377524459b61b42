/**
 * The shell command that migrates a schema to the latest version.
 *
 * @param optionalTables - The optional tables to create, as `--with` names them.
 */
export function migrateCommand(schema: string, optionalTables: readonly string[] = []): string {
  return shellCommand("migrate", schema) + optionalTables.map((tables) => ` --with ${tables}`).join("");
}

/** A shell command of this library about a schema. */
export function shellCommand(words: string, schema: string): string {
  const word = /^[\w-]+$/.test(schema) ? schema : `'${schema.replaceAll("'", `'\\''`)}'`;
  return `npx langgraph-checkpoint-kysely ${words} --schema ${word}`;
}
