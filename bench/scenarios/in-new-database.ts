import type { BenchServer } from "../bench-server.js";
import type { Saver, Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";

/** Calls `use` with a saver on an empty database, and empties it again. */
export async function inNewDatabase<T>(
  subject: Subject,
  server: BenchServer,
  use: (saver: Saver) => Promise<T>,
): Promise<T> {
  const database = await server.emptyDatabase();
  try {
    return await withSaver(subject, database.source, use);
  } finally {
    await database.giveBack();
  }
}
