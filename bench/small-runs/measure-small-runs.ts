import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { preparedDatabase } from "../measure/contestant.js";
import { openCountedPool } from "../measure/counted-pool.js";
import type { Route } from "../measure/route.js";
import { type CaseFigures, type CaseResult, compared } from "../measure/run-case.js";
import { summarize } from "../measure/statistics.js";
import { takeTurns, timed } from "../measure/take-turns.js";
import { OFFICIAL, type Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { type ReportedCall, reportedCalls, type SmallRunCase } from "./small-run-cases.js";

/** What a saver still does after a run, such as giving back its connection, is not part of the next one. */
const PAUSE_MS = 2;

interface Call {
  readonly ms: number;
  readonly statements: number;
}

interface Side {
  readonly open: Subject["open"];
  readonly database: BenchDatabase;
}

/** Measures the runs of a small graph on new savers of both sides, which take turns, over one route after the other. */
export async function measureSmallRuns(
  smallCase: SmallRunCase,
  server: BenchServer,
  routes: readonly Route[],
): Promise<CaseResult[]> {
  const inUse: BenchDatabase[] = [];
  const enter = async (open: Subject["open"]): Promise<Side> => {
    const { database } = await preparedDatabase(server, (url) => warmUp(smallCase, open, url));
    inUse.push(database);
    return { open, database };
  };
  try {
    const sides = { ours: await enter(smallCase.open), official: await enter(OFFICIAL.open) };
    const results = [];
    for (const route of routes) {
      const calls = { ours: [] as Call[][], official: [] as Call[][] };
      const turn =
        ({ open, database }: Side, all: Call[][]) =>
        async () =>
          all.push(await callsOn(smallCase, open, route.via(database.source)));
      await takeTurns([turn(sides.ours, calls.ours), turn(sides.official, calls.official)], smallCase.savers);
      for (const call of reportedCalls(smallCase)) {
        const figures = { ours: figuresOf(call, calls.ours), official: figuresOf(call, calls.official) };
        results.push(compared(call, route, figures));
      }
    }
    return results;
  } finally {
    for (const database of inUse) await database.giveBack();
  }
}

/** Creates the tables, fills them a little, and lets V8 compile what a run does. */
async function warmUp(smallCase: SmallRunCase, open: Subject["open"], url: string): Promise<void> {
  await withSaver({ open }, url, () => Promise.resolve());
  for (let n = 0; n < smallCase.savers; n++) await callsOn(smallCase, open, url);
}

/** Makes all runs on one new saver, each on a new thread. */
async function callsOn(
  { graph, runs, connections }: SmallRunCase,
  open: Subject["open"],
  url: string,
): Promise<Call[]> {
  const { pool, count, end } = openCountedPool(url, connections);
  try {
    const invoke = graph.compile(open(pool));
    const calls: Call[] = [];
    for (let run = 1; run <= Math.max(...runs); run++) {
      const thread = threadConfig(newThread());
      let visits: readonly string[] = [];
      for (const { input } of graph.calls) {
        let ms = 0;
        const statements = await count(async () => {
          ms = await timed(async () => {
            visits = await invoke(input, thread);
          });
        });
        calls.push({ ms, statements });
        await sleep(PAUSE_MS);
      }
      if (!isDeepStrictEqual(visits, graph.visits)) throw new Error(`a run visited ${visits.join()}`);
    }
    return calls;
  } finally {
    await end();
  }
}

function figuresOf({ place }: ReportedCall, calls: readonly Call[][]): CaseFigures {
  const same = calls.flatMap((all) => all[place] ?? []);
  const statements = same.at(-1)?.statements;
  return { ...summarize(same.map(({ ms }) => ms)), ...(statements !== undefined && { statements }) };
}
