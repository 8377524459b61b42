/** The shell command that migrates a schema to the latest version. */
export function migrateCommand(schema: string): string {
  const word = /^[\w-]+$/.test(schema) ? schema : `'${schema.replaceAll("'", `'\\''`)}'`;
  return `npx langgraph-checkpoint-kysely migrate --schema ${word}`;
}
