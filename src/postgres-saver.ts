import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { DatabaseSource } from "./db/open-database.js";
import type { PostgresSaverOptions } from "./saver/boundary/parse-options.js";
import { CheckpointSaver } from "./checkpoint-saver.js";
import { openSaver } from "./saver/call/open-saver.js";

/**
 * Keeps the checkpoints of LangGraph.js in PostgreSQL, in the tables of the official savers for JavaScript and Python.
 *
 * Each of `put`, `putWrites` and `getTuple` is one statement, unless values are tens of megabytes long, and `deleteThread`
 * one transaction, in one round trip as well: done or not done, never half. Transient faults are retried, and a lost connection never ends the process.
 *
 * @example
 * ```ts
 * import { PostgresSaver } from "langgraph-checkpoint-kysely";
 *
 * const checkpointer = PostgresSaver.fromConnString("postgres://localhost/agents");
 * await checkpointer.setup();
 * const graph = builder.compile({ checkpointer });
 * await graph.invoke(input, { configurable: { thread_id: "42" } });
 * await checkpointer.end();
 * ```
 */
export class PostgresSaver extends CheckpointSaver {
  /**
   * @param source - Where the checkpoints are: what is described is opened at the first query and closed by
   *   {@link end}, what is already open is lent and stays open. A transaction of the caller's own is fine: a checkpoint
   *   then commits together with the application's rows.
   * @param serde - How values become bytes; MessagePack in Python's layout by default. `JsonSerializer` writes the
   *   layout of the official JavaScript saver.
   * @param options - The schema, and how connections and faults are dealt with.
   * @throws InvalidConfigError for a source, a serializer or an option that can't be used.
   */
  constructor(source: DatabaseSource, serde?: SerializerProtocol, options: PostgresSaverOptions = {}) {
    super(openSaver(source, serde, options));
  }

  /**
   * A saver on a connection string, opened at the first query and closed by {@link end}.
   *
   * @param connString - `postgres://…` as `pg` takes it, `memory://` for PGlite in memory, `file://folder` for PGlite
   *   in a folder.
   *
   * @example
   * ```ts
   * await using checkpointer = PostgresSaver.fromConnString(process.env.DATABASE_URL ?? "memory://", { schema: "agents" });
   * ```
   */
  static fromConnString(connString: string, options: PostgresSaverOptions = {}): PostgresSaver {
    return new PostgresSaver(connString, undefined, options);
  }
}
