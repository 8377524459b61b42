import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { startPglite } from "../../test-support/pglite-target.js";
import { hasVectors } from "../../test-support/test-server.js";
import type { BenchServer } from "../bench-server.js";
import type { Contestant } from "../measure/contestant.js";
import { DIRECT, type Route } from "../measure/route.js";
import { type CaseResult, type Race, race } from "../measure/run-case.js";
import type { AmountResult } from "../report/results.js";
import type { Size } from "../scenarios/scenario.js";
import type { PerSubject } from "../subjects.js";
import { kind } from "./items.js";
import { OFFICIAL_STORE, type OpenedStore, OUR_STORE, type StoreSubject } from "./stores.js";
import { INDEX, queryOf, VectorItems } from "./vector-items.js";

const ROOT = ["tenants"];
const FOUND = 10;
const QUERIES = { quick: 2, full: 50 };
/** The items of a batch while they are stored. */
const BATCH = 250;

/** A search by vectors. */
export interface VectorCase extends Race {
  /** The filter of the nth search. */
  readonly filterOf: (nth: number) => { readonly kind: string } | undefined;
}

/** The searches by vectors, in the order of the report. */
export function vectorCases({ quick }: Size): VectorCase[] {
  const race = { rounds: quick ? 1 : 24, warmsUpAlone: !quick };
  return [
    { ...race, name: "store, search by vectors, no filter", filterOf: () => undefined },
    { ...race, name: "store, search by vectors, kind = (5 %)", filterOf: (nth) => ({ kind: kind(nth) }) },
  ];
}

interface Entered {
  readonly id: StoreSubject["id"];
  readonly open: (route: Route) => OpenedStore;
  readonly leave: () => Promise<void>;
}

/** The two stores with the same embedded items: on the server where it has pgvector, otherwise each in a PGlite of its own. */
export class VectorContest {
  readonly #server: BenchServer;
  readonly #size: Size;
  #items: VectorItems | undefined;
  readonly #entered: Entered[] = [];
  #isOnServer = false;

  constructor(server: BenchServer, size: Size) {
    this.#server = server;
    this.#size = size;
  }

  /** Runs a case with both stores in turns. PGlite has no distance. */
  async run(vectorCase: VectorCase, routes: readonly Route[]): Promise<CaseResult[]> {
    await this.#load();
    const contestants = this.#entered.map(({ id, open }): Contestant => {
      let nth = 0;
      return {
        id,
        connect: (route) => {
          const { store, ...connected } = open(route);
          const next = () => {
            const options = optionsOf(vectorCase, nth++);
            return () => store.search(ROOT, options);
          };
          return { ...connected, next };
        },
      };
    });
    const results = [];
    for (const route of this.#isOnServer ? routes : [DIRECT]) {
      results.push(await race(vectorCase, contestants, route));
    }
    return results;
  }

  /** Which part of the ten most similar items the searches find, in the mean. */
  async recall(vectorCase: VectorCase): Promise<AmountResult[]> {
    const items = await this.#load();
    const queries = this.#size.quick ? QUERIES.quick : QUERIES.full;
    const shares: Partial<Record<StoreSubject["id"], number>> = {};
    for (const { id, open } of this.#entered) {
      const { store, end } = open(DIRECT);
      let found = 0;
      let wanted = 0;
      for (let nth = 0; nth < queries; nth++) {
        const { query, filter } = optionsOf(vectorCase, nth);
        const nearest = items.nearest(
          query,
          FOUND,
          ({ value }) => filter === undefined || value.kind === filter.kind,
        );
        const keys = new Set(
          (await store.search(ROOT, { query, ...(filter && { filter }) })).map(({ key }) => key),
        );
        found += nearest.filter((key) => keys.has(key)).length;
        wanted += nearest.length;
      }
      await end();
      shares[id] = found / wanted;
    }
    const { ours = Number.NaN, official = Number.NaN } = shares;
    const amounts: PerSubject<number> = { ours, official };
    return [{ name: recallOf(vectorCase.name), amounts }];
  }

  async end(): Promise<void> {
    for (const { leave } of this.#entered) await leave();
  }

  async #load(): Promise<VectorItems> {
    if (this.#items !== undefined) return this.#items;
    const items = new VectorItems(this.#size);
    this.#isOnServer = await hasVectors(this.#server.url);
    for (const subject of [OUR_STORE, OFFICIAL_STORE]) {
      const entered = this.#isOnServer
        ? await onServer(subject, this.#server)
        : await onPglite(subject, this.#size);
      this.#entered.push(entered);
      const { store, end } = entered.open(DIRECT);
      await store.setup();
      for (let from = 0; from < items.items.length; from += BATCH) {
        await store.batch([...items.items.slice(from, from + BATCH)]);
      }
      await end();
    }
    this.#items = items;
    return items;
  }
}

/** The name of the recall of a case. */
export function recallOf(name: string): string {
  return `${name}: recall of the best ${FOUND}`;
}

async function onServer({ id, open }: StoreSubject, server: BenchServer): Promise<Entered> {
  const database = await server.emptyDatabase();
  return {
    id,
    open: (route) => open(route.via(database.source), INDEX),
    leave: () => database.giveBack(),
  };
}

async function onPglite({ id, openPglite }: StoreSubject, { quick }: Size): Promise<Entered> {
  // From a snapshot, since PGlite takes seconds to create a cluster.
  const pglite = await (quick ? startPglite({ vector }) : PGlite.create({ extensions: { vector } }));
  return { id, open: () => openPglite(pglite, INDEX), leave: () => pglite.close() };
}

function optionsOf({ filterOf }: VectorCase, nth: number) {
  const filter = filterOf(nth);
  return { query: queryOf(nth), limit: FOUND, ...(filter && { filter }) };
}
