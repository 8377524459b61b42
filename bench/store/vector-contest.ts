import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { startPglite } from "../../test-support/pglite-target.js";
import { hasVectors } from "../../test-support/test-server.js";
import { type BenchDatabase, type BenchServer, startInstalledServer } from "../bench-server.js";
import type { Contestant } from "../measure/contestant.js";
import { DIRECT, type Route } from "../measure/route.js";
import { type CaseResult, race } from "../measure/run-case.js";
import type { AmountResult } from "../report/results.js";
import type { Size } from "../scenarios/scenario.js";
import type { PerSubject } from "../subjects.js";
import { loadVectors } from "./load-vectors.js";
import { OFFICIAL_STORE, type OpenedStore, OUR_STORE, type StoreSubject } from "./stores.js";
import { FOUND, recallOf, searchIn, type VectorCase, type VectorSearch } from "./vector-cases.js";
import { INDEX, VectorItems } from "./vector-items.js";

const QUERIES = { quick: 2, full: 50 };
/** A PGlite takes too long for more, and too much memory. */
const MOST_IN_PGLITE = 10_000;

interface Entered {
  readonly id: StoreSubject["id"];
  readonly open: (route: Route) => OpenedStore;
  readonly database: Pick<BenchDatabase, "query" | "exec">;
  readonly leave: () => Promise<void>;
}

/**
 * The two stores with the same embedded items: on the server of the run where it has pgvector, else on an installed one that has it,
 * otherwise each in a PGlite of its own. The first case loads the items.
 */
export class VectorContest {
  readonly #server: BenchServer;
  readonly #size: Size;
  readonly #count: number;
  readonly #entered: Entered[] = [];
  #items: VectorItems | undefined;
  #installed: BenchServer | undefined;

  constructor(server: BenchServer, size: Size, count: number) {
    this.#server = server;
    this.#size = size;
    this.#count = count;
  }

  /** Runs a case with both stores in turns. The routes lead to the server of the run alone. */
  async run(vectorCase: VectorCase, routes: readonly Route[]): Promise<CaseResult[]> {
    await this.#load();
    if (this.#entered.length === 0) return [];
    const contestants = this.#entered.map(({ id, open }): Contestant => {
      let nth = 0;
      return {
        id,
        connect: (route) => {
          const { store, ...connected } = open(route);
          return { ...connected, next: () => vectorCase.prepare(store, nth++) };
        },
      };
    });
    const results = [];
    for (const route of (await hasVectors(this.#server.url)) ? routes : [DIRECT]) {
      results.push(await race(vectorCase, contestants, route));
    }
    return results;
  }

  /** Which part of the ten most similar items the searches of a case find, in the mean. */
  async recall({ name, searchOf }: VectorCase): Promise<AmountResult[]> {
    const items = await this.#load();
    if (this.#entered.length === 0 || searchOf === undefined) return [];
    const queries = Array.from({ length: this.#size.quick ? QUERIES.quick : QUERIES.full }, (_, nth) => {
      const search = searchOf(nth);
      return { search, nearest: nearestOf(items, search) };
    });
    const shares: Partial<Record<StoreSubject["id"], number>> = {};
    for (const { id, open } of this.#entered) {
      const { store, end } = open(DIRECT);
      let found = 0;
      for (const { search, nearest } of queries) {
        const keys = new Set((await searchIn(store, search)).map(({ key }) => key));
        found += nearest.filter((key) => keys.has(key)).length;
      }
      await end();
      shares[id] = found / queries.reduce((wanted, { nearest }) => wanted + nearest.length, 0);
    }
    const { ours = Number.NaN, official = Number.NaN } = shares;
    const amounts: PerSubject<number> = { ours, official };
    return [{ name: recallOf(name), amounts }];
  }

  async end(): Promise<void> {
    for (const { leave } of this.#entered) await leave();
    await this.#installed?.stop();
  }

  async #load(): Promise<VectorItems> {
    if (this.#items !== undefined) return this.#items;
    const items = new VectorItems(this.#count);
    const server = await this.#serverWithVectors();
    if (server !== undefined || this.#count <= MOST_IN_PGLITE) {
      for (const subject of [OUR_STORE, OFFICIAL_STORE]) {
        const entered = await (server ? onServer(subject, server) : onPglite(subject, this.#size));
        this.#entered.push(entered);
        const { store, end } = entered.open(DIRECT);
        await loadVectors(subject, store, entered.database, items);
        await end();
      }
    }
    this.#items = items;
    return items;
  }

  async #serverWithVectors(): Promise<BenchServer | undefined> {
    if (await hasVectors(this.#server.url)) return this.#server;
    this.#installed ??= await startInstalledServer();
    if (this.#installed === undefined) return undefined;
    return (await hasVectors(this.#installed.url)) ? this.#installed : undefined;
  }
}

function nearestOf(items: VectorItems, { namespace, query, filter }: VectorSearch): string[] {
  return items.nearest(
    query,
    FOUND,
    (item) =>
      namespace.every((part, nth) => item.namespace[nth] === part) &&
      (filter === undefined || item.value.kind === filter.kind),
  );
}

async function onServer({ id, open }: StoreSubject, server: BenchServer): Promise<Entered> {
  const database = await server.emptyDatabase();
  return {
    id,
    database,
    open: (route) => open(route.via(database.source), INDEX),
    leave: () => database.giveBack(),
  };
}

async function onPglite({ id, openPglite }: StoreSubject, { quick }: Size): Promise<Entered> {
  // From a snapshot, since PGlite takes seconds to create a cluster.
  const pglite = await (quick ? startPglite({ vector }) : PGlite.create({ extensions: { vector } }));
  return {
    id,
    database: {
      query: async <Row extends Record<string, unknown>>(sql: string, parameters?: unknown[]) =>
        (await pglite.query<Row>(sql, parameters)).rows,
      exec: async (sql) => {
        await pglite.exec(sql);
      },
    },
    open: () => openPglite(pglite, INDEX),
    leave: () => pglite.close(),
  };
}
