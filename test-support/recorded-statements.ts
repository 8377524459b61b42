import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect, PostgresDialect } from "kysely";
import pg from "pg";
import type { CheckpointDatabase } from "../src/index.js";

/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** A Kysely on a pool, and what savers have sent through it. */
export interface RecordingKysely<Tables = CheckpointDatabase> extends AsyncDisposable {
  readonly kysely: Kysely<Tables>;
  /** Empty it before the calls that a test is about. */
  readonly sent: SentStatement[];
}

/**
 * Opens a Kysely that records each statement with its parameters, except BEGIN and COMMIT on a PGlite.
 *
 * @param source - A connection string, or a PGlite, which the Kysely then closes.
 */
export function recordStatements<Tables = CheckpointDatabase>(
  source: string | PGlite,
): RecordingKysely<Tables> {
  const sent: SentStatement[] = [];
  const kysely = new Kysely<Tables>({
    dialect:
      typeof source === "string"
        ? new PostgresDialect({ pool: new pg.Pool({ connectionString: source }) })
        : new PGliteDialect({ pglite: source }),
    log: ({ query: { sql: text, parameters } }) => {
      sent.push({ text, parameters });
    },
  });
  return { kysely, sent, [Symbol.asyncDispose]: () => kysely.destroy() };
}
