import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import {
  AbortError,
  type CheckpointDatabase,
  ConnectionError,
  handlePoolErrors,
  PostgresSaver,
  StatementTimeoutError,
} from "../../src/index.js";
import { nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { IS_LONG, SEED, timesRun } from "../../test-support/runs.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { Random } from "../chaos/random.js";
import { Opened } from "../saver/opened.js";
import { STORM } from "./storm/disturbances.js";
import { runStorm, type SettledCall } from "./storm/run-storm.js";

const THREADS = Array.from({ length: 12 }, (_, index) => `thread ${index}`);

/** A call fails only by its signal, or by the time limit of its saver. */
function unexplained(settled: readonly SettledCall[], statementTimeoutMs: number | undefined): unknown[] {
  return settled
    .filter(({ call, error }) => {
      if (error instanceof AbortError) return call.abort === undefined;
      return (
        error !== undefined && !(error instanceof StatementTimeoutError && statementTimeoutMs !== undefined)
      );
    })
    .map(({ call: { name }, error }) => ({ name, error }));
}

/** Every thread takes small and large checkpoints again. */
async function expectUsable(saver: PostgresSaver): Promise<void> {
  await Promise.all(
    THREADS.map(async (thread) => {
      const small = await putValues(saver, threadConfig(thread), { a: "small" });
      const { config } = await putValues(saver, small.config, { a: "x".repeat(70_000) }, small.checkpoint);
      expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: "x".repeat(70_000) });
    }),
  );
}

/** What the storms run on. In `npm test` these are few, because each takes a second. */
const SAVERS = [
  { max: 1, statementTimeoutMs: undefined, through: "pool" },
  { max: 3, statementTimeoutMs: 150, through: "pool" },
  { max: 10, statementTimeoutMs: undefined, through: "pool" },
  ...(IS_LONG
    ? [
        { max: 1, statementTimeoutMs: 150, through: "pool" },
        { max: 3, statementTimeoutMs: undefined, through: "pool" },
        { max: 10, statementTimeoutMs: 150, through: "pool" },
        { max: 1, statementTimeoutMs: undefined, through: "Kysely" },
        { max: 3, statementTimeoutMs: 150, through: "Kysely" },
      ]
    : []),
];

onOneServer("no time bounds its waits for rows", describeServer)(
  "after a storm of calls, signals, locks and lost connections",
  (target) => {
    let database: TestDatabase<string>;
    const opened = new Opened();

    beforeEach(async () => {
      database = await target.sharedDatabase();
    });
    afterEach(() => opened.end());

    it.each(SAVERS)(
      "every call has settled, and every thread takes calls (C16): $max connections of a $through, limit $statementTimeoutMs",
      async ({ max, statementTimeoutMs, through }) => {
        const options = { connectionString: database.source, max, application_name: STORM };
        const pool = handlePoolErrors(opened.pool(options));
        const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
        const saver = opened.saver(through === "pool" ? pool : kysely, { statementTimeoutMs });
        const settled = await runStorm({
          random: new Random(SEED + max),
          saver,
          threads: THREADS,
          callers: 20,
          callsEach: timesRun(12),
          disturbed: database,
        });
        expect(unexplained(settled, statementTimeoutMs)).toEqual([]);
        await expectUsable(saver);
        // Connections go back at the end of the turn, and one may still be opening for a call that got another one meanwhile.
        await until(() => pool.idleCount === pool.totalCount);
        expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0]);
      },
    );

    it("every call of a saver that was closed meanwhile has settled", async () => {
      const saver = new PostgresSaver({ connectionString: database.source, max: 3 });
      const calls = THREADS.flatMap((thread) => [
        saver.putWrites(threadConfig(thread, { checkpoint_id: nextId() }), [["a", 1]], "task"),
        putValues(saver, threadConfig(thread), { a: "small" }),
        putValues(saver, threadConfig(thread), { a: "x".repeat(70_000) }),
        saver.getTuple(threadConfig(thread)),
      ]);
      const settled = Promise.allSettled(calls);
      await saver.putWrites(threadConfig("thread 0", { checkpoint_id: nextId() }), [["a", 1]], "another");
      await saver.end();
      for (const outcome of await settled)
        if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(ConnectionError);
    });
  },
);
