import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { CheckpointDatabase } from "../src/index.js";

/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** A Kysely on a pool, and what savers have sent through it. */
export interface RecordingKysely extends AsyncDisposable {
  readonly kysely: Kysely<CheckpointDatabase>;
  /** Empty it before the calls that a test is about. */
  readonly sent: SentStatement[];
}

/** Opens a Kysely that records each statement with its parameters. */
export function recordStatements(connectionString: string): RecordingKysely {
  const sent: SentStatement[] = [];
  const kysely = new Kysely<CheckpointDatabase>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString }) }),
    log: ({ query: { sql: text, parameters } }) => {
      sent.push({ text, parameters });
    },
  });
  return { kysely, sent, [Symbol.asyncDispose]: () => kysely.destroy() };
}
