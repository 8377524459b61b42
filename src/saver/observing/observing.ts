import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { PoolState } from "../../db/open-database.js";
import type { CheckpointError } from "../../errors.js";
import type { CallOptions } from "../boundary/parse-call-options.js";

/** How a saver and its database are. */
export interface Health {
  /**
   * Whether checkpoints can be stored: the database answers, takes writes, its schema is up to date, and the role has the
   * privileges. What policies of row-level security would refuse is not tried.
   */
  readonly ok: boolean;
  /**
   * How long the first answer took, the wait for a connection included, in milliseconds; or the wait for none. The time to open
   * a PGlite is not part of it.
   */
  readonly latencyMs: number;
  /** What the server says it is, such as `18.4`. */
  readonly serverVersion?: string;
  /** Whether it takes no writes, as a standby. */
  readonly isReadOnly?: boolean;
  /**
   * The privileges that the role lacks to tables that are there, such as `insert on checkpoints`. One without `delete` may
   * store checkpoints, and can't delete threads or prune; it is `ok`.
   */
  readonly missingPrivileges?: readonly string[];
  /** How far the schema of the saver has come. */
  readonly schema?: SchemaHealth;
  /** The connections of the saver's pool, where it has one. */
  readonly pool?: PoolState;
  /** Why it is not `ok`. */
  readonly error?: CheckpointError;
}

/** How far a schema has come. */
export interface SchemaHealth {
  readonly upToDate: boolean;
  /** The steps of this version of the library that have not run, oldest first. */
  readonly pending: readonly string[];
}

/** What a watch is about. */
export interface WatchOptions extends CallOptions {
  /** Only this namespace; `""` is the root graph. Default: all of the thread. */
  readonly checkpointNs?: string | undefined;
  /**
   * The id of the last checkpoint that the caller has seen, as of a client that connects again: the checkpoints with larger
   * ids that are stored already come first, in the order of their ids, whoever stored them. `""` begins with the first
   * checkpoint. Default: the watch begins now.
   *
   * Ids are compared, and no checkpoint of this id has to be there. Where namespaces are written at the same time, one may
   * be committed later and have a smaller id: to miss none, give the smallest of the last ids of the namespaces, and expect
   * some twice, or watch one namespace.
   */
  readonly after?: string | undefined;
}

/** What a saver tells of itself and of its threads while they run. */
export interface Observing {
  /**
   * Looks whether checkpoints can be stored now. It never rejects, reads only the catalog, tries nothing twice, and gives up
   * after two seconds; with a `signal` when that says so. A PGlite that was not used yet is opened first: that keeps the
   * process busy for seconds, in which no timer fires, and the two seconds begin after it.
   *
   * @example
   * ```ts
   * const { ok, error } = await checkpointer.health({ signal: AbortSignal.timeout(500) });
   * response.writeHead(ok ? 200 : 503).end(error?.code ?? "ok");
   * ```
   */
  health(options?: CallOptions): Promise<Health>;

  /**
   * Yields the checkpoints of a thread that are stored from now on by savers with `notify: true`, in the order of their
   * commits, each once. What savers without it store, and the official ones, is not heard, and yielded only where it is
   * found among what was missed: before the connection stood, or while it was lost.
   *
   * It begins with the first `next()`: what this process begins to store after that call is yielded, whatever becomes of
   * its connections, and so is what others store with an id of a later millisecond. One connection beside the pool hears
   * for all watches of savers on that pool. When it is lost it is made again, and what was stored meanwhile is yielded:
   * checkpoints with larger ids than those that were seen of their namespace.
   *
   * `break`, `return()` (also while somebody waits for `next()`) and `end()` of the saver end it; so does `signal`, upon
   * which `next()` rejects with an AbortError.
   *
   * @throws InvalidConfigError, at the first `next()`, on a Kysely or a transaction that was lent, and behind a pooler in
   *   transaction mode, as far as that can be told: no notifications arrive there.
   * @throws ConnectionError when the database can't be reached within the bound of `retry` in the beginning.
   *
   * @example
   * ```ts
   * for await (const { checkpoint, metadata } of checkpointer.watch("42", { signal })) {
   *   console.log(metadata?.step, checkpoint.channel_values);
   * }
   * ```
   */
  watch(threadId: string, options?: WatchOptions): AsyncGenerator<CheckpointTuple, undefined>;
}
