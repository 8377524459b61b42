/**
 * The shell command that migrates a schema to the latest version.
 *
 * @param optionalTables - The optional tables to create, as `--with` names them.
 */
export function migrateCommand(schema: string, optionalTables: readonly string[] = []): string {
  const word = /^[\w-]+$/.test(schema) ? schema : `'${schema.replaceAll("'", `'\\''`)}'`;
  const options = optionalTables.map((tables) => ` --with ${tables}`).join("");
  return `npx langgraph-checkpoint-kysely migrate --schema ${word}${options}`;
}
