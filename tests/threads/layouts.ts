import { PostgresSaver } from "../../src/index.js";
import { OFFICIAL_MIGRATIONS } from "../support/official-migrations.js";
import type { Target, TestDatabase } from "../support/targets.js";

/** Where the tables of a suite are, and who made them. */
export const LAYOUTS = ["our own tables", "another schema", "tables of the official savers"] as const;

/** A saver on an empty database of its own. */
export async function openLayout(
  target: Target,
  layout: (typeof LAYOUTS)[number],
): Promise<{ readonly database: TestDatabase; readonly saver: PostgresSaver }> {
  const database = await target.createDatabase();
  const schema = layout === "another schema" ? "agents of a tenant" : undefined;
  const saver = new PostgresSaver(database.source, undefined, { ...(schema && { schema }) });
  if (layout === "tables of the official savers") {
    // An index can't be created concurrently within a text of several statements.
    for (const migration of OFFICIAL_MIGRATIONS) await database.exec(migration);
  } else await saver.setup();
  return { database, saver };
}
