import { openPool } from "./open-pool.js";
import type { Saver, Subject } from "./subjects.js";

/** Calls `use` with a saver on a database, after creating its tables. */
export async function withSaver<T>(
  subject: Pick<Subject, "open">,
  url: string,
  use: (saver: Saver) => Promise<T>,
): Promise<T> {
  const pool = openPool(url);
  try {
    const saver = subject.open(pool);
    await saver.setup();
    return await use(saver);
  } finally {
    await pool.end();
  }
}
