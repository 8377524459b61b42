import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import type { PostgresCache } from "../../src/cache/index.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { summarize } from "../measure/statistics.js";
import { takeTurns, timed } from "../measure/take-turns.js";
import { openPool } from "../open-pool.js";
import { record } from "./sample-data.js";
import type { Amount, AmountScenario, Size } from "./scenario.js";

// The address is not a literal, so TypeScript does not resolve it: types are checked before there is a build.
const built = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/cache")
)) as typeof import("../../src/cache/index.js");

/** A call of a cache. */
interface CacheCase {
  readonly what: string;
  /** Makes what call number `n` needs, untimed, and returns the call. */
  readonly prepare: (n: number) => (cache: PostgresCache) => Promise<unknown>;
}

const ENTRIES = 1_000;

/** About what a network disk of a cloud takes. What it really is would decide the result. */
const SYNC_MS = 2;

const CASES: readonly CacheCase[] = [
  { what: "set of 1 × 2 kB", prepare: (n) => setting(1, n) },
  { what: "set of 20 × 2 kB", prepare: (n) => setting(20, n) },
  { what: "get of 1 × 2 kB", prepare: (n) => getting(1, n) },
  { what: "get of 20 × 2 kB", prepare: (n) => getting(20, n) },
];

function setting(count: number, first: number) {
  const pairs = entries(count, first);
  return (cache: PostgresCache) => cache.set(pairs);
}

function getting(count: number, first: number) {
  const wanted = keys(count, first);
  return (cache: PostgresCache) => cache.get(wanted);
}

/** The name of the amount that compares the unlogged table with a logged one. */
export function timesAsFastAsLogged(what: string): string {
  return `cache: ${what}, times as fast as in a logged table`;
}

/** What it gains that the table of a cache is unlogged. */
export const cache: AmountScenario = {
  name: "cache",
  observe: async (subject, _server, size) => {
    const amounts = subject.id === "ours" ? await measure(size) : undefined;
    return CASES.flatMap(({ what }, nth) => {
      const [unlogged, logged] = amounts?.[nth] ?? [];
      const none = "no cache";
      return [
        { name: `cache: ${what}, ms`, amount: unlogged ?? none },
        { name: `cache: ${what}, in a logged table, ms`, amount: logged ?? none },
        {
          name: timesAsFastAsLogged(what),
          amount: unlogged === undefined || logged === undefined ? none : logged / unlogged,
        },
      ] satisfies Amount[];
    });
  },
};

/** Returns the medians of each case: in an unlogged table, and in a logged one. */
async function measure({ quick }: Size): Promise<(readonly [number, number])[]> {
  const server = await startEmbeddedServer({ syncMs: SYNC_MS });
  const medians: (readonly [number, number])[] = [];
  try {
    const [unlogged, logged] = [await open(server, true), await open(server, false)];
    for (const { prepare } of CASES) {
      const times = [unlogged, logged].map(({ cache }) => ({ cache, ms: [] as number[], n: 0 }));
      const turns = times.map((each) => async () => {
        const call = prepare(each.n++);
        each.ms.push(await timed(() => call(each.cache)));
      });
      await takeTurns(turns, quick ? 2 : 200);
      for (const each of times) each.ms.length = 0;
      await takeTurns(turns, quick ? 4 : 400);
      const [fast = Number.NaN, slow = Number.NaN] = times.map(({ ms }) => summarize(ms).medianMs);
      medians.push([fast, slow]);
    }
    await Promise.all([unlogged.close(), logged.close()]);
    return medians;
  } finally {
    await server.remove();
  }
}

/** Opens a cache with entries, in a schema of its own. */
async function open(server: EmbeddedServer, unlogged: boolean) {
  const pool = openPool(server.url);
  const opened = new built.PostgresCache(pool, {
    schema: unlogged ? "unlogged" : "logged",
    unlogged,
    onError: "throw",
    sweepIntervalMinutes: false,
  });
  await opened.setup();
  for (let n = 0; n < ENTRIES; n += 100) await opened.set(entries(100, n));
  return {
    cache: opened,
    close: async () => {
      await opened.end();
      await pool.end();
    },
  };
}

function keys(count: number, first: number): CacheFullKey[] {
  return Array.from({ length: count }, (_, n) => [
    ["__pregel_ns_writes", "__dynamic__", "node"],
    `key ${(first + n) % ENTRIES}`,
  ]);
}

function entries(count: number, first: number) {
  return keys(count, first).map((key, n) => ({ key, value: [["channel", record(2_000, first + n)]] }));
}
