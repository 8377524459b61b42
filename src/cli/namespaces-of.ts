import type { CommandContext } from "./command-definition.js";

/** A namespace of a thread. */
export interface NamespaceCount {
  readonly namespace: string;
  readonly checkpoints: number;
}

/** The namespaces of a thread that have checkpoints, by their names. */
export async function namespacesOf(
  { db, schema }: Pick<CommandContext, "db" | "schema">,
  thread: string,
): Promise<NamespaceCount[]> {
  const rows = await db
    .withSchema(schema)
    .selectFrom("checkpoints")
    .select((eb) => ["checkpoint_ns", eb.fn.countAll<string>().as("checkpoints")])
    .where("thread_id", "=", thread)
    .groupBy("checkpoint_ns")
    .orderBy("checkpoint_ns")
    .execute();
  return rows.map((row) => ({ namespace: row.checkpoint_ns, checkpoints: Number(row.checkpoints) }));
}
