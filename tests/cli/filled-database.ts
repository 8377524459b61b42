import { beforeAll, beforeEach } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import { allVersions, checkpointOf, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";
import { cliOn, jsonOf } from "./cli.js";

/** The run that made the last checkpoint of thread 44. */
export const RUN_ID = "1f0a2c9e-4b7d-6c3e-8f21-0242ac120002";

/** The result of {@link fillDatabase}. */
export interface Filled {
  /** The checkpoints of thread 42, oldest first. The third is a fork of the first. */
  readonly ids: readonly string[];
}

/**
 * Fills a migrated database with the threads of the examples in help: 42 with four checkpoints, a fork, an interrupt, pending writes and
 * a subgraph; its copy `42-copy`; and the short threads 43 and 44.
 */
export async function fillDatabase({ source }: TestDatabase): Promise<Filled> {
  const saver = new PostgresSaver(source);
  const ids = await fillThread(saver, "42");
  await saver.copyThread("42", "42-copy");
  await put(saver, threadConfig("43"), { plan: "C" }, undefined, -1);
  const first = await put(saver, threadConfig("44"), { plan: "D" }, undefined, -1);
  await put(saver, first.config, { plan: "E" }, first.checkpoint, 0, { run_id: RUN_ID });
  await saver.end();
  return { ids };
}

/** A filled database, and the command line on it. */
export interface RefilledDatabase extends Filled {
  readonly database: TestDatabase;
  readonly run: ReturnType<typeof cliOn>;
  /** Runs a command with `--json`, which must succeed, and returns the parsed output. */
  readonly json: (...argv: string[]) => Promise<Record<string, unknown>>;
}

/** Fills the shared database of a suite before each test. */
export function refilledDatabase(target: Target): RefilledDatabase {
  let database: TestDatabase;
  let filled: Filled;
  beforeAll(async () => {
    database = await target.sharedDatabase();
  });
  beforeEach(async () => {
    filled = await fillDatabase(database);
  });
  const run: RefilledDatabase["run"] = (...argv) => cliOn(database)(...argv);
  return {
    get database() {
      return database;
    },
    get ids() {
      return filled.ids;
    },
    run,
    json: (...argv) => jsonOf(run, ...argv),
  };
}

async function fillThread(saver: PostgresSaver, thread: string): Promise<string[]> {
  const question = new HumanMessage({ content: "Where to?", id: "h1" });
  const answer = new AIMessage({ content: "To the sea.", id: "a1" });
  const first = await put(saver, threadConfig(thread), { messages: [question], tries: 0 }, undefined, -1);
  await saver.putWrites(first.config, [["messages", answer]], "task-1", "~__pregel_pull, agent");
  const second = await put(
    saver,
    first.config,
    { messages: [question, answer], plan: "A" },
    first.checkpoint,
    0,
  );
  const third = await put(
    saver,
    first.config,
    { plan: "B", since: new Date(0), big: 2n ** 64n },
    first.checkpoint,
    0,
    {
      source: "fork",
    },
  );
  const fourth = await put(
    saver,
    third.config,
    { plan: { steps: ["pack", "go"] }, seen: new Map([["sea", new Set([1])]]) },
    third.checkpoint,
    1,
  );
  await saver.putWrites(fourth.config, [["__interrupt__", [{ value: "sure?", id: "i1" }]]], "task-2");
  const inner = threadConfig(thread, { checkpoint_ns: "research:1" });
  await put(saver, inner, { notes: ["salt"] }, undefined, 0);
  return [first, second, third, fourth].map(({ checkpoint }) => checkpoint.id);
}

/** Stores a checkpoint as LangGraph does. */
export async function put(
  saver: PostgresSaver,
  config: RunnableConfig,
  values: Record<string, unknown>,
  previous: Checkpoint | undefined,
  step: number,
  metadata: Record<string, unknown> = {},
): Promise<{ config: RunnableConfig; checkpoint: Checkpoint }> {
  const checkpoint = checkpointOf(saver, { ...previous?.channel_values, ...values }, previous);
  const stored = await saver.put(
    config,
    checkpoint,
    metadataOf(step, { ...(step < 0 && { source: "input" }), ...metadata }),
    allVersions(checkpoint),
  );
  return { config: stored, checkpoint };
}
