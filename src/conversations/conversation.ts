import type { CallOptions } from "../parsing/parse-call-options.js";

/** The record of a thread, as LangGraph's servers have it. */
export interface Conversation {
  readonly thread_id: string;
  readonly created_at: Date;
  /** When the record, or the newest checkpoint of the root graph, was stored; of checkpoints within a second, that of the first. */
  readonly updated_at: Date;
  /** What the application says about the thread: data of JSON. `title`, `owner` and `graph_id` have columns of their own in the table. */
  readonly metadata: Record<string, unknown>;
}

/** How {@link PostgresConversations.set} changes a conversation. */
export interface ConversationChange extends CallOptions {
  /** `put` creates it, or replaces all of its metadata. `patch` replaces the given keys of an existing one. */
  readonly kind: "put" | "patch";
  /**
   * Data of JSON. `title`, `owner` and `graph_id` must be texts: the table has columns of them, by which it is searched and which SQL reads.
   * Default: none.
   */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The query of {@link PostgresConversations.search}. */
export interface ConversationQuery extends CallOptions {
  /** Only conversations whose metadata contains this, at any depth, such as `{ owner: "alice" }`. Default: all. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Only conversations whose title contains this text, in upper or lower case. Default: all. */
  readonly title?: string | undefined;
  /** The most conversations to yield. Default 50. */
  readonly limit?: number | undefined;
  /** How many conversations to skip. A page far behind takes long: use {@link after}. Default 0. */
  readonly offset?: number | undefined;
  /** The last conversation of the preceding page: the search continues after it. */
  readonly after?: Conversation | undefined;
  /** Default `updated_at`. */
  readonly sortBy?: "created_at" | "updated_at" | undefined;
  /** Default `desc`: the newest first. */
  readonly sortOrder?: "asc" | "desc" | undefined;
  /** Whether `total` is exact, which reads all matching conversations. Default `false`. */
  readonly exactTotal?: boolean | undefined;
}

/** A conversation that a search has found. */
export interface FoundConversation {
  readonly thread: Conversation;
  /** The number of matching conversations: all of them with `exactTotal`, otherwise those up to the end of this page, and one if there are more. */
  readonly total: number;
}
