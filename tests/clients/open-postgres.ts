import { PostgresConversations } from "../../src/conversations/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import type { Storage } from "./client.js";

/** Opens everything that a client stores in, on one database. */
export function openPostgres(
  url: string,
): AsyncDisposable & { readonly storage: Storage; setup(): Promise<void> } {
  const saver = new PostgresSaver(url);
  const store = new PostgresStore(url);
  const conversations = new PostgresConversations(url);
  return {
    storage: { saver, store, conversations: conversations },
    async setup() {
      await saver.setup();
      await store.setup();
      await conversations.setup();
    },
    async [Symbol.asyncDispose]() {
      await conversations.end();
      await store.end();
      await saver.end();
    },
  };
}
