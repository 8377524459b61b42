import { mkdir } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { PostgresSaver } from "langgraph-checkpoint-kysely";
import { PostgresConversations } from "langgraph-checkpoint-kysely/conversations";
import { PostgresStore } from "langgraph-checkpoint-kysely/store";
import pg from "pg";

/** What keeps the chat. All of it is in one database. */
export interface Database {
  /** The messages, and how far each run has come. */
  readonly saver: PostgresSaver;
  /** What the assistant knows about people, in whichever conversation it has learned it. */
  readonly store: PostgresStore;
  /** The list of conversations. */
  readonly conversations: PostgresConversations;
  close(): Promise<void>;
}

/**
 * Opens the database, and creates or migrates its tables.
 *
 * @param url - A PostgreSQL server, which several processes may share.
 * @param folder - Where a PGlite is kept if there is no server. One process may open it.
 */
export async function openDatabase(url: string | undefined, folder: string): Promise<Database> {
  if (url === undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
  const source = url === undefined ? new PGlite(folder) : new pg.Pool({ connectionString: url });
  const saver = new PostgresSaver(source);
  const store = new PostgresStore(source);
  const conversations = new PostgresConversations(source);
  await saver.setup();
  await store.setup();
  await conversations.setup();
  return {
    ...{ saver, store, conversations },
    close: async () => {
      await conversations.end();
      await store.end();
      await saver.end();
      await (source instanceof PGlite ? source.close() : source.end());
    },
  };
}
