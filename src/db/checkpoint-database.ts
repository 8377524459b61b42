import type { Selectable } from "kysely";
import type { DB } from "./schema.generated.js";

/**
 * The tables of this library, for the type of your own Kysely. Generated from the migrated schema.
 *
 * @example
 * ```ts
 * const db = new Kysely<AppTables & CheckpointDatabase>({ dialect });
 * await db.transaction().execute(async (transaction) => {
 *   await transaction.insertInto("orders").values(order).execute();
 *   await new PostgresSaver(transaction).put(config, checkpoint, metadata, newVersions);
 * });
 * ```
 */
export type CheckpointDatabase = Pick<
  DB,
  Exclude<
    Extract<keyof DB, `checkpoint${string}`>,
    `checkpoint_store${string}` | `checkpoint_conversations${string}`
  >
>;

/**
 * The tables of a store, for the type of your own Kysely. Generated from the migrated schema.
 *
 * @example
 * ```ts
 * const db = new Kysely<AppTables & CheckpointDatabase & StoreDatabase>({ dialect });
 * const store = new PostgresStore(db);
 * ```
 */
export type StoreDatabase = Pick<DB, "store" | "store_vectors">;

/** The table of a cache, for the type of your own Kysely. Generated from the migrated schema. */
export type CacheDatabase = Pick<DB, "cache_entries">;

/** The table of a checkpoint store, for the type of your own Kysely. Generated from the migrated schema. */
export type CheckpointStoreDatabase = Pick<DB, "checkpoint_store">;

/** The table of conversations, for the type of your own Kysely. Generated from the migrated schema. */
export type ConversationDatabase = Pick<DB, "checkpoint_conversations">;

/** Every table that this library may use: those of the savers, of the store, of the cache, of conversations and of the checkpoint store. */
export type LibraryDatabase = DB;

/** A row of `checkpoints`. */
export type CheckpointRow = Selectable<CheckpointDatabase["checkpoints"]>;
/** A row of `checkpoint_blobs`. */
export type CheckpointBlobRow = Selectable<CheckpointDatabase["checkpoint_blobs"]>;
/** A row of `checkpoint_writes`. */
export type CheckpointWriteRow = Selectable<CheckpointDatabase["checkpoint_writes"]>;
