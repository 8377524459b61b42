import { z } from "zod";
import { type ConnectionOptions, connectionOptions } from "../../parsing/connection-options.js";
import { MAX_TIMER_MS } from "../../db/async/timers.js";
import { keyText } from "../../parsing/keys.js";
import type { DatabaseSource } from "../../db/opened-database.js";
import { parse } from "../../parsing/parse.js";

/** The options of a saver. */
export interface PostgresSaverOptions extends ConnectionOptions {
  /**
   * `"optimistic"` refuses a `put` with a `ConcurrentModificationError` if its parent is no longer the newest checkpoint of
   * its thread and namespace, for example because two processes run one thread at the same time. It allows forks and updates of
   * the state. It costs one round trip more. Default `"unchecked"`.
   *
   * LangGraph forks by itself where a run starts from a past checkpoint, except where the run gets an input or an answer, has the
   * durability `exit`, or the checkpoint is a fork itself. Fork explicitly in these cases:
   * `graph.invoke(input, await graph.updateState(past, null))`.
   *
   * In a transaction that you pass in, other writers of the thread wait until it ends. It must be read committed.
   */
  readonly concurrency?: "unchecked" | "optimistic" | undefined;
  /**
   * The longest time that a read of the newest checkpoint waits for this machine's clock, in milliseconds. LangGraph makes the ids of
   * checkpoints from the clock, and the newest checkpoint is the one with the greatest id. Where the clock of another machine is ahead,
   * the read waits until this machine's clock has passed the newest checkpoint, so that the next ones have greater ids. Reads of a part
   * and stale reads don't wait. At least 10. Default 5,000.
   */
  readonly maxClockWaitMs?: number | undefined;
  /**
   * What happens where this machine's clock is behind by more than {@link maxClockWaitMs}, or a `put` has an id that is older than its
   * parent's, so that no later run would see the new checkpoint: `"refuse"` throws a `ClockBehindError`, `"warn"` emits a Node.js warning of
   * type `ClockBehindWarning` and code `CLOCK_BEHIND`, at most once per day (UTC) and namespace of a thread. Default `"refuse"`.
   */
  readonly clockBehind?: "refuse" | "warn" | undefined;
  /**
   * Whether a deleted thread stays deleted: the saver refuses late writes to it with a `ThreadDeletedError`. Set it for all
   * savers that write to these threads. It costs one round trip more. Transactions that you pass in must be read committed.
   * Default `false`.
   */
  readonly keepTombstones?: boolean | undefined;
  /**
   * The largest number of bytes that one call may store: the header, metadata and new values of a `put`, or the values of a
   * `putWrites`, after encoding, compression and encryption. The calls of a batch count one by one. A larger call throws a
   * `CheckpointTooLargeError` before anything is sent. Default: no limit.
   */
  readonly maxCheckpointBytes?: number | undefined;
  /**
   * A call that stores more bytes emits a Node.js warning of type `CheckpointSizeWarning` and code `CHECKPOINT_SIZE`: at most
   * once per day (UTC) and namespace of a thread, and at most for 100 namespaces per day. Default: half of
   * {@link maxCheckpointBytes}, or no warning where that is not set.
   */
  readonly warnCheckpointBytes?: number | undefined;
  /**
   * Whether each stored checkpoint is announced to those who `watch` its thread, by a notification that is sent when its
   * transaction commits. Postgres commits transactions with notifications one after another in the whole database. Default
   * `false`.
   */
  readonly notify?: boolean | undefined;
  /**
   * Whether `put`, `putWrites` and `deleteThread` calls that are made at the same time share a statement, and `getTuple` calls another.
   * While few calls are under way (at most two less than the pool has connections), each is sent at once, by itself. Further calls
   * wait for a statement to end, and share the next one. Each of them succeeds or fails by itself. The calls that store in one thread
   * run in the order in which they were made. Those with a signal, or with more than 64 KiB, are sent by themselves. Default `true`.
   */
  readonly grouping?: boolean | undefined;
  /**
   * Whether a value is stored as a splice of the value before it, where that saves at least half of it: a conversation of n steps
   * then takes about n log n instead of n². Only this library reads splices, from this version on: other readers of the thread fail.
   * Savers without this option read and continue the thread, and store whole values. Default `false`.
   */
  readonly splices?: boolean | undefined;
  /**
   * The most bytes that a saver with {@link splices} remembers of values which it has read or written, to compare the next ones
   * with. It gives up what was not used for the longest time. Default 32 MiB.
   */
  readonly spliceMemoryBytes?: number | undefined;
  /**
   * How many of the newest checkpoints of each namespace stay: each `put` deletes the older ones, with their writes and with the values
   * that no kept checkpoint references, in its own transaction and round trip. Where a kept checkpoint has a delta channel without a
   * value of its own, older ones stay until none is needed. It reads the headers of the kept checkpoints at each `put`; where many are
   * to stay, use `startRetention`. From 1 to 1,000. Default: all stay.
   *
   * @example
   * ```ts
   * const checkpointer = new PostgresSaver(pool, undefined, { keepLast: 20 });
   * ```
   */
  readonly keepLast?: number | undefined;
  /**
   * The keys of a run's config that `put` adds to the metadata of its checkpoints, so that `listThreads`, `list` and
   * `deleteForRuns` find them. Their values are text, numbers or booleans of `config.metadata`, or else of
   * `config.configurable`. Metadata that LangGraph sets takes precedence. Python's saver stores all such keys, LangGraph.js none.
   * Default: none.
   *
   * @example
   * ```ts
   * const checkpointer = new PostgresSaver(pool, undefined, { metadataFromConfig: ["user_id"] });
   * await graph.invoke(input, { configurable: { thread_id: "42", user_id: "7" } });
   * await checkpointer.listThreads({ filter: { user_id: "7" } });
   * ```
   */
  readonly metadataFromConfig?: readonly string[] | undefined;
  /**
   * A streaming replica of the database, for reads that may be stale: `listThreads`, `listTombstones`, `history`, `writesOf`,
   * `taskStats`, `storage`, `diff` and `verify`, unless the call has `staleReads: false`. With `staleReads: true` also `getTuple`,
   * `list`, `getChannelValues`, `getDeltaChannelHistory` and `exportThreads`, which otherwise never read it. A saver on a transaction
   * does not use it. Default: none.
   *
   * A read never fails because of the replica: it goes to the primary if the replica is down, too far behind, promoted, or another
   * database's. `end()` closes a replica that is described, as with the database.
   *
   * @example
   * ```ts
   * const checkpointer = new PostgresSaver(primary, undefined, { replica: { source: process.env.REPLICA_URL ?? "", maxLagMs: 5_000 } });
   * ```
   */
  readonly replica?: DatabaseSource | ReplicaOptions | undefined;
}

