import type { BenchServer } from "./bench-server.js";
import { startDelayProxy } from "./latency/start-delay-proxy.js";
import { DIRECT, type Route } from "./measure/route.js";
import { type CaseResult, runCase } from "./measure/run-case.js";
import type { BenchOptions } from "./options.js";
import { currentLoad, describeMachine, type FactResult, type Results } from "./report/results.js";
import { FACT_SCENARIOS, TIMED_SCENARIOS } from "./scenarios/index.js";
import type { FactScenario, Size } from "./scenarios/scenario.js";
import { ofEach, versionOf } from "./subjects.js";

/** What a run yields. */
export interface BenchRun {
  readonly results: Results;
  /** What went wrong, each with the name of its scenario; the others ran all the same. */
  readonly errors: readonly Error[];
}

/** Runs every scenario on a server, and through the proxy too where a latency was asked for. */
export async function runBench(server: BenchServer, options: BenchOptions): Promise<BenchRun> {
  const load = currentLoad();
  const errors: Error[] = [];
  const timed = await runTimed(server, options, errors);
  const facts = await runFacts(server, options, errors);
  const results = {
    finishedAt: new Date().toISOString(),
    quick: options.quick,
    versions: await ofEach(versionOf),
    machine: describeMachine(server.description, load),
    timed,
    facts,
  };
  return { results, errors };
}

async function runTimed(server: BenchServer, options: BenchOptions, errors: Error[]): Promise<CaseResult[]> {
  const cases = TIMED_SCENARIOS.flatMap((scenario) => scenario.cases(options));
  return overRoutes(server, options, async (routes) => {
    const results: CaseResult[] = [];
    for (const timed of wanted(cases, options)) {
      await noting(errors, timed.name, async () => {
        results.push(...(await runCase(timed, server, routes)));
      });
    }
    return results;
  });
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

function wanted<T extends { readonly name: string }>(all: readonly T[], { only }: BenchOptions): T[] {
  return all.filter(({ name }) => name.toLowerCase().includes(only));
}

async function runFacts(server: BenchServer, options: BenchOptions, errors: Error[]): Promise<FactResult[]> {
  const results: FactResult[] = [];
  for (const scenario of wanted(FACT_SCENARIOS, options)) {
    await noting(errors, scenario.name, async () => {
      results.push(...(await askBoth(scenario, server, options)));
    });
  }
  return results;
}

async function askBoth(scenario: FactScenario, server: BenchServer, size: Size): Promise<FactResult[]> {
  const { ours, official } = await ofEach((subject) => scenario.observe(subject, server, size));
  return ours.map(({ name, answer }, index) => {
    const other = official[index];
    if (other?.name !== name) throw new Error(`"${name}" was asked of one saver only`);
    return { name, answers: { ours: answer, official: other.answer } };
  });
}

async function noting(errors: Error[], name: string, run: () => Promise<void>): Promise<void> {
  process.stderr.write(`… ${name}\n`);
  try {
    await run();
  } catch (cause) {
    errors.push(new Error(`${name} failed`, { cause }));
  }
}
