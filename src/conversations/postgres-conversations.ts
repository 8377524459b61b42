import type { ConversationDatabase } from "../db/checkpoint-database.js";
import type { DatabaseSource } from "../db/opened-database.js";
import { runCall } from "../db/run-call.js";
import { runBound, runStatement, runTransaction } from "../db/statements/run-statement.js";
import { ConversationNotFoundError } from "../errors/conversation-errors.js";
import { CHECKPOINT_SET, optionalSets } from "../migrations/sets.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import {
  type CallOptions,
  parseCallOptions,
  parseSetupOptions,
  type SetupOptions,
} from "../parsing/parse-call-options.js";
import { type SaverCall, writingThreads } from "../saver/call/saver-call.js";
import { deleteThread } from "../saver/put.js";
import { hasConversations, rememberConversations } from "../saver/queries/conversations-of-threads.js";
import { tombstoneGuard } from "../saver/storing/write-guard.js";
import type { ObservedOperation } from "../telemetry/running-calls.js";
import { parseChange, parseQuery, parseThread, type PostgresConversationsOptions } from "./boundary.js";
import type {
  Conversation,
  ConversationChange,
  ConversationQuery,
  FoundConversation,
} from "./conversation.js";
import { conversationOperations, openConversations } from "./conversation-call.js";
import { type ConversationRow, getRecord, patchRecord, putRecord } from "./queries/records.js";
import { bindSearch, countRecords, searchRecords } from "./queries/search-records.js";

/**
 * The records of conversations: what a list of threads shows and is searched by, beside the checkpoints of a saver. It can be the `threads`
 * of LangGraph's `createEmbedServer`.
 *
 * Savers know the records: what deletes, copies, archives or exports a thread does so with its record.
 *
 * @example
 * ```ts
 * import { PostgresSaver } from "langgraph-checkpoint-kysely";
 * import { PostgresConversations } from "langgraph-checkpoint-kysely/conversations";
 *
 * const checkpointer = new PostgresSaver(pool);
 * const threads = new PostgresConversations(pool);
 * await threads.setup();
 * const app = createEmbedServer({ graph: { agent }, checkpointer, threads });
 * ```
 */
export class PostgresConversations {
  readonly #call: SaverCall;

  /**
   * @param source - The database, as a saver takes it. A described database is opened at the first query, and {@link end} closes it.
   *   It never closes a pool, a Kysely or a PGlite that you pass in. Calls in a transaction that you pass in are part of it.
   * @param options - The handling of connections, faults and tenants, as for a saver.
   * @throws InvalidConfigError for an invalid source or option.
   */
  constructor(source: DatabaseSource<ConversationDatabase>, options: PostgresConversationsOptions = {}) {
    this.#call = openConversations(source, options);
  }

  /**
   * Creates conversations on a connection string. It connects at the first query, and {@link end} closes it.
   *
   * @param connString - `postgres://…` as `pg` takes it, `memory://` for PGlite in memory, `file://folder` for PGlite in a folder.
   *
   * @example
   * ```ts
   * await using threads = PostgresConversations.fromConnString("postgres://localhost/agents");
   * ```
   */
  static fromConnString(
    connString: string,
    options: PostgresConversationsOptions = {},
  ): PostgresConversations {
    return new PostgresConversations(connString, options);
  }

