import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { Health } from "./doctor/health-types.js";
import type { CallOptions } from "./parsing/parse-call-options.js";
import type { WatchOptions } from "./watch/watch-options.js";

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
