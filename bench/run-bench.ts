import type { BenchServer } from "./bench-server.js";
import { BACKENDS } from "./checkpoint-store/backends.js";
import { measureCheckpointStore } from "./checkpoint-store/measure-checkpoint-stores.js";
import { coldCases } from "./cold/cold-cases.js";
import { measureCold } from "./cold/measure-cold.js";
import { runPgbench } from "./floor/pgbench.js";
import { historiesOf } from "./growth/histories.js";
import { measureGrowth } from "./growth/measure-growth.js";
import { measureInspector } from "./inspector/measure-inspector.js";
import { jitCases, JitServer } from "./jit/measure-with-jit.js";
import { startDelayProxy } from "./latency/start-delay-proxy.js";
import { DIRECT, type Route } from "./measure/route.js";
import { type CaseResult, runCase } from "./measure/run-case.js";
import { runLoad } from "./measure/run-load.js";
import type { BenchOptions } from "./options.js";
import {
  type AmountResult,
  currentLoad,
  describeMachine,
  type FactResult,
  type Results,
} from "./report/results.js";
import {
  AMOUNT_SCENARIOS,
  FACT_SCENARIOS,
  LOAD_SCENARIOS,
  PGBENCH_SCENARIOS,
  TIMED_SCENARIOS,
} from "./scenarios/index.js";
import type { AmountScenario, FactScenario, Size } from "./scenarios/scenario.js";
import { measureSmallRuns } from "./small-runs/measure-small-runs.js";
import { smallRunCases } from "./small-runs/small-run-cases.js";
import { storeCases } from "./store/store-cases.js";
import { StoreContest } from "./store/store-contest.js";
import { vectorCases, vectorCounts } from "./store/vector-cases.js";
import { VectorContest } from "./store/vector-contest.js";
import { ofEach, type PerSubject, versionOf } from "./subjects.js";
import { judge } from "./targets.js";

/** The results of a run. */
export interface BenchRun {
  readonly results: Results;
  /** The failures with the names of their scenarios. Other scenarios ran all the same. */
  readonly errors: readonly Error[];
}

/** Runs the selected scenarios on a server: timed cases directly, and through the proxy where a latency is set. */
export async function runBench(server: BenchServer, options: BenchOptions): Promise<BenchRun> {
  const load = currentLoad();
  const errors: Error[] = [];
  const each = runEach(options, errors);
  const timed = await overRoutes(server, options, (routes) =>
    each(casesOf(TIMED_SCENARIOS, options), (timedCase) => runCase(timedCase, server, routes)),
  );
  const pgbench = await overRoutes(server, options, (routes) =>
    each(casesOf(PGBENCH_SCENARIOS, options), (timedCase) =>
      runPgbench(timedCase, server, routes, options.quick ? 50 : 2_000),
    ),
  );
  const loads = await overRoutes(server, options, (routes) =>
    each(casesOf(LOAD_SCENARIOS, options), (loadCase) => runLoad(loadCase, server, routes)),
  );
  const smallRuns = await overRoutes(server, options, (routes) =>
    each(smallRunCases(options), (smallCase) => measureSmallRuns(smallCase, server, routes)),
  );
  const cold = await each(coldCases(options), (coldCase) => measureCold(coldCase, server));
  const jit = await measureWithJit(options, each);
  const amounts = await each(AMOUNT_SCENARIOS, (scenario) => observeAmounts(scenario, server, options));
  const facts = await each(FACT_SCENARIOS, (scenario) => observeFacts(scenario, server, options));
  const growth = await each(historiesOf(options), async (history) => [
    await measureGrowth(history, server, options),
  ]);
  const stores = await measureStores(server, options, each);
  const checkpointStores = await each(
    BACKENDS.map((backend) => ({ name: `checkpoint-store, ${backend.name}`, backend })),
    ({ backend }) => measureCheckpointStore(backend, server, options),
  );
  const inspector = await each([{ name: "inspector" }], async () => [
    await measureInspector(server, options),
  ]);
  const measured = {
    ...{ timed, pgbench, loads, smallRuns, cold, jit, amounts, growth },
    ...{ stores: stores.timed, recalls: stores.recalls, checkpointStores, inspector },
  };
  const results = {
    finishedAt: new Date().toISOString(),
    quick: options.quick,
    versions: await ofEach(versionOf),
    machine: describeMachine(server.description, load),
    // With little data a target means nothing.
    targets: options.quick ? [] : judge(measured),
    ...measured,
    facts: [...facts, ...stores.facts],
  };
  return { results, errors };
}

