import type { CheckpointBatch } from "./saver/batch.js";
import type { CallOptions } from "./parsing/parse-call-options.js";
import type { ChannelValuesRequest } from "./saver/boundary/parse-channel-values.js";
import type { LockedRun, ThreadLockOptions } from "./threads/boundary/parse-thread-lock.js";

/** What a saver of ours does beyond what LangGraph asks of one. */
export interface SaverExtensions {
  /**
   * Sends any number of calls in a constant number of round trips: all of them count or none, as if made one by one.
   *
   * @param run - Makes the calls, on what it is handed; see {@link CheckpointBatch}. If it throws, nothing is sent.
   * @returns What `run` returned, once everything is stored.
   * @throws What one of the calls threw, or a DatabaseError; nothing is stored then.
   *
   * @example
   * ```ts
   * await checkpointer.batch((batch) => Promise.all(imported.map((call) => batch.put(...call))));
   * ```
   */
  batch<T>(run: (batch: CheckpointBatch) => Promise<T> | T, options?: CallOptions): Promise<T>;

  /**
   * Reads one channel of many threads, each from its newest checkpoint, in one statement: the titles of all
   * conversations of a user, say. The sends of checkpoints before version 4 of the format are not stored as a value.
   *
   * @returns The values by thread, in the order of `threadIds`; threads that have none are left out.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * const titles = await checkpointer.getChannelValues({ threadIds: ["41", "42"], channel: "title" });
   * titles.get("42");
   * ```
   */
  getChannelValues(request: ChannelValuesRequest, options?: CallOptions): Promise<Map<string, unknown>>;

  /**
   * Runs a function while no other run has the lock of the thread, in this process or another. It is a lock between those
   * who take it: calls outside of it are not kept off. When the process that holds it dies, the database frees it.
   *
   * All locks of savers that share a pool are held on one connection beside it, so that they take none from it; on a lent
   * Kysely, on one of its own. On PGlite, which one process has to itself, they are held in memory.
   *
   * @param run - Gets a signal that aborts when the lock is lost.
   * @returns What `run` returned.
   * @throws ThreadLockedError when `waitMs` is over.
   * @throws ThreadLockLostError, once `run` has ended, when the connection of the lock died meanwhile.
   * @throws InvalidConfigError on a lent transaction, and for a thread that the caller has locked already.
   * @throws AbortError when the signal ended the wait.
   *
   * @example
   * ```ts
   * await checkpointer.withThreadLock(
   *   threadId,
   *   ({ signal }) => graph.invoke(input, { configurable: { thread_id: threadId }, signal }),
   *   { waitMs: 30_000 },
   * );
   * ```
   */
  withThreadLock<T>(threadId: string, run: LockedRun<T>, options?: ThreadLockOptions): Promise<T>;
}
