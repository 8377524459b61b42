import type { BenchDatabase, BenchServer } from "../bench-server.js";
import type { Contestant } from "../measure/contestant.js";
import type { Route } from "../measure/route.js";
import { type CaseResult, race } from "../measure/run-case.js";
import type { FactResult } from "../report/results.js";
import type { Size } from "../scenarios/scenario.js";
import type { PerSubject } from "../subjects.js";
import { Items } from "./items.js";
import { withTextIndex } from "./text-index.js";
import type { StoreCase } from "./store-cases.js";
import { OFFICIAL_STORE, OUR_STORE, type Store, type StoreSubject } from "./stores.js";

/** The number of items that one statement loads. */
const LOADED = 10_000;
const DEPTH = 2;
const SEARCHES = 100;

interface Entered {
  readonly subject: StoreSubject;
  readonly database: BenchDatabase;
}

/**
 * The two stores with the same items, each in a database of its own. Loading them takes longer than most cases, so that all cases share
 * them. The first case loads them.
 */
export class StoreContest {
  readonly #server: BenchServer;
  readonly #items: Items;
  readonly #entered: Entered[] = [];

  constructor(server: BenchServer, size: Size) {
    this.#server = server;
    this.#items = new Items(size);
  }

  /** Runs a case with both stores in turns, over one route after the other. */
  async run(storeCase: StoreCase, routes: readonly Route[]): Promise<CaseResult[]> {
    await this.#load();
    if (storeCase.textIndex !== true) return this.#race(storeCase, routes);
    // Only for the searches that it is for: writes are timed with what a store has by default.
    return withTextIndex(this.#enteredBy("ours").database, () => this.#race(storeCase, routes));
  }

  async #race(storeCase: StoreCase, routes: readonly Route[]): Promise<CaseResult[]> {
    const contestants = this.#entered.map(({ subject, database }): Contestant => {
      const operation = storeCase.begin(this.#items);
      // Goes on over the next route, where what was new is new no more.
      let nth = 0;
      return {
        id: subject.id,
        connect: (route) => {
          const { store, ...connected } = subject.open(route.via(database.source));
          return { ...connected, next: () => operation(store, nth++) };
        },
      };
    });
    const results = [];
    for (const route of routes) results.push(await race(storeCase, contestants, route));
    return results;
  }

  /** What both stores answer to questions whose answers are known. */
  async facts(): Promise<FactResult[]> {
    await this.#load();
    const tenants = await this.#ask(
      async (store) => (await store.listNamespaces({ maxDepth: DEPTH })).length,
    );
    const foreign = await this.#ask((store) => foreignItems(store, this.#items));
    return [
      { name: `store: the 10 namespaces of depth ${DEPTH}, listed with maxDepth`, answers: tenants },
      { name: `store: items of other users in ${SEARCHES} searches of one user`, answers: foreign },
    ];
  }

  #enteredBy(id: StoreSubject["id"]): Entered {
    const entered = this.#entered.find(({ subject }) => subject.id === id);
    if (entered === undefined) throw new Error(`${id} did not take part`);
    return entered;
  }

  async end(): Promise<void> {
    for (const { database } of this.#entered) await database.giveBack();
  }

  async #load(): Promise<void> {
    if (this.#entered.length > 0) return;
    for (const subject of [OUR_STORE, OFFICIAL_STORE]) {
      const database = await this.#server.emptyDatabase();
      this.#entered.push({ subject, database });
      await loadItems(subject, database, this.#items);
    }
  }

  async #ask<T>(question: (store: Store) => Promise<T>): Promise<PerSubject<T>> {
    const answerOf = async (id: StoreSubject["id"]) => {
      const { subject, database } = this.#enteredBy(id);
      const { store, end } = subject.open(database.source);
      try {
        return await question(store);
      } finally {
        await end();
      }
    };
    return { ours: await answerOf("ours"), official: await answerOf("official") };
  }
}

async function loadItems(subject: StoreSubject, database: BenchDatabase, items: Items): Promise<void> {
  const { store, end } = subject.open(database.source);
  try {
    await store.setup();
    const all = [...items.all()];
    for (let from = 0; from < all.length; from += LOADED) {
      await subject.load(database, all.slice(from, from + LOADED), all.length - from);
    }
  } finally {
    await end();
  }
  await database.exec("vacuum analyze");
}

async function foreignItems(store: Store, items: Items): Promise<number> {
  let foreign = 0;
  for (let n = 0; n < SEARCHES; n++) {
    const user = items.user(n);
    const found = await store.search(user);
    foreign += found.filter(({ namespace }) => namespace.join() !== user.join()).length;
  }
  return foreign;
}
