import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { DatabaseSource } from "./db/opened-database.js";
import type { PostgresSaverOptions } from "./saver/boundary/parse-options.js";
import { CheckpointSaver } from "./checkpoint-saver.js";
import { openSaver } from "./saver/open-saver.js";

/**
 * Stores the checkpoints of LangGraph.js in PostgreSQL, in the tables of the official savers for JavaScript and Python.
 *
 * `put`, `putWrites` and `getTuple` are one statement each, unless values are tens of megabytes long. `deleteThread` is one
 * transaction in one round trip. So each call is done completely or not at all. The saver retries transient faults, and a lost
 * connection never ends the process.
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
   * @param source - The database. The saver opens a described one (a connection string or pool options) at the first query, and
   *   {@link end} closes it. It never closes a pool, a Kysely or a PGlite that you pass in. You may pass in a transaction: then a
   *   checkpoint commits together with the rows of the application.
   * @param serde - The serializer of the values. Default: MessagePack in Python's layout. `JsonSerializer` writes the layout of the
   *   official JavaScript saver.
   * @param options - The schema, and the handling of connections and faults.
   * @throws InvalidConfigError for an invalid source, serializer or option.
   */
  constructor(source: DatabaseSource, serde?: SerializerProtocol, options: PostgresSaverOptions = {}) {
    super(openSaver(source, serde, options));
  }

  /**
   * Creates a saver on a connection string. It connects at the first query, and {@link end} closes it.
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
