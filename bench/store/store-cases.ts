import type { Race } from "../measure/run-case.js";
import type { Call, Size } from "../scenarios/scenario.js";
import { type Item, itemOf, type Items, kind, reference, topic } from "./items.js";
import type { Store, StoreSearch } from "./stores.js";

/** One timed operation of both stores. */
export interface StoreCase extends Race {
  /** Whether ours has its optional index of texts meanwhile. */
  readonly textIndex?: boolean;
  /** Returns what prepares the next call, untimed: the nth of a store. */
  begin(items: Items): (store: Store, nth: number) => Call;
}

/** A root that all items have. The official store can't search everything. */
const ROOT = ["tenants"];
/** The number of operations of a batch. */
const BATCH = 100;
const CONCURRENT = 10;
/** Calls of about a millisecond, and calls that take the official store a tenth of a second, or seconds. */
const ROUNDS = { short: 200, long: 24, longest: 4 };

/** The timed operations of the stores, in the order of the report. What changes the items comes last. */
export function storeCases({ quick }: Size): StoreCase[] {
  const cases = [...[...reads, ...searches, ...lists].map(warmedUp), ...writes];
  return cases.map((one) => (quick ? { ...one, rounds: 1, warmsUpAlone: false } : one));
}

const reads: readonly StoreCase[] = [
  {
    name: "store, get",
    rounds: ROUNDS.short,
    begin: (items) => (store, nth) => {
      const { namespace, key } = items.at(spread(nth));
      return async () => {
        found([await store.get(namespace, key)]);
      };
    },
  },
  {
    name: `store, batch of ${BATCH} gets`,
    rounds: ROUNDS.long,
    begin: (items) => (store, nth) => {
      const gets = batchOf(nth, (n) => items.at(spread(n))).map(({ namespace, key }) => ({ namespace, key }));
      return async () => {
        found(await store.batch(gets));
      };
    },
  },
];

const searches: readonly StoreCase[] = [
  searchOfUser("no filter", () => ({})),
  searchOfUser("kind = (5 %)", (nth) => ({ filter: { kind: kind(nth) } })),
  searchOfAll("no filter", () => ({})),
  searchOfAll("kind = (5 %)", (_, nth) => ({ filter: { kind: kind(nth) } })),
  searchOfAll("ref = (1 item)", (items, nth) => ({
    filter: { ref: reference(spread(nth) % items.count) },
  })),
  searchOfAll("kind = and active =", (_, nth) => ({ filter: { kind: kind(nth), active: true } })),
  searchOfAll("score $gt 990 (1 %)", () => ({ filter: { score: { $gt: 990 } } })),
  searchOfAll("meta.depth =", (_, nth) => ({ filter: { meta: { depth: nth % 7 } } })),
  searchOfAll("from the middle on", ({ count }) => ({ offset: count / 2 })),
  {
    ...searchOfAll("a word of about ten items", ({ count }, nth) => ({
      query: topic(spread(nth) % count),
      mode: "text",
    })),
    rounds: ROUNDS.longest,
    textIndex: true,
  },
  {
    // The first word of the vocabulary.
    ...searchOfAll("a word of most items", () => ({ query: "te", mode: "text" })),
    rounds: ROUNDS.longest,
    textIndex: true,
  },
];

const lists: readonly StoreCase[] = [
  listCase("first 100 of all", () => ({})),
  listCase("one tenant", (_, nth) => ({ prefix: ["tenants", `t${nth % 10}`] })),
  listCase("to depth 2", () => ({ maxDepth: 2 })),
  listCase("by suffix", (items, nth) => ({ suffix: items.user(nth).slice(-1) })),
  listCase("the last 100", ({ users }) => ({ offset: users * 0.9 })),
];

const writes: readonly StoreCase[] = [
  {
    name: "store, put, same key",
    rounds: ROUNDS.short,
    begin: (items) => (store, nth) => {
      const { namespace, key } = items.at(spread(nth));
      const { value } = itemOf(namespace, items.count + nth);
      return () => store.put(namespace, key, value);
    },
  },
  {
    name: "store, put, new key",
    rounds: ROUNDS.short,
    begin: (items) => (store, nth) => {
      const { namespace, key, value } = newItem(items, nth, "put");
      return () => store.put(namespace, key, value);
    },
  },
  {
    name: `store, batch of ${BATCH} puts`,
    rounds: ROUNDS.long,
    begin: (items) => (store, nth) => {
      const puts = batchOf(nth, (n) => newItem(items, n, "batch"));
      return () => store.batch(puts);
    },
  },
  {
    name: `store, ${CONCURRENT} concurrent puts`,
    rounds: ROUNDS.long,
    begin: (items) => (store, nth) => {
      const puts = Array.from({ length: CONCURRENT }, (_, n) =>
        newItem(items, nth * CONCURRENT + n, "concurrent"),
      );
      return () => Promise.all(puts.map(({ namespace, key, value }) => store.put(namespace, key, value)));
    },
  },
  {
    name: "store, delete",
    rounds: ROUNDS.short,
    begin: (items) => (store, nth) => {
      const { namespace, key } = items.at(nth);
      return () => store.delete(namespace, key);
    },
  },
];

/** The official store takes so much longer that ours would hardly be compiled after as many calls. */
function warmedUp(one: StoreCase): StoreCase {
  return { ...one, warmsUpAlone: true };
}

function searchOfUser(what: string, optionsOf: (nth: number) => StoreSearch): StoreCase {
  return {
    name: `store, search one user, ${what}`,
    rounds: ROUNDS.long,
    begin: (items) => (store, nth) => {
      const [user, options] = [items.user(spread(nth)), optionsOf(nth)];
      return () => store.search(user, options);
    },
  };
}

function searchOfAll(what: string, optionsOf: (items: Items, nth: number) => StoreSearch): StoreCase {
  return {
    name: `store, search everything, ${what}`,
    rounds: ROUNDS.long,
    begin: (items) => (store, nth) => {
      const options = optionsOf(items, nth);
      return async () => {
        found(await store.search(ROOT, options));
      };
    },
  };
}

type ListOptions = Parameters<Store["listNamespaces"]>[0];

function listCase(what: string, optionsOf: (items: Items, nth: number) => ListOptions): StoreCase {
  return {
    name: `store, listNamespaces, ${what}`,
    rounds: ROUNDS.long,
    begin: (items) => (store, nth) => {
      const options = optionsOf(items, nth);
      return () => store.listNamespaces(options);
    },
  };
}

/** The operations of the nth batch. */
function batchOf<T>(nth: number, at: (n: number) => T): T[] {
  return Array.from({ length: BATCH }, (_, n) => at(nth * BATCH + n));
}

/** An item that is not there yet. */
function newItem(items: Items, nth: number, name: string): Item {
  const item = itemOf(items.user(spread(nth)), items.count + nth);
  return { ...item, key: `${name}-${nth}` };
}

/** Numbers that lie far apart: a prime times as large. */
function spread(nth: number): number {
  return nth * 7_919;
}

/** A search that finds nothing would look excellent. */
function found(items: readonly unknown[]): void {
  if (items.length === 0 || items.includes(null)) throw new Error("an item was not found");
}
