import { createHash } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { observeQueries } from "../measure/observe-queries.js";

/** A query as `pg` accepts it, to be sent again as a prepared statement. */
export interface RecordedQuery {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

// Read by its fields, because it may be a plain object or one of pg's own queries, which a client accepts as well.
const Query = z.object({ text: z.string(), values: z.array(z.unknown()).nullish() });

/** Records what is sent through a pool from now on. */
export class QueryRecorder {
  #recorded: RecordedQuery[] = [];

  constructor(pool: pg.Pool) {
    observeQueries(pool, ([query, values]) => {
      this.#recorded.push(
        recordedQuery(
          typeof query === "string" ? { text: query, values: Array.isArray(values) ? values : [] } : query,
        ),
      );
    });
  }

  /** Returns what was recorded since the last call. */
  take(): RecordedQuery[] {
    const recorded = this.#recorded;
    this.#recorded = [];
    return recorded;
  }
}

function recordedQuery(query: unknown): RecordedQuery {
  const { text, values } = Query.parse(query);
  const name = `floor_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
  return { name, text, values: [...(values ?? [])] };
}

/** Sends recorded queries again, by `pg` alone. */
export async function replay(pool: pg.Pool, queries: readonly RecordedQuery[]): Promise<void> {
  for (const query of queries) await pool.query(query);
}