  /**
   * Creates or migrates the table, and the tables of the savers. Any number of processes may call it at the same time. Call it where a
   * service starts, or run `migrate --with conversations` in a pipeline.
   *
   * @throws MigrationRequiredError where the role lacks a privilege for a migration. The message names the command to run.
   * @throws MigrationError where a step fails, or the wait for a lock takes longer than `options.lockTimeoutMs`.
   *
   * @example
   * ```ts
   * await threads.setup();
   * ```
   */
  async setup(options?: SetupOptions): Promise<void> {
    const call = { ...this.#call, ...parseSetupOptions(options) };
    await runCall(call, conversationOperations["conversations.setup"], async (within) => {
      await setUpSets(within, [CHECKPOINT_SET, optionalSets().conversations]);
      rememberConversations(within);
    });
  }

  /**
   * Reads a conversation.
   *
   * @param id - The thread.
   * @throws ConversationNotFoundError where the thread has no record. Hono answers it with the status 404.
   *
   * @example
   * ```ts
   * const { metadata } = await threads.get(threadId);
   * ```
   */
  async get(id: string, options?: CallOptions): Promise<Conversation> {
    return this.#run("conversations.get", id, options, async (call, threadId) => {
      const [row] = await runStatement(call, getRecord, { threadId });
      return conversationOf(row, threadId);
    });
  }

  /**
   * Creates or changes a conversation. It may exist before the first checkpoint of its thread.
   *
   * @param id - The thread.
   * @param change - `put` creates the conversation or replaces its metadata; `patch` replaces the given keys.
   * @returns The conversation as it is now.
   * @throws ConversationNotFoundError for a `patch` of a thread without a record.
   * @throws ThreadDeletedError with `keepTombstones`, where the thread was deleted.
   *
   * @example
   * ```ts
   * await threads.set(threadId, { kind: "put", metadata: { title: "A trip to Rome", owner: "alice" } });
   * await threads.set(threadId, { kind: "patch", metadata: { title: "A trip to Naples" } });
   * ```
   */
  async set(id: string, change: ConversationChange): Promise<Conversation> {
    const { signal, ...given } = change;
    return this.#run("conversations.set", id, { signal }, async (call, threadId) => {
      const { kind, metadata = "{}" } = parseChange(given);
      const statement = (kind === "put" ? putRecord : patchRecord).bind(call.schema, { threadId, metadata });
      const [[row] = []] = await runTransaction(
        writingThreads(call, () => [threadId]),
        { guard: tombstoneGuard(call, [threadId]), statements: [statement] },
      );
      return conversationOf(row, threadId);
    });
  }

  /**
   * Sets `updated_at` to now. A checkpoint of the root graph does so too, except on Citus, and where it is stored in a transaction with a
   * snapshot.
   *
   * @param id - The thread.
   * @throws ConversationNotFoundError where the thread has no record.
   *
   * @example
   * ```ts
   * await threads.touch(threadId);
   * ```
   */
  async touch(id: string, options?: CallOptions): Promise<void> {
    await this.#run("conversations.touch", id, options, async (call, threadId) => {
      const [row] = await runStatement(call, patchRecord, { threadId, metadata: "{}" });
      conversationOf(row, threadId);
    });
  }

  /**
   * Deletes a conversation and its thread, with all checkpoints, in one transaction. One that does not exist is no error. `deleteThread` of
   * a saver does the same.
   *
   * @param id - The thread.
   *
   * @example
   * ```ts
   * await threads.delete(threadId);
   * ```
   */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#run("conversations.delete", id, options, async (call, threadId) => {
      // Otherwise the first deletion of a process would find the table only in its transaction, and delete the record in the next one.
      await hasConversations(call);
      await deleteThread(call, threadId);
    });
  }

  /**
   * Finds conversations. Threads without a record are not among them: `listThreads` of a saver lists those too.
   *
   * @param query - What is searched, and which page. The next page begins `after` the last conversation of this one.
   * @returns The conversations of one page, each with the `total`.
   *
   * @example
   * ```ts
   * for await (const { thread } of threads.search({ metadata: { owner: "alice" }, limit: 20 }))
   *   console.log(thread.metadata.title, thread.updated_at);
   * ```
   */
  async *search(query: ConversationQuery = {}): AsyncGenerator<FoundConversation> {
    const { signal, ...request } = parseQuery(query);
    const base = { ...this.#call, signal: signal ?? undefined };
    const found = await runCall(base, conversationOperations["conversations.search"], async (call) => {
      const { shape, params } = bindSearch(request);
      const { limit, offset, exactTotal } = request;
      const page = { ...params, limit: limit + 1 };
      const rows = limit === 0 ? [] : await runBound(call, searchRecords.of(shape).bind(call.schema, page));
      const [count] = exactTotal
        ? await runBound(call, countRecords.of(shape.narrowed).bind(call.schema, params))
        : [];
      const total = count === undefined ? offset + rows.length : Number(count.total);
      return { threads: rows.slice(0, limit).map((row) => conversationOf(row)), total };
    });
    for (const thread of found.threads) yield { thread, total: found.total };
  }

  /**
   * Closes what it opened. It never closes a pool, a Kysely or a PGlite that you passed in. It may be called more than once.
   *
   * @example
   * ```ts
   * process.on("SIGTERM", () => void threads.end());
   * ```
   */
  async end(): Promise<void> {
    await this.#call.database.close();
  }

  /** Calls {@link end} at the end of a block that declares it with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #run<T>(
    name: keyof typeof conversationOperations,
    id: string,
    options: CallOptions | undefined,
    work: (call: SaverCall, threadId: string) => Promise<T>,
  ): Promise<T> {
    const operation: ObservedOperation = conversationOperations[name];
    return runCall(this.#call, operation, async (base) => {
      const call = { ...base, signal: parseCallOptions(options) };
      const threadId = parseThread(id);
      call.progress?.about({ threadId });
      return work(call, threadId);
    });
  }
}

function conversationOf(row: ConversationRow | undefined, threadId = ""): Conversation {
  if (row === undefined) throw new ConversationNotFoundError(threadId);
  return {
    thread_id: row.thread_id,
    created_at: new Date(Number(row.created_ms)),
    updated_at: new Date(Number(row.updated_ms)),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  };
}
