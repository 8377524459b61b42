import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { BenchDatabase } from "../bench-server.js";
import { openPool } from "../open-pool.js";
import { channels } from "../scenarios/sample-data.js";
import type { Call } from "../scenarios/scenario.js";
import { FLAT } from "../small-runs/graphs.js";
import { type Item, itemOf } from "../store/items.js";
import { OFFICIAL_STORE, OUR_STORE, type Store, type StoreSubject } from "../store/stores.js";
import { OFFICIAL, OURS, type Saver, type Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";

/** What new processes do. */
export const COLD_WORKS = ["put", "getTuple", "flat graph", "store put", "store delete"] as const;

export type ColdWork = (typeof COLD_WORKS)[number];

/** The calls of one process. */
export interface ColdCalls {
  /** Prepares the next call, untimed. */
  readonly next: () => Call;
  readonly end: () => Promise<void>;
}

interface Work {
  /** Creates the tables. */
  readonly setUp: (id: Subject["id"], url: string) => Promise<void>;
  /** Stores what the nth process needs, in another process. */
  readonly provide?: (
    id: Subject["id"],
    database: BenchDatabase,
    nth: number,
    calls: number,
  ) => Promise<void>;
  /** Begins the work of the nth process. */
  readonly begin: (id: Subject["id"], url: string, nth: number) => ColdCalls;
}

/** What most services store: five channels of 2 kB. */
const VALUES = channels(5);

/** How the work is done by each side. */
export const WORKS: Readonly<Record<ColdWork, Work>> = {
  put: onSaver((saver) => {
    let config = threadConfig(newThread());
    let last: Checkpoint | undefined;
    return () => {
      const checkpoint = checkpointOf(saver, VALUES, last);
      const [metadata, versions] = [metadataOf(), allVersions(checkpoint)];
      last = checkpoint;
      return async () => {
        config = await saver.put(config, checkpoint, metadata, versions);
      };
    };
  }),
  getTuple: {
    ...onSaver((saver, nth) => () => async () => {
      const tuple = await saver.getTuple(threadConfig(threadOf(nth)));
      if (tuple === undefined) throw new Error(`${threadOf(nth)} is not there`);
    }),
    provide: async (id, { source }, nth) => {
      const thread = threadConfig(threadOf(nth));
      await withSaver(subjectOf(id), source, (saver) => putValues(saver, thread, VALUES));
    },
  },
  "flat graph": onSaver((saver) => {
    const invoke = FLAT.compile(saver);
    const [first] = FLAT.calls;
    if (first === undefined) throw new Error("the graph has no call");
    return () => {
      const thread = threadConfig(newThread());
      return () => invoke(first.input, thread);
    };
  }),
  "store put": onStore((store, nth, call) => {
    const { namespace, key, value } = itemOf(userOf(nth), call);
    return () => store.put(namespace, key, value);
  }),
  "store delete": {
    ...onStore((store, nth, call) => {
      const { namespace, key } = itemOf(userOf(nth), call);
      return () => store.delete(namespace, key);
    }),
    provide: (id, database, nth, calls) =>
      storeOf(id).load(
        database,
        Array.from({ length: calls }, (_, call): Item => itemOf(userOf(nth), call)),
        calls,
      ),
  },
};

function onSaver(begin: (saver: Saver, nth: number) => () => Call): Work {
  return {
    setUp: (id, url) => withSaver(subjectOf(id), url, () => Promise.resolve()),
    begin: (id, url, nth) => {
      const pool = openPool(url);
      return { next: begin(subjectOf(id).open(pool), nth), end: () => pool.end() };
    },
  };
}

function onStore(prepare: (store: Store, nth: number, call: number) => Call): Work {
  return {
    setUp: async (id, url) => {
      const { store, end } = storeOf(id).open(url);
      await store.setup();
      await end();
    },
    begin: (id, url, nth) => {
      const { store, end } = storeOf(id).open(url);
      let call = 0;
      return { next: () => prepare(store, nth, call++), end };
    },
  };
}

function subjectOf(id: Subject["id"]): Subject {
  return id === "ours" ? OURS : OFFICIAL;
}

function storeOf(id: Subject["id"]): StoreSubject {
  return id === "ours" ? OUR_STORE : OFFICIAL_STORE;
}

function threadOf(nth: number): string {
  return `thread of process ${nth}`;
}

function userOf(nth: number): string[] {
  return ["tenants", "t0", `u${nth}`];
}
