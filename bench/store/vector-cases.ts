import type { Race } from "../measure/run-case.js";
import type { Call, Size } from "../scenarios/scenario.js";
import { kind } from "./items.js";
import type { Store } from "./stores.js";
import { queryOf, userOf, vectorItem } from "./vector-items.js";

/** One timed operation of both stores, on items with vectors. */
export interface VectorCase extends Race {
  /** How many items have a vector. */
  readonly count: number;
  /** What the nth call searches. Absent where it stores something. */
  readonly searchOf?: (nth: number) => VectorSearch;
  /** Prepares the nth call of a store, untimed. */
  readonly prepare: (store: Store, nth: number) => Call;
}

/** The arguments of a search by vectors. */
export interface VectorSearch {
  readonly namespace: string[];
  readonly query: string;
  readonly filter?: { readonly kind: string };
}

/** How many items a search returns. */
export const FOUND = 10;

const ROOT = ["tenants"];

/** How many items have a vector, first in a small store and then in a large one. */
export function vectorCounts({ quick }: Size): number[] {
  return quick ? [20, 40] : [10_000, 100_000];
}

/** The timed operations, in the order of the report. What changes the items comes last. */
export function vectorCases(size: Size): VectorCase[] {
  const [small = 0] = vectorCounts(size);
  const searches = vectorCounts(size).map((count) => searchesOf(count, size));
  const put: VectorCase = {
    name: `store, put of an item with a vector, beside ${counted(small)}`,
    count: small,
    rounds: size.quick ? 1 : 200,
    prepare: (store, nth) => {
      const { namespace, key, value } = vectorItem(small + nth);
      return () => store.put(namespace, key, value);
    },
  };
  return [...searches.flat(), put];
}

/** The name of the recall of a case. */
export function recallOf(name: string): string {
  return `${name}: recall of the best ${FOUND}`;
}

function searchesOf(count: number, { quick }: Size): VectorCase[] {
  const searching = (what: string, searchOf: (nth: number) => VectorSearch): VectorCase => ({
    name: `store, search of ${counted(count)} vectors, ${what}`,
    count,
    // The official store compares with each vector.
    rounds: quick ? 1 : count > 10_000 ? 12 : 24,
    warmsUpAlone: !quick,
    searchOf,
    prepare: (store, nth) => {
      const search = searchOf(nth);
      return () => searchIn(store, search);
    },
  });
  return [
    searching("no filter", (nth) => ({ namespace: ROOT, query: queryOf(nth) })),
    searching("kind = (5 %)", (nth) => ({
      namespace: ROOT,
      query: queryOf(nth),
      filter: { kind: kind(nth) },
    })),
    searching("one namespace (1 %)", (nth) => ({ namespace: userOf(nth), query: queryOf(nth) })),
  ];
}

/** Searches a store. */
export function searchIn(store: Store, { namespace, ...search }: VectorSearch): ReturnType<Store["search"]> {
  return store.search(namespace, { ...search, limit: FOUND });
}

function counted(count: number): string {
  return count.toLocaleString("en-US");
}
