import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { DatabaseSource } from "./db/opened-database.js";
import type { PostgresSaverOptions } from "./saver/boundary/parse-options.js";
import { CheckpointSaver } from "./checkpoint-saver.js";
import { openSaver } from "./saver/open-saver.js";

/** The options of a {@link ShallowPostgresSaver}: those of a `PostgresSaver`, except how many checkpoints it keeps. */
export type ShallowPostgresSaverOptions = Omit<PostgresSaverOptions, "keepLast">;

/**
 * Stores only the newest checkpoint of each namespace: agents can continue from it, but have no history. Each `put` deletes,
 * in its own transaction and round trip, older checkpoints, their writes, and values that the new one does not reference. It
 * keeps interrupts and other pending writes of the newest checkpoint.
 *
 * It uses the tables of a {@link PostgresSaver}, and can continue its threads: the next `put` deletes their history. Without a
 * history, time travel is not possible: an older checkpoint is not found.
 *
 * Each call of a subgraph has a namespace of its own. Its newest checkpoint stays when the call has ended, until `prune` deletes
 * it.
 *
 * Where a graph has delta channels, the ancestors that their values are rebuilt from stay until the values are stored whole.
 * `list` does not return these ancestors.
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
   * @param source - The database, as for a `PostgresSaver`.
   * @param serde - The serializer of the values. Default: MessagePack in Python's layout.
   * @param options - The same as for a `PostgresSaver`, except `keepLast`.
   * @throws InvalidConfigError for an invalid source, serializer or option.
   */
  constructor(source: DatabaseSource, serde?: SerializerProtocol, options: ShallowPostgresSaverOptions = {}) {
    super(openSaver(source, serde, options, 1));
  }

  /**
   * Creates a saver on a connection string. It connects at the first query, and `end()` closes it.
   *
   * @param connString - The same as for `PostgresSaver.fromConnString`.
   *
   * @example
   * ```ts
   * await using checkpointer = ShallowPostgresSaver.fromConnString(process.env.DATABASE_URL ?? "memory://");
   * ```
   */
  static fromConnString(connString: string, options: ShallowPostgresSaverOptions = {}): ShallowPostgresSaver {
    return new ShallowPostgresSaver(connString, undefined, options);
  }
}
