import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { playInMemory } from "../../examples/checkpoint-store/memory.js";
import { playInPostgres } from "../../examples/checkpoint-store/postgres.js";
import { playInRedis } from "../../examples/checkpoint-store/redis.js";
import { runJob } from "../../examples/checkpoint-store/resume.js";
import { playInSqlite } from "../../examples/checkpoint-store/sqlite.js";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { describeServer } from "../../test-support/targets.js";
import { describeRedis, redisUrl } from "../checkpoint-store/redis.js";

const PIPELINE = [
  "=== Starting execution with checkpointing ===",
  ...[1, 2, 3].map((n) => `Executing Step ${n}...`),
  "Final Step: 3\nFinal Data: Start → Step1 → Step2 → Step3\nHistory: Initialized, Completed Step 1, Completed Step 2, Completed Step 3",
  "=== Created 3 checkpoints ===",
  ...[1, 2, 3].map((n) => `Checkpoint ${n}: after step${n}, ID=…, Time=…`),
  "=== Resuming from checkpoint …, at Step: 2 ===",
  "Executing Step 3...",
  "Resumed Data: Start → Step1 → Step2 → Step3\nResumed History: Initialized, Completed Step 1, Completed Step 2, Completed Step 3",
];

const lines: string[] = [];
beforeEach(() => {
  jest.spyOn(console, "log").mockImplementation((line: unknown) => {
    lines.push(String(line).replaceAll(/checkpoint_[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…"));
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  lines.length = 0;
});

describe("the pipeline with checkpoints", () => {
  it("runs in memory, lists its checkpoints and continues after the second", async () => {
    await playInMemory();
    expect(lines).toEqual(PIPELINE);
  });
});

// Only a Node.js that has node:sqlite.
const hasSqlite = process.getBuiltinModule("node:sqlite") !== undefined;
(hasSqlite ? describe : describe.skip)("the pipeline with checkpoints in SQLite", () => {
  it("runs and continues", async () => {
    await playInSqlite();
    expect(lines).toEqual(PIPELINE);
  });
});

describeRedis("the pipeline with checkpoints in Redis", () => {
  it("runs and continues", async () => {
    await playInRedis(redisUrl());
    expect(lines).toEqual(PIPELINE);
  });
});

describeServer("examples of checkpoints in Postgres", (server) => {
  it("run the pipeline and continue it", async () => {
    const { source } = await server.createDatabase();
    await playInPostgres(source);
    expect(lines).toEqual(PIPELINE);
  });

  it("continue a job that crashed in step 2 at step 2, and do not run a finished one again", async () => {
    const { source } = await server.createDatabase();
    const run = async (crash?: () => never) => {
      await using store = new PostgresCheckpointStore(source);
      return await runJob(store, crash);
    };
    const crash = (): never => {
      throw new Error("crash");
    };
    await expect(run(crash)).rejects.toThrow("crash");
    expect(lines.splice(0)).toEqual([
      "Starting new execution...",
      "Executing Step 1...",
      "Executing Step 2...",
    ]);
    expect(await run()).toEqual(["Start", "Step 1 Completed", "Step 2 Completed", "Step 3 Completed"]);
    expect(lines.splice(0)).toEqual([
      "Found existing checkpoint: … (Node: step_1)",
      "Continuing from step_2...",
      "Executing Step 2...",
      "Executing Step 3...",
    ]);
    expect(await run()).toBeUndefined();
    expect(lines).toEqual(["Found existing checkpoint: … (Node: step_3)", "Job already finished."]);
  });
});
