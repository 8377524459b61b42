import type { ItemSums, NamespaceSums } from "../../../../api/memory.js";
import { read } from "../../../server/call-server.js";

/** The most threads that are found at once. What is left is found again afterwards. */
const MAX_THREADS = 2_000;
const PAGE = 200;

/** How a person is found. */
export interface PersonQuery {
  readonly id: string;
  /** The key of the metadata that has the id of the person. Empty to look for no threads. */
  readonly key: string;
  /** Whether there is a store. */
  readonly hasStore: boolean;
}

/** What is stored of a person. */
export interface PersonData {
  readonly threadIds: readonly string[];
  /** Whether there are threads that were not looked for any more. */
  readonly hasMoreThreads: boolean;
  readonly namespaces: readonly NamespaceSums[];
  readonly hasMoreNamespaces: boolean;
}

/** Finds the threads whose newest checkpoint has the id in its metadata, and the namespaces that have it as a label. */
export async function findPerson({ id, key, hasStore }: PersonQuery): Promise<PersonData> {
  const [threads, items] = await Promise.all([
    key === "" ? { threadIds: [], hasMoreThreads: false } : findThreads(key, valuesOf(id)),
    hasStore && !id.includes(".") ? read("itemSums", { label: id }) : NO_ITEMS,
  ]);
  const namespaces = wholeNamespaces(items.namespaces, id);
  // Of the last one, not all may be listed.
  return {
    ...threads,
    namespaces: items.hasMore ? await counted(namespaces) : namespaces,
    hasMoreNamespaces: items.hasMore,
  };
}

const NO_ITEMS: ItemSums = { items: 0, namespaces: [], hasMore: false };

/** An application may store the id 7 as a text or as a number. */
function valuesOf(id: string): readonly (string | number)[] {
  return String(Number(id)) === id ? [id, Number(id)] : [id];
}

async function findThreads(
  key: string,
  values: readonly (string | number)[],
): Promise<Pick<PersonData, "threadIds" | "hasMoreThreads">> {
  const found = new Set<string>();
  for (const value of values) {
    for (let after: string | undefined; ;) {
      const page = await read("threads", {
        ...{ filter: { [key]: value }, order: "id", limit: PAGE },
        ...(after !== undefined && { after }),
      });
      for (const { threadId } of page.threads) found.add(threadId);
      after = page.next;
      if (after === undefined) break;
      if (found.size >= MAX_THREADS) return { threadIds: [...found], hasMoreThreads: true };
    }
  }
  return { threadIds: [...found], hasMoreThreads: false };
}

/** Joins what is below the label of the person: `users.7.notes` goes with `users.7`. */
function wholeNamespaces(all: readonly NamespaceSums[], id: string): readonly NamespaceSums[] {
  const whole = new Map<string, NamespaceSums>();
  for (const { items, expired, keys, ...sums } of all) {
    const namespace = sums.namespace.slice(0, sums.namespace.indexOf(id) + 1);
    const name = namespace.join(".");
    const known = whole.get(name) ?? { items: 0, expired: 0, keys };
    whole.set(name, {
      ...{ namespace, items: known.items + items, expired: known.expired + expired, keys: known.keys },
    });
  }
  return [...whole.values()];
}

function counted(namespaces: readonly NamespaceSums[]): Promise<NamespaceSums[]> {
  return Promise.all(
    namespaces.map(async (sums) => ({
      ...sums,
      items: (await read("itemSums", { prefix: sums.namespace })).items,
    })),
  );
}
