import { sql } from "kysely";
import type { Pool, ClientBase } from "pg";
import { type BoundStatement, Statement } from "../statements/statement.js";
import { type ClockRow, clockText } from "./statement-deadline.js";
import { unref } from "../async/timers.js";

/** A server process that serves one connection. Its process id alone is not unique over time. */
export interface Backend {
  readonly processId: number;
  /** The start time in seconds since 1970, as text, so that it stays exact. */
  readonly startedAt: string;
}

/** How long the server waits for a process to end, in milliseconds. */
const ENDED_WITHIN_MS = 1_000;

/**
 * Server processes that may still receive or execute a statement whose caller has given up. The pool ends
 * them before it sends anything else: a statement that arrives later would undo what has been acknowledged in
 * the meantime.
 */
export class BackendFences {
  readonly #due = new Set<Backend>();
  /** Whether the server has Citus, as a connection of the pool has answered. */
  hasCitus: boolean | undefined;

  /** Returns the fences of a pool, which all savers on that pool share. */
  static of(pool: Pool): BackendFences {
    const known = fencesOfPools.get(pool);
    if (known !== undefined) return known;
    const fences = new BackendFences();
    fencesOfPools.set(pool, fences);
    return fences;
  }

  /** Whether any process must be ended. */
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
   * @returns Whether all of them have ended.
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

  /** Forgets the processes without ending them. */
  clear(): void {
    this.#due.clear();
  }
}

/**
 * A process that was still running. All columns are text, since the pool may have its own parsers for other
 * types.
 */
interface EndedRow {
  readonly pid: string;
  readonly has_ended: string;
}

const fencesOfPools = new WeakMap<Pool, BackendFences>();

/**
 * Reads the server process of the connection, the server's clock, and the version of Citus. `started_at` is null where the
 * role may not see its own processes, and `citus` where there is none.
 */
export function currentBackend(): BoundStatement<BackendRow> {
  return ownBackend.bind("", {});
}

/** What {@link currentBackend} reads. */
export interface BackendRow extends ClockRow {
  readonly pid: string;
  readonly started_at: string | null;
  readonly citus: string | null;
}

interface Activity {
  pid: number;
  backend_start: Date | null;
}

/** Doesn't read `pg_stat_activity`, a view whose join is slower to plan. */
const ownBackend = new Statement<object, BackendRow>((db) =>
  db
    .selectFrom(sql<Activity>`pg_stat_get_activity(pg_backend_pid())`.as("activity"))
    .select([
      sql<string>`activity.pid::text`.as("pid"),
      startOf().as("started_at"),
      clockText().as("clock"),
      sql<string | null>`current_setting('citus.version', true)`.as("citus"),
    ]),
);

interface EndParams {
  readonly processIds: readonly number[];
  readonly startTimes: readonly string[];
}

const endBackends = new Statement<EndParams, EndedRow>((db, parameter) =>
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

/** How often a client of `pg-native` looks for a reset, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** The binding to libpq in a client of `pg-native`. */
interface Libpq {
  emit(event: "readable"): unknown;
}

/**
 * Makes a client of `pg-native` notice that its connection was reset. Its binding to libpq ignores errors of the socket, so that a query
 * would wait forever. When it is told that there is something to read, it reads, and finds the error.
 */
export function noticeResets(client: ClientBase): void {
  const libpq = libpqOf(client);
  if (libpq === undefined) return;
  const timer = setInterval(() => libpq.emit("readable"), LOOK_EVERY_MS);
  unref(timer);
  client.once("end", () => {
    clearInterval(timer);
  });
}

function libpqOf(client: ClientBase): Libpq | undefined {
  const native: unknown = Reflect.get(client, "native");
  if (typeof native !== "object" || native === null) return undefined;
  const libpq: unknown = Reflect.get(native, "pq");
  return typeof libpq === "object" && libpq !== null && "emit" in libpq ? (libpq as Libpq) : undefined;
}
