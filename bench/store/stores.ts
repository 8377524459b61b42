import type { PGlite } from "@electric-sql/pglite";
import { createPgConfig } from "@electric-sql/pglite/node-postgres";
import { PostgresStore as OfficialStore } from "@langchain/langgraph-checkpoint-postgres/store";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import type { BenchDatabase } from "../bench-server.js";
import { type Connected, countStatements, openCountedPool } from "../measure/counted-pool.js";
import { observeClient, type SeeQuery } from "../measure/observe-queries.js";
import { POOL_OPTIONS } from "../open-pool.js";
import type { Subject } from "../subjects.js";
import type { Item } from "./items.js";

// The address is not a literal, so TypeScript does not resolve it: types are checked before there is a build.
const { PostgresStore } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/store")
)) as typeof import("../../src/store/index.js");

/** What both stores can do. */
export type Store = Pick<BaseStore, "put" | "get" | "delete" | "batch" | "listNamespaces"> & {
  setup(): Promise<void>;
  search(namespacePrefix: string[], options?: StoreSearch): ReturnType<BaseStore["search"]>;
};

/** The options of a search that both stores have. */
export interface StoreSearch {
  readonly filter?: Record<string, string | number | boolean | null | object>;
  readonly limit?: number;
  readonly offset?: number;
  readonly query?: string;
  readonly mode?: "text";
}

/** How both stores embed. */
export interface StoreIndex {
  readonly dims: number;
  readonly fields: string[];
  readonly embed: (texts: string[]) => Promise<number[][]>;
}

/** A store that is connected. */
export interface OpenedStore extends Connected {
  readonly store: Store;
}

/** One of the two stores. */
export interface StoreSubject {
  readonly id: Subject["id"];
  /** Opens a store with default options, apart from how it embeds. */
  readonly open: (url: string, index?: StoreIndex) => OpenedStore;
  /** Opens a store on a PGlite, which the caller closes. Its statements can't be counted. */
  readonly openPglite: (pglite: PGlite, index: StoreIndex) => OpenedStore;
  /** Stores items as the store would, in one statement each, without the time that takes. The last one is the newest. */
  readonly load: (database: Loadable, items: readonly Item[], ageS: number) => Promise<void>;
  /** Stores the vectors of items that are stored, in one statement. */
  readonly loadVectors: (database: Loadable, vectors: readonly ItemVector[]) => Promise<void>;
}

type Loadable = Pick<BenchDatabase, "query">;

/** An item with the vector of its only text. */
export interface ItemVector extends Pick<Item, "namespace" | "key"> {
  readonly text: string;
  readonly vector: string;
}

export const OUR_STORE: StoreSubject = {
  id: "ours",
  open: (url, index) => {
    const { pool, ...connected } = openCountedPool(url);
    return { ...connected, store: new PostgresStore(pool, { index }) };
  },
  openPglite: (pglite, index) => {
    const store = new PostgresStore(pglite, { index });
    return { store, end: () => store.end() };
  },
  load: (database, items, ageS) => load(database, LOAD_OURS, items, ".", ageS),
  loadVectors: (database, vectors) => loadVectors(database, LOAD_OUR_VECTORS, vectors, "."),
};

export const OFFICIAL_STORE: StoreSubject = {
  id: "official",
  open: (url, index) => {
    const seen: SeeQuery[] = [];
    // It opens a pool of its own, which nobody else can reach.
    class SeenClient extends pg.Client {
      constructor(config?: string | pg.ClientConfig) {
        super(config);
        observeClient(this, (args) => {
          seen.forEach((see) => {
            see(args);
          });
        });
      }
    }
    const connectionOptions = { ...POOL_OPTIONS, connectionString: url, Client: SeenClient };
    const store = new OfficialStore({ connectionOptions, ...(index && { index }) });
    return { store, ...countStatements((see) => seen.push(see)), end: () => store.stop() };
  },
  openPglite: (pglite, index) => {
    // It takes nothing but the options of a pool. These lead to the PGlite.
    const store = new OfficialStore({ connectionOptions: createPgConfig(pglite), index });
    return { store, end: () => store.stop() };
  },
  load: (database, items, ageS) => load(database, LOAD_OFFICIAL, items, ":", ageS),
  loadVectors: (database, vectors) => loadVectors(database, LOAD_OFFICIAL_VECTORS, vectors, ":"),
};

const LOAD_OURS = `
  insert into store (prefix, key, value, created_at, updated_at)
  select namespace, key, value::jsonb, now() - age, now() - age
  from unnest($1::text[], $2::text[], $3::text[], $4::interval[]) as item(namespace, key, value, age)`;

const LOAD_OFFICIAL = `
  insert into store (namespace_path, key, value, created_at, updated_at)
  select namespace, key, value::jsonb, now() - age, now() - age
  from unnest($1::text[], $2::text[], $3::text[], $4::interval[]) as item(namespace, key, value, age)`;

// The hash is that of the text and the model.
const LOAD_OUR_VECTORS = `
  insert into store_vectors (prefix, key, field_name, embedding, text_hash)
  select namespace, key, 'text', vector::vector,
    sha256(convert_to(format('["default",%s,%s]', vector_dims(vector::vector), to_json(text)), 'utf8'))
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as item(namespace, key, text, vector)`;

const LOAD_OFFICIAL_VECTORS = `
  insert into store_vectors (namespace_path, key, field_path, text_content, embedding)
  select namespace, key, 'text', text, vector::vector
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as item(namespace, key, text, vector)`;

async function loadVectors(
  database: Loadable,
  statement: string,
  vectors: readonly ItemVector[],
  separator: string,
): Promise<void> {
  await database.query(statement, [
    vectors.map(({ namespace }) => namespace.join(separator)),
    vectors.map(({ key }) => key),
    vectors.map(({ text }) => text),
    vectors.map(({ vector }) => vector),
  ]);
}

async function load(
  database: Loadable,
  statement: string,
  items: readonly Item[],
  separator: string,
  ageS: number,
): Promise<void> {
  await database.query(statement, [
    items.map(({ namespace }) => namespace.join(separator)),
    items.map(({ key }) => key),
    items.map(({ value }) => JSON.stringify(value)),
    items.map((_, nth) => `${ageS - nth} seconds`),
  ]);
}
