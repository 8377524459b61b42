import { PostgresSaver } from "../../src/index.js";
import { OFFICIAL_MIGRATIONS } from "../../test-support/official-migrations.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";

/** The layouts of the tables that a suite runs on. */
export const LAYOUTS = ["our own tables", "another schema", "tables of the official savers"] as const;

/** Opens a saver on a new database with the tables of a layout. */
export async function openLayout(
  target: Target,
  layout: (typeof LAYOUTS)[number],
): Promise<{ readonly database: TestDatabase; readonly saver: PostgresSaver }> {
  const database = await target.createDatabase();
  const schema = layout === "another schema" ? "agents of a tenant" : undefined;
  const saver = new PostgresSaver(database.source, undefined, { ...(schema && { schema }) });
  if (layout === "tables of the official savers") {
    // CREATE INDEX CONCURRENTLY can't run in a text of several statements.
    for (const migration of OFFICIAL_MIGRATIONS) await database.exec(migration);
  }
  await saver.setup();
  return { database, saver };
}