interface Named {
  readonly name: string;
}

/** Runs the selected cases on a server with JIT. */
async function measureWithJit(
  options: BenchOptions,
  each: ReturnType<typeof runEach>,
): Promise<CaseResult[]> {
  const server = new JitServer();
  try {
    return await each(jitCases(options), (jitCase) => server.run(jitCase));
  } finally {
    await server.stop();
  }
}

/** Runs the selected cases of the stores, which share what they hold. */
async function measureStores(
  server: BenchServer,
  options: BenchOptions,
  each: ReturnType<typeof runEach>,
): Promise<{
  readonly timed: CaseResult[];
  readonly recalls: AmountResult[];
  readonly facts: FactResult[];
}> {
  const contest = new StoreContest(server, options);
  try {
    const facts = await each([{ name: "store, facts" }], () => contest.facts());
    const timed = await overRoutes(server, options, (routes) =>
      each(storeCases(options), (storeCase) => contest.run(storeCase, routes)),
    );
    const recalls = [];
    for (const count of vectorCounts(options)) {
      const byVectors = await measureVectors(server, options, count, each);
      timed.push(...byVectors.timed);
      recalls.push(...byVectors.recalls);
    }
    return { timed, recalls, facts };
  } finally {
    await contest.end();
  }
}

/** Runs the selected cases of so many items with vectors. */
async function measureVectors(
  server: BenchServer,
  options: BenchOptions,
  count: number,
  each: ReturnType<typeof runEach>,
): Promise<{ readonly timed: CaseResult[]; readonly recalls: AmountResult[] }> {
  const contest = new VectorContest(server, options, count);
  const cases = vectorCases(options).filter((one) => one.count === count);
  try {
    // Before anything changes the items.
    const recalls = await each(cases, (vectorCase) => contest.recall(vectorCase));
    const timed = await overRoutes(server, options, (routes) =>
      each(cases, (vectorCase) => contest.run(vectorCase, routes)),
    );
    return { timed, recalls };
  } finally {
    await contest.end();
  }
}

/** Runs the selected scenarios. A failure is recorded and does not stop the others. */
function runEach({ only, shard }: BenchOptions, errors: Error[]) {
  let seen = 0;
  return async <T extends Named, Result>(all: readonly T[], run: (one: T) => Promise<Result[]>) => {
    const results: Result[] = [];
    for (const one of all.filter(({ name }) => name.toLowerCase().includes(only))) {
      if (seen++ % shard.count !== shard.index) continue;
      process.stderr.write(`… ${one.name}\n`);
      try {
        results.push(...(await run(one)));
      } catch (cause) {
        errors.push(new Error(`${one.name} failed`, { cause }));
      }
    }
    return results;
  };
}

function casesOf<Case>(scenarios: readonly { cases(size: Size): Case[] }[], size: Size): Case[] {
  return scenarios.flatMap((scenario) => scenario.cases(size));
}

async function overRoutes<T>(
  server: BenchServer,
  { latencyMs }: BenchOptions,
  run: (routes: readonly Route[]) => Promise<T>,
): Promise<T> {
  if (latencyMs === 0) return run([DIRECT]);
  const proxy = await startDelayProxy(server.url, latencyMs);
  try {
    return await run([DIRECT, proxy]);
  } finally {
    await proxy.stop();
  }
}

async function observeFacts(scenario: FactScenario, server: BenchServer, size: Size): Promise<FactResult[]> {
  const both = await ofEach((subject) => scenario.observe(subject, server, size));
  return paired(both).map(({ name, ours, official }) => ({
    name,
    answers: { ours: ours.answer, official: official.answer },
  }));
}

async function observeAmounts(
  scenario: AmountScenario,
  server: BenchServer,
  size: Size,
): Promise<AmountResult[]> {
  const both = await ofEach((subject) => scenario.observe(subject, server, size));
  return paired(both).map(({ name, ours, official }) => ({
    name,
    amounts: { ours: ours.amount, official: official.amount },
  }));
}

function paired<T extends Named>({ ours, official }: PerSubject<T[]>) {
  return ours.map((one, index) => {
    const other = official[index];
    if (other?.name !== one.name) throw new Error(`"${one.name}" was asked of one saver only`);
    return { name: one.name, ours: one, official: other };
  });
}
