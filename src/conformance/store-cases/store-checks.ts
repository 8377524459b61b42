import { type Cases, type SceneCheck, withOptions } from "../suite-case.js";
import type {
  BaseStore,
  IndexConfig,
  Item,
  SearchItem,
  Operation,
  PutOperation,
} from "@langchain/langgraph-checkpoint";
import assert from "node:assert/strict";

/** The options that a case needs its store to have. */
export interface SuiteStoreOptions {
  /** Present only with the option `vectors` of the suite. */
  readonly index?: IndexConfig;
  /** Present only with the option `ttl` of the suite. */
  readonly ttl?: SuiteTtl;
}

/** How long the items of a store live, as most stores take it. */
export interface SuiteTtl {
  /** How long an item lives that is put without a TTL, in minutes. */
  readonly defaultTtl?: number;
  /** Whether reading an item starts its time again. */
  readonly refreshOnRead: boolean;
}

/** A store whose items may expire. */
export interface TtlStore extends BaseStore {
  put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
    options?: { readonly ttl?: number | null },
  ): Promise<void>;
  get(namespace: string[], key: string, options?: { readonly refreshTtl?: boolean }): Promise<Item | null>;
  search(
    namespacePrefix: string[],
    options?: {
      filter?: Record<string, unknown>;
      limit?: number;
      offset?: number;
      query?: string;
      refreshTtl?: boolean;
    },
  ): Promise<SearchItem[]>;
}

/** What a case works with. */
export interface StoreScene {
  /** A store without items. */
  readonly store: TtlStore;
  /** Makes the items older. */
  readonly elapse: (minutes: number) => Promise<void>;
}

/** Promises of stores. */
export type StoreCases = Cases<StoreScene, SuiteStoreOptions>;

/** Cases of stores with options. */
export function withStoreOptions(
  options: SuiteStoreOptions,
  checks: Readonly<Record<string, SceneCheck<StoreScene>>>,
): StoreCases {
  return withOptions(options, checks);
}

/** The keys of items, in the order of the items. */
export function keysIn(items: readonly { readonly key: string }[]): string[] {
  return items.map(({ key }) => key);
}

/** The namespaces of items with their keys, sorted. */
export function placesOf(items: readonly { readonly namespace: string[]; readonly key: string }[]): string[] {
  return items.map(({ namespace, key }) => JSON.stringify([...namespace, key])).sort();
}

/** The operation that stores an item. */
export function putOf(namespace: string[], key: string, value: Record<string, unknown> = {}): PutOperation {
  return { namespace, key, value };
}

/** Runs operations. The types of its results promise what a store may not keep. */
export async function batch(store: BaseStore, operations: readonly Operation[]): Promise<readonly unknown[]> {
  return store.batch([...operations]);
}

/** The result of a search in a batch. */
export function foundIn(result: unknown): SearchItem[] {
  assert.ok(Array.isArray(result), "a search returned no array");
  return result as SearchItem[];
}

/** The result of a read in a batch, of an item that exists. */
export function itemIn(result: unknown): Item {
  assert.ok(typeof result === "object" && result !== null, "a read returned no item");
  return result as Item;
}

/** Stores an item with the key `k` in each of some namespaces. */
export async function fillNamespaces(store: BaseStore, namespaces: readonly string[][]): Promise<void> {
  await store.batch(namespaces.map((namespace) => putOf(namespace, "k")));
}

/**
 * Fails unless a call is refused as LangGraph refuses namespaces. The name decides, since an application may have two copies of the
 * package with the class.
 */
export async function rejectsNamespace(call: () => Promise<unknown>, what: string): Promise<void> {
  await assert.rejects(
    call,
    (error: unknown) => {
      const name = error instanceof Error ? error.name : typeof error;
      assert.equal(name, "InvalidNamespaceError", `${what} is refused by ${name}`);
      return true;
    },
    `${what} is not refused`,
  );
}

/** Puts an item until its time of update is later than that of all others, however coarse the clock is. */
export async function touch(store: BaseStore, namespace: string[], key: string): Promise<void> {
  const others = (await store.search(namespace, { limit: 1_000 })).filter((item) => item.key !== key);
  const latest = Math.max(0, ...others.map(({ updatedAt }) => updatedAt.getTime()));
  for (let attempt = 0; attempt < MAX_TOUCHES; attempt++) {
    await store.put(namespace, key, { attempt });
    const item = await store.get(namespace, key);
    if ((item?.updatedAt.getTime() ?? 0) > latest) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.fail(`the time of update of ${JSON.stringify(key)} does not rise`);
}

const MAX_TOUCHES = 1_000;
