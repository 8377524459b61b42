import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { sql } from "kysely";
import { AbortError, DatabaseError, type PostgresSaver } from "../../src/index.js";
import { type TupleRead, tupleReadRules } from "../../src/saver/grouping/tuple-read.js";
import type { TupleRow } from "../../src/saver/queries/tuple-row.js";
import { ReadGroups } from "../../src/db/grouping/read-groups.js";
import { WHOLE_TUPLE } from "../../src/saver/model/tuple-shape.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { observedPool, type ObservedPool } from "../../test-support/round-trips.js";
import { describeServer, ON_CITUS, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { Opened } from "../saver/opened.js";

const itInOneStatement = onOneServer("each thread is read by a statement of its own", it);

describeServer("reads that are made at the same time", (target) => {
  let database: TestDatabase<string>;
  let observed: ObservedPool;
  let saver: PostgresSaver;
  /** In the root and in a subgraph of each thread: each checkpoint, the newest one, and again the newest one. */
  let configs: RunnableConfig[];
  const opened = new Opened();

  beforeEach(async () => {
    database = await target.sharedDatabase();
    observed = observedPool(database.source, 3);
    opened.track(observed.pool);
    saver = opened.saver(observed.pool);
    const threads = Array.from({ length: 10 }, async (_, index) => {
      const both = ["", "sub"].map(async (checkpoint_ns) => {
        const newest = threadConfig(`thread ${index}`, { checkpoint_ns });
        const first = await putValues(saver, newest, { a: [index, checkpoint_ns], kept: [index] });
        const next = await putValues(saver, first.config, { a: [index, "next"] }, first.checkpoint);
        await saver.putWrites(next.config, [["a", index]], "task");
        return [first.config, newest, next.config, newest];
      });
      return (await Promise.all(both)).flat();
    });
    configs = [...(await Promise.all(threads)).flat(), threadConfig("unknown")];
    observed.sent.length = 0;
  });
  afterEach(() => opened.end());

  const newestOfRoots = (): RunnableConfig[] =>
    Array.from({ length: 10 }, (_, index) => threadConfig(`thread ${index}`));

  /** Runs `during` while nobody else can read checkpoints. */
  const whileLocked = <T>(during: () => Promise<T>): Promise<T> =>
    database
      .kysely()
      .transaction()
      .execute(async (transaction) => {
        await sql`lock table checkpoints in access exclusive mode`.execute(transaction);
        return during();
      });

  /** Starts reads that share a statement, which waits for a lock, because a first read waits for it too long to hold others back. */
  const startBehind = async (signals: readonly AbortSignal[]) => {
    const first = saver.getTuple(threadConfig("thread 0"));
    const reads = newestOfRoots().map((config, index) => saver.getTuple(config, { signal: signals[index] }));
    await until(async () => (await waiting("unnest(")) === 1);
    return { first, reads };
  };

  /** Counts the statements with a part of text that wait for a lock. */
  const waiting = async (part: string): Promise<number> => {
    const [row] = await database.query(
      `select count(*)::int as statements from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
      [part],
    );
    return Number(row?.statements);
  };

  itInOneStatement("share a statement, and the first of them doesn't wait", async () => {
    await Promise.all(newestOfRoots().map((config) => saver.getTuple(config)));
    expect(observed.sent).toHaveLength(2);
  });

  it("have the same results as one after the other, whatever they select", async () => {
    const selections = [undefined, { values: false }, { channels: ["a"] }, { writes: false }];
    const reads = configs.flatMap((config) => selections.map((selection) => ({ config, selection })));
    const expected = [];
    for (const { config, selection } of reads) expected.push(await saver.getTuple(config, selection));
    observed.sent.length = 0;
    const together = await Promise.all(
      reads.map(({ config, selection }) => saver.getTuple(config, selection)),
    );
    expect(together).toEqual(expected);
    expect(together.at(-1)).toBeUndefined();
    // On Citus only reads of the same thread share a statement.
    expect(observed.sent.length).toBeLessThan(reads.length / (ON_CITUS ? 1 : 4));
  });

  const signalsOf = (controllers: readonly AbortController[]) => controllers.map(({ signal }) => signal);

  itInOneStatement("give up by themselves", async () => {
    const controllers = newestOfRoots().map(() => new AbortController());
    const others = await whileLocked(async () => {
      const { first, reads } = await startBehind(signalsOf(controllers));
      controllers[7]?.abort();
      await expect(reads[7]).rejects.toThrow(AbortError);
      return [first, ...reads.filter((_, index) => index !== 7)];
    });
    for (const tuple of await Promise.all(others)) expect(tuple?.checkpoint.channel_values.a).toHaveLength(2);
    expect(observed.sent).toHaveLength(2);
  });

  itInOneStatement("are cancelled on the server when all of them have given up", async () => {
    const controllers = newestOfRoots().map(() => new AbortController());
    const first = await whileLocked(async () => {
      const started = await startBehind(signalsOf(controllers));
      for (const controller of controllers) controller.abort();
      for (const read of started.reads) await expect(read).rejects.toThrow(AbortError);
      await until(async () => (await waiting("unnest(")) === 0);
      return [started.first];
    });
    await Promise.all(first);
  });

  it("are sent by themselves where their statement fails, but not after a transient error", async () => {
    const failWith = (transient: boolean) =>
      new ReadGroups(
        tupleReadRules(() => {
          throw new DatabaseError("no", { transient });
        }),
        1,
      );
    const outcomesOf = async (groups: ReadGroups<TupleRead, TupleRow>): Promise<unknown[]> => {
      const reads = newestOfRoots().map((_config, index) =>
        groups.read({
          key: { threadId: `thread ${index}`, checkpointNs: "" },
          selection: WHOLE_TUPLE,
          alone: async () => {
            await database.query(`select 1 / (${index} - 7)`);
            return [];
          },
        }),
      );
      return (await Promise.allSettled(reads)).map(({ status }) => status);
    };
    expect(await outcomesOf(failWith(false))).toEqual(
      newestOfRoots().map((_, index) => (index === 7 ? "rejected" : "fulfilled")),
    );
    expect(await outcomesOf(failWith(true))).toEqual(
      newestOfRoots().map((_, index) => (index === 0 ? "fulfilled" : "rejected")),
    );
  });
});
