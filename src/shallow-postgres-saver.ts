import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { DatabaseSource } from "./db/open-database.js";
import type { PostgresSaverOptions } from "./saver/boundary/parse-options.js";
import { CheckpointSaver } from "./checkpoint-saver.js";
import { openSaver } from "./saver/call/open-saver.js";

/**
 * Keeps the newest checkpoint of each namespace and nothing before it: what agents go on from, without the history of how
 * they came there. Every `put` removes what was before in its own transaction and round trip: older checkpoints, their
 * writes, and values that the new one does not refer to. Interrupts and other pending writes of the newest one stay.
 *
 * It works on the tables of a {@link PostgresSaver}, and on threads that one has begun: their history goes with the next
 * `put`. Without history there is no going back: an older checkpoint is not found.
 *
 * Each call of a subgraph has a namespace of its own, whose newest checkpoint stays when the call is over: `prune` removes it.
 *
 * Where a graph has delta channels, what these are made of stays until they are stored whole; `list` does not show it.
 *
 * @example
 * ```ts
 * import { ShallowPostgresSaver } from "langgraph-checkpoint-kysely";
 *
 * await using checkpointer = ShallowPostgresSaver.fromConnString("postgres://localhost/agents");
 * await checkpointer.setup();
 * const graph = builder.compile({ checkpointer });
 * ```
 */
export class ShallowPostgresSaver extends CheckpointSaver {
  /**
   * @param source - As that of a `PostgresSaver`.
   * @param serde - How values become bytes; MessagePack in Python's layout by default.
   * @param options - As those of a `PostgresSaver`.
   * @throws InvalidConfigError for a source, a serializer or an option that can't be used.
   */
  constructor(source: DatabaseSource, serde?: SerializerProtocol, options: PostgresSaverOptions = {}) {
    super(openSaver(source, serde, options, true));
  }

  /**
   * A saver on a connection string, opened at the first query and closed by `end()`.
   *
   * @param connString - As that of `PostgresSaver.fromConnString`.
   *
   * @example
   * ```ts
   * await using checkpointer = ShallowPostgresSaver.fromConnString(process.env.DATABASE_URL ?? "memory://");
   * ```
   */
  static fromConnString(connString: string, options: PostgresSaverOptions = {}): ShallowPostgresSaver {
    return new ShallowPostgresSaver(connString, undefined, options);
  }
}
