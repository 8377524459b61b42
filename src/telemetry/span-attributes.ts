/** The attributes of spans, of their events and of metrics. Metrics have no ids. */
export interface KnownAttributes {
  /** The database: `postgresql`, or what a checkpoint store is in. */
  readonly "db.system.name"?: string;
  /** The method, such as `put`, `store.search` or `cache.get`. */
  readonly "db.operation.name"?: string;
  /** The method and the table, such as `put checkpoints`, which is also the name of the span. */
  readonly "db.query.summary"?: string;
  /** The table, if the call is about one alone. */
  readonly "db.collection.name"?: string;
  /** The database that the saver connects to. Unknown for your own Kysely and for PGlite. */
  readonly "db.namespace"?: string;
  /** The server that the saver connects to. Unknown for your own Kysely and for PGlite. */
  readonly "server.address"?: string;
  /** Its port. */
  readonly "server.port"?: number;
  /** Of a span: how many rows the database has sent. */
  readonly "db.response.returned_rows"?: number;
  /** The SQLSTATE of the error. */
  readonly "db.response.status_code"?: string;
  /** Of a call that failed: the SQLSTATE, or our `code` if there is none. A call that its signal ended has `ABORTED`. */
  readonly "error.type"?: string;
  /** Of a span: the thread that the call is about. Left out with `telemetry: { threadIds: false }`. */
  readonly "langgraph.thread_id"?: string;
  /** Of a span: the namespace that the call is about. */
  readonly "langgraph.checkpoint_ns"?: string;
  /** Of a span: the checkpoint that the call is about. */
  readonly "langgraph.checkpoint_id"?: string;
  /** Of a span: the bytes that `put`, `putWrites`, `batch` and forks store, and that reads of checkpoints return. */
  readonly "langgraph.checkpoint.bytes"?: number;
  /** Of a span: how many attempts were repeated. */
  readonly "langgraph.checkpoint.retries"?: number;
  /** Of an event `retry`: the number of the attempt. The first retry is attempt 2. */
  readonly "langgraph.checkpoint.attempt"?: number;
  /** Of an event `retry` or `clock wait`: the pause or the wait, in seconds. */
  readonly "langgraph.checkpoint.delay"?: number;
  /** What has become of something, as the metric says. `THREAD_LOCKED` of a `withThreadLock` that was refused, which counts as no error. */
  readonly "langgraph.checkpoint.outcome"?: string;
  /** What a call waits for that waits too long. */
  readonly "langgraph.checkpoint.waits_for"?: string;
}

/** They fit OpenTelemetry's own type, which an interface does not. */
export type SpanAttributes = Pick<KnownAttributes, keyof KnownAttributes>;
