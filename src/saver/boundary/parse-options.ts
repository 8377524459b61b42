import { z } from "zod";
import { MAX_NAME_BYTES } from "../../db/max-name-bytes.js";
import type { RetryOptions } from "../../db/statements/retry-transient.js";
import type { Logger } from "../../telemetry/logger.js";
import { keyText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";

/** How a saver works. */
export interface PostgresSaverOptions {
  /** The schema that holds the tables, of any name; it is quoted. Default `public`. */
  readonly schema?: string | undefined;
  /**
   * Whether statements are prepared, so that Postgres plans each once per connection. `false` behind a pooler in
   * transaction mode that does not follow prepared statements. A connection keeps the hundred that were used last, of all
   * savers on its pool together. Default `true`.
   */
  readonly prepare?: boolean | undefined;
  /** How long transient faults are retried, or `false` to be told at once. Default: 15 seconds. */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * How long one statement may take, in milliseconds, before it is cancelled on the server and a
   * `StatementTimeoutError` thrown. A server that does not even answer the request to cancel counts as a connection that
   * was lost: the statement is tried again on another. Migrations have no limit. Without effect on PGlite, which runs in
   * this process. The wait for a connection is not part of it: that is bounded by `connectionTimeoutMillis` of the pool.
   * A write that waited for a synchronous standby alone fails with `NotReplicatedError`: it is stored. Default: no limit.
   */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * The tenant whose threads the saver sees, in a database with row-level security: for each statement, and no longer,
   * the setting `langgraph.tenant_id` is set to it, as policies can ask for. A database without such policies is refused.
   */
  readonly tenantId?: string | undefined;
  /**
   * `"optimistic"` refuses a `put` as a `ConcurrentModificationError` whose parent is no longer the newest checkpoint of
   * its thread and namespace, as when two processes run one thread at the same time; forks and updates of the state are
   * let through. It costs one round trip more. Default `"unchecked"`.
   *
   * LangGraph forks by itself where a run goes on from a past checkpoint, unless it is given an input or an answer there,
   * has the durability `exit`, or the checkpoint is a fork itself. There, fork first:
   * `graph.invoke(input, await graph.updateState(past, null))`.
   *
   * In a transaction that was lent, others who go on with the thread wait until it ends; it must be read committed.
   */
  readonly concurrency?: "unchecked" | "optimistic" | undefined;
  /**
   * Whether a thread that is deleted stays deleted: late writes to it are refused as a `ThreadDeletedError`, where all
   * savers that write to it have this set. It costs one round trip more; what is said of transactions above holds here too.
   * Default `false`.
   */
  readonly keepTombstones?: boolean | undefined;
  /**
   * How many bytes one call may store: header, metadata and new values of a `put`, the values of a `putWrites`, each call
   * of a batch by itself, all as they are encoded, compressed and encrypted. More is refused as a
   * `CheckpointTooLargeError` before anything is sent. Default: no limit.
   */
  readonly maxCheckpointBytes?: number | undefined;
  /**
   * Above how many bytes one call has Node emit a warning, of type `CheckpointSizeWarning` and code `CHECKPOINT_SIZE`:
   * once a day (UTC) for each namespace of a thread, and for a hundred of them at most. Default: half of
   * {@link maxCheckpointBytes}; no warning where that is not set either.
   */
  readonly warnCheckpointBytes?: number | undefined;
  /** Where the saver tells what is tried again, what it lost and what failed. Default: nowhere. */
  readonly logger?: Logger | undefined;
  /** What spans and logs may tell. */
  readonly telemetry?: TelemetryChoice | undefined;
  /**
   * Whether every checkpoint that is stored is told to those who `watch` its thread, in the same statement and when that
   * commits. Transactions that tell something commit one after another in the whole database. Default `false`.
   */
  readonly notify?: boolean | undefined;
  /**
   * The keys of a run's config that `put` stores in the metadata of its checkpoints, for `listThreads`, `list` and
   * `deleteForRuns` to find: texts, numbers and booleans of `config.metadata`, else of `config.configurable`. What LangGraph
   * puts into the metadata itself stays. Python's saver stores all such keys, LangGraph.js none. Default: none.
   *
   * @example
   * ```ts
   * const checkpointer = new PostgresSaver(pool, undefined, { metadataFromConfig: ["user_id"] });
   * await graph.invoke(input, { configurable: { thread_id: "42", user_id: "7" } });
   * await checkpointer.listThreads({ filter: { user_id: "7" } });
   * ```
   */
  readonly metadataFromConfig?: readonly string[] | undefined;
}

/** What spans and logs may tell. */
export interface TelemetryChoice {
  /** The ids of threads, which may be personal. Default `true`. */
  readonly threadIds?: boolean | undefined;
}

const schemaName = z
  .string()
  .min(1)
  .refine(
    (name) => Buffer.byteLength(name) <= MAX_NAME_BYTES,
    `must not be longer than ${MAX_NAME_BYTES} bytes`,
  )
  .refine((name) => !/\0|\p{Surrogate}/u.test(name), "must not contain U+0000 or a lone surrogate");

const milliseconds = z.number().min(0).optional();

/** Longer timers end at once in Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const timeout = z.number().min(1).max(MAX_TIMER_MS).optional();

// An empty setting can't be told from one that is not set.
const tenantId = keyText.refine((text) => text !== "", "must not be empty");

const bytes = z.int().min(1).optional();

const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
const logger = z.custom<Logger>(isLogger, "must have a function debug, info, warn or error");

// A logger has much else, and what else it has is not ours to refuse.
function isLogger(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const levels = LOG_LEVELS.map((level): unknown => Reflect.get(value, level)).filter(
    (write) => write !== undefined,
  );
  return levels.length > 0 && levels.every((write) => typeof write === "function");
}

// Strict, since a misspelt option would leave out without a word what it was meant to promise.
const saverOptions = z.strictObject({
  schema: schemaName.default("public"),
  prepare: z.boolean().default(true),
  retry: z
    .union([
      z.literal(false),
      z.strictObject({ maxElapsedMs: milliseconds, minDelayMs: milliseconds, maxDelayMs: milliseconds }),
    ])
    .default({}),
  statementTimeoutMs: timeout,
  tenantId: tenantId.optional(),
  concurrency: z.enum(["unchecked", "optimistic"]).default("unchecked"),
  keepTombstones: z.boolean().default(false),
  maxCheckpointBytes: bytes,
  warnCheckpointBytes: bytes,
  logger: logger.optional(),
  telemetry: z.strictObject({ threadIds: z.boolean().optional() }).optional(),
  notify: z.boolean().default(false),
  metadataFromConfig: z
    .array(keyText.refine((key) => key !== "" && key !== "__proto__", "must not be empty or __proto__"))
    .default([]),
});

const boundsInOrder = ({
  maxCheckpointBytes: max = Infinity,
  warnCheckpointBytes: warn = 0,
}: SaverOptions): boolean => warn <= max;

const consistentOptions = saverOptions.refine(boundsInOrder, {
  path: ["warnCheckpointBytes"],
  message: "must not be above maxCheckpointBytes",
});

/** The options of a saver, complete. */
export type SaverOptions = z.output<typeof saverOptions>;

export function parseSaverOptions(options: unknown): SaverOptions {
  return parse(consistentOptions, options, "options");
}
