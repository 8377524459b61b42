import type { BenchServer } from "../bench-server.js";
import type { Saver, Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";

/** Lets `use` have a saver on a database that was empty a moment ago, and empties it again. */
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
