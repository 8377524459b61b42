/** The name of the lock that one process at a time holds while it deletes expired and excess entries of a schema. */
export function sweepLockName(schema: string): string {
  return `langgraph-checkpoint-kysely cache ${schema}`;
}
