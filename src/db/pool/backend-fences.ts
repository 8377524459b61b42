import { sql } from "kysely";
import type { Pool } from "pg";
import { type BoundStatement, Statement } from "../statements/statement.js";
import { type ClockRow, clockText } from "../statements/statement-deadline.js";

/** A process of the server that serves one connection. Its number alone may be another one's by now. */
export interface Backend {
  readonly processId: number;
  /** When it was started, in seconds since 1970, as text: exact. */
  readonly startedAt: string;
}

/** How long the server waits for a process to end, in milliseconds. */
const ENDED_WITHIN_MS = 1_000;

/**
 * Processes of the server that may still receive or carry out a statement nobody waits for any more. They have to be ended before
 * the pool sends anything else: a statement that arrives later would undo what has been acknowledged in the meantime.
 */
export class BackendFences {
  readonly #due = new Set<Backend>();

  /** Those of a pool, whichever saver uses it. */
  static of(pool: Pool): BackendFences {
    const known = fencesOfPools.get(pool);
    if (known !== undefined) return known;
    const fences = new BackendFences();
    fencesOfPools.set(pool, fences);
    return fences;
  }

  /** Whether any process has to be ended. */
  get areDue(): boolean {
    return this.#due.size > 0;
  }

  add(backend: Backend): void {
    this.#due.add(backend);
  }

  /**
   * Ends the processes.
   *
   * @param send - Sends a statement on another connection to the same server.
   * @returns Whether none of them is left.
   */
  async end(send: (statement: BoundStatement<EndedRow>) => Promise<readonly EndedRow[]>): Promise<boolean> {
    const due = [...this.#due];
    const rows = await send(
      endBackends.bind("", {
        processIds: due.map(({ processId }) => processId),
        startTimes: due.map(({ startedAt }) => startedAt),
      }),
    );
    const left = new Set(rows.filter(({ has_ended }) => has_ended !== "true").map(({ pid }) => Number(pid)));
    for (const backend of due) {
      if (!left.has(backend.processId)) this.#due.delete(backend);
    }
    return left.size === 0;
  }

  /** Gives up on those that are due. */
  clear(): void {
    this.#due.clear();
  }
}

/** Of a process that was there. All as text, since the pool may have parsers of its own for other types. */
interface EndedRow {
  readonly pid: string;
  readonly has_ended: string;
}

const fencesOfPools = new WeakMap<Pool, BackendFences>();

/** The process of the connection that it is sent on, and the server's clock. The start is null where the role may not see its own processes. */
export function currentBackend(): BoundStatement<BackendRow> {
  return ownBackend.bind("", {});
}

interface BackendRow extends ClockRow {
  readonly pid: string;
  readonly started_at: string | null;
}

interface Activity {
  pid: number;
  backend_start: Date | null;
}

/** Not by way of `pg_stat_activity`, a join that is slower to plan. */
const ownBackend = /* @__PURE__ */ new Statement<object, BackendRow>((db) =>
  db
    .selectFrom(sql<Activity>`pg_stat_get_activity(pg_backend_pid())`.as("activity"))
    .select([sql<string>`activity.pid::text`.as("pid"), startOf().as("started_at"), clockText().as("clock")]),
);

interface EndParams {
  readonly processIds: readonly number[];
  readonly startTimes: readonly string[];
}

const endBackends = /* @__PURE__ */ new Statement<EndParams, EndedRow>((db, parameter) =>
  db
    .selectFrom(
      sql<{ pid: number; started_at: string }>`unnest(
        ${parameter("processIds")}::integer[],
        ${parameter("startTimes")}::text[]
      )`.as<"due">(sql`due(pid, started_at)`),
    )
    .innerJoinLateral(sql<Activity>`pg_stat_get_activity(due.pid)`.as("activity"), (join) =>
      join.on(startOf(), "=", sql.ref("due.started_at")),
    )
    .select([
      sql<string>`due.pid::text`.as("pid"),
      sql<string>`pg_terminate_backend(due.pid, ${sql.lit(ENDED_WITHIN_MS)})::text`.as("has_ended"),
    ]),
);

function startOf() {
  return sql<string | null>`extract(epoch from activity.backend_start)::text`;
}