/** A replica, and how far it may be behind. */
export interface ReplicaOptions {
  /** The replica's connection string, pool options, pool or Kysely. */
  readonly source: DatabaseSource;
  /**
   * How far the replica may be behind, in milliseconds: a read that begins on it sees everything that was committed so long before.
   * `Infinity` for any lag. The clocks of both servers must agree. Default: 60,000.
   */
  readonly maxLagMs?: number | undefined;
}

// `openDatabase` checks the source.
const replicaOptions = z.strictObject({
  source: z.custom<DatabaseSource>((source) => source !== undefined, "is missing"),
  maxLagMs: z.number().min(1).or(z.literal(Infinity)).default(60_000),
});

function withSource(replica: unknown): unknown {
  const isOptions =
    typeof replica === "object" && replica !== null && ("source" in replica || "maxLagMs" in replica);
  return replica === undefined || isOptions ? replica : { source: replica };
}

/** Each `put` reads the headers of as many checkpoints. */
const MAX_KEPT = 1_000;

/** Clocks that agree may still differ by some milliseconds. */
const LEAST_CLOCK_WAIT_MS = 10;

const bytes = z.int().min(1).optional();

// Strict: a misspelt option would silently have no effect.
const saverOptions = z.strictObject({
  ...connectionOptions,
  concurrency: z.enum(["unchecked", "optimistic"]).default("unchecked"),
  maxClockWaitMs: z.number().min(LEAST_CLOCK_WAIT_MS).max(MAX_TIMER_MS).default(5_000),
  clockBehind: z.enum(["refuse", "warn"]).default("refuse"),
  keepTombstones: z.boolean().default(false),
  maxCheckpointBytes: bytes,
  warnCheckpointBytes: bytes,
  notify: z.boolean().default(false),
  grouping: z.boolean().default(true),
  splices: z.boolean().default(false),
  spliceMemoryBytes: z
    .int()
    .min(1)
    .default(32 * 2 ** 20),
  keepLast: z.int().min(1).max(MAX_KEPT).optional(),
  metadataFromConfig: z
    .array(keyText.refine((key) => key !== "" && key !== "__proto__", "must not be empty or __proto__"))
    .default([]),
  replica: z.preprocess(withSource, replicaOptions.optional()),
});

const boundsInOrder = ({
  maxCheckpointBytes: max = Infinity,
  warnCheckpointBytes: warn = 0,
}: SaverOptions): boolean => warn <= max;

const consistentOptions = saverOptions.refine(boundsInOrder, {
  path: ["warnCheckpointBytes"],
  message: "must not be above maxCheckpointBytes",
});

/** The parsed options of a saver, with defaults. */
export type SaverOptions = z.output<typeof saverOptions>;

export function parseSaverOptions(options: unknown): SaverOptions {
  return parse(consistentOptions, options, "options");
}
