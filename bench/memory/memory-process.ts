/**
 * A service that does one thing, and then prints how much memory it took. Each saver and each task has a process of
 * its own. Started with `--expose-gc`; argument: the task as JSON.
 */
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { openPool } from "../open-pool.js";
import { record, variedText } from "../scenarios/sample-data.js";
import { OFFICIAL, OURS, type Saver, SPLICED } from "../subjects.js";
import { type MemoryFigures, MemoryTask } from "./memory-task.js";

const SAMPLE_EVERY_MS = 2;

const task = MemoryTask.parse(JSON.parse(process.argv[2] ?? ""));
const pool = openPool(task.url);
const saver = { ours: OURS, spliced: SPLICED, official: OFFICIAL }[task.subject].open(pool);
const thread = threadConfig(task.thread);

await saver.getTuple(threadConfig("none"));
process.send?.(await measured(() => run(task, saver)));
await pool.end();
process.disconnect();

async function measured(operation: () => Promise<void>): Promise<MemoryFigures> {
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  const highestBefore = highest();
  let sampled = idle;
  const sampling = setInterval(
    () => (sampled = Math.max(sampled, process.memoryUsage.rss())),
    SAMPLE_EVERY_MS,
  );
  await operation();
  clearInterval(sampling);
  sampled = Math.max(sampled, process.memoryUsage.rss());
  // The system records every peak, but also that of the start, when the sources were compiled.
  const peak = highest() > highestBefore ? highest() : sampled;
  return { idle: idle / 1e6, peak: peak / 1e6 };
}

function highest(): number {
  return process.resourceUsage().maxRSS * 1024;
}

async function run({ kind, checkpoints }: MemoryTask, saver: Saver): Promise<void> {
  const seen = await { load, list, grow: () => grow(saver, checkpoints) }[kind](saver);
  if (seen !== checkpoints) throw new Error(`${seen} checkpoints instead of ${checkpoints}`);
}

async function list(saver: Saver): Promise<number> {
  let seen = 0;
  for await (const tuple of saver.list(thread)) if (tuple.checkpoint.id !== "") seen++;
  return seen;
}

async function grow(saver: Saver, steps: number): Promise<number> {
  const records: unknown[] = [];
  let last: { readonly config: RunnableConfig; readonly checkpoint?: Checkpoint } = { config: thread };
  for (let step = 0; step < steps; step++) {
    records.push(record(1_000, step, variedText));
    last = await putValues(saver, last.config, { records }, last.checkpoint);
  }
  return steps;
}

async function load(saver: Saver): Promise<number> {
  let seen = 0;
  let config = (await saver.getTuple(thread))?.config;
  while (config !== undefined) {
    const tuple = await saver.getTuple(config);
    if (tuple !== undefined) seen++;
    config = tuple?.parentConfig;
  }
  return seen;
}
