import type { BaseStore } from "@langchain/langgraph";
import type { ThreadSaver } from "@langchain/langgraph-api/experimental/embed";

const NAMESPACE = ["conversations"];

type Search = NonNullable<ThreadSaver["search"]>;

/** Conversations as the items of a store: what those of Postgres are compared with. */
export class StoredConversations implements ThreadSaver {
  readonly #store: BaseStore;

  constructor(store: BaseStore) {
    this.#store = store;
  }

  readonly get: ThreadSaver["get"] = async (id) => {
    const item = await this.#store.get(NAMESPACE, id);
    if (item === null) throw new Error(`There is no conversation ${id}`);
    return { thread_id: id, metadata: item.value };
  };

  readonly set: ThreadSaver["set"] = async (id, { kind, metadata }) => {
    const earlier = kind === "patch" ? (await this.#store.get(NAMESPACE, id))?.value : undefined;
    const changed = { ...earlier, ...metadata };
    await this.#store.put(NAMESPACE, id, changed);
    return { thread_id: id, metadata: changed };
  };

  readonly delete: ThreadSaver["delete"] = (id) => this.#store.delete(NAMESPACE, id);

  async *search({ metadata, limit, offset, sortBy, sortOrder }: Parameters<Search>[0]): ReturnType<Search> {
    const items = await this.#store.search(NAMESPACE, { filter: { ...metadata }, limit: 1000 });
    const time = sortBy === "created_at" ? "createdAt" : "updatedAt";
    const sign = sortOrder === "asc" ? 1 : -1;
    items.sort((a, b) => sign * (a[time].getTime() - b[time].getTime()));
    for (const { key, value } of items.slice(offset, offset + limit))
      yield { thread: { thread_id: key, metadata: value }, total: items.length };
  }
}
