/** The command that brings a schema up to date, as it can be pasted into a shell. */
export function migrateCommand(schema: string): string {
  const word = /^[\w-]+$/.test(schema) ? schema : `'${schema.replaceAll("'", `'\\''`)}'`;
  return `npx langgraph-checkpoint-kysely migrate --schema ${word}`;
}
