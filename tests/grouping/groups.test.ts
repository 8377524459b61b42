import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, Checkpoint } from "@langchain/langgraph-checkpoint";
import {
  type CheckpointDatabase,
  DatabaseError,
  PostgresSaver,
  type PostgresSaverOptions,
  ShallowPostgresSaver,
} from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  nextId,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { MsgpackSerializer } from "../../src/serde/index.js";
import { observedPool, type ObservedPool } from "../../test-support/round-trips.js";
import { incompressibleText } from "../../test-support/spliced-values.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { Opened } from "../saver/opened.js";

const THREADS = Array.from({ length: 20 }, (_, index) => `thread ${index}`);

interface Stored {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
}

describeServer("calls that are made at the same time", (target) => {
  let database: TestDatabase<string>;
  let observed: ObservedPool;
  const opened = new Opened();

  beforeEach(async () => {
    database = await target.sharedDatabase();
    observed = observedPool(database.source, 3);
    opened.track(observed.pool);
  });
  afterEach(() => opened.end());

  /** Counts the statements, and the transactions, that have stored something. */
  const stores = () => observed.sent.filter((text) => /insert into|^commit$/.test(text)).length;

  /** Stores a checkpoint in each thread at the same time. */
  const putAll = (
    saver: BaseCheckpointSaver,
    values: Record<string, unknown>,
    previous?: readonly Stored[],
  ) =>
    Promise.all(
      THREADS.map((thread, index) => {
        const { config, checkpoint } = previous?.[index] ?? { config: threadConfig(thread) };
        return putValues(saver, config, values, checkpoint);
      }),
    );

  const storedValues = (saver: PostgresSaver) =>
    Promise.all(
      THREADS.map(async (thread) => (await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values),
    );

  it("share a statement, and the first of them doesn't wait", async () => {
    const saver = opened.saver(observed.pool);
    const first = await putAll(saver, { a: ["first"], b: ["kept"] });
    expect(stores()).toBe(2);

    observed.sent.length = 0;
    await Promise.all(first.map(({ config }) => saver.putWrites(config, [["a", "written"]], "task")));
    expect(stores()).toBe(2);

    observed.sent.length = 0;
    await putAll(saver, { a: ["second"] }, first);
    expect(stores()).toBe(2);
    expect(await storedValues(saver)).toEqual(THREADS.map(() => ({ a: ["second"], b: ["kept"] })));

    observed.sent.length = 0;
    await Promise.all(THREADS.map((thread) => saver.deleteThread(thread)));
    expect(observed.sent.filter((text) => text === "commit")).toHaveLength(2);
    expect(await collect(saver.list({}))).toEqual([]);
  });

  it("go in one round trip with the checkpoint that the same thread stores next, as in a run of LangGraph", async () => {
    const saver = opened.saver(observed.pool);
    const first = await putValues(saver, threadConfig("run"), { a: ["first"] });
    observed.sent.length = 0;
    const second = putValues(saver, first.config, { a: ["second"] }, first.checkpoint);
    const writes = ["one", "two"].map((task) => saver.putWrites(first.config, [["a", task]], task));
    const { config, checkpoint } = await second;
    await Promise.all([putValues(saver, config, { a: ["third"] }, checkpoint), ...writes]);
    expect(observed.sent).toHaveLength(2);
    expect((await saver.getTuple(first.config))?.pendingWrites).toHaveLength(2);
  });

  it("are sent one by one with grouping: false", async () => {
    const saver = opened.saver(observed.pool, { grouping: false });
    await putAll(saver, { a: ["first"] });
    expect(stores()).toBe(THREADS.length);
  });

  it("are sent by themselves if they are long or have a signal", async () => {
    const saver = opened.saver(observed.pool);
    const { signal } = new AbortController();
    const put = (thread: string, text: string, options?: { signal: AbortSignal }) => {
      const checkpoint = checkpointOf(saver, { text: [text] });
      return saver.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint), options);
    };
    await Promise.all([
      put("first", "short"),
      put("a", "short"),
      put("b", "short"),
      put("c", incompressibleText(70_000)),
      put("d", "short", { signal }),
    ]);
    expect(stores()).toBe(4);
    expect(await collect(saver.list({}))).toHaveLength(5);
  });

  it("fail by themselves, each with its own error (C14)", async () => {
    await database.exec(`
      create function refuse(thread_id text) returns boolean language plpgsql as
        $$ begin if thread_id = 'thread 7' then raise 'refused' using errcode = 'P0007'; end if; return true; end $$;
      alter table checkpoint_blobs add check (refuse(thread_id))`);
    const saver = opened.saver(observed.pool);
    const outcomes = await Promise.allSettled(
      THREADS.map((thread) => putValues(saver, threadConfig(thread), { a: [thread] })),
    );
    const rejected = outcomes.flatMap((outcome, index) =>
      outcome.status === "rejected" ? [[index, outcome.reason as unknown] as const] : [],
    );
    expect(rejected).toEqual([[7, expect.any(DatabaseError)]]);
    expect(rejected[0]?.[1]).toMatchObject({ sqlState: "P0007" });
    expect(await storedValues(saver)).toEqual(
      THREADS.map((thread, index) => (index === 7 ? undefined : { a: [thread] })),
    );
    await database.exec("drop function refuse cascade");
  });

  describe("whose connection is lost", () => {
    beforeEach(() =>
      database.exec(`
        create function lose(thread_id text) returns boolean language plpgsql as $$ begin
          if thread_id = 'thread 7' then perform pg_terminate_backend(pg_backend_pid()); end if; return true; end $$;
        alter table checkpoint_blobs add check (lose(thread_id))`),
    );
    afterEach(() => database.exec("drop function lose cascade"));

    const outcomesWith = async (options: PostgresSaverOptions): Promise<unknown[]> => {
      const saver = opened.saver(opened.pool({ connectionString: database.source, max: 3 }), options);
      const outcomes = await Promise.allSettled(
        THREADS.map((thread) => putValues(saver, threadConfig(thread), { a: [thread] })),
      );
      return outcomes.map((outcome) =>
        outcome.status === "rejected" ? (outcome.reason as Error).name : "stored",
      );
    };

    it("are retried one by one", async () => {
      expect(await outcomesWith({ retry: { maxElapsedMs: 50 } })).toEqual(
        THREADS.map((_, index) => (index === 7 ? "ConnectionError" : "stored")),
      );
    });

    it("all fail without retries", async () => {
      expect(await outcomesWith({ retry: false })).toEqual(
        THREADS.map((_, index) => (index === 0 ? "stored" : "ConnectionError")),
      );
    });
  });

  it("are refused by themselves by a rule of the saver", async () => {
    const saver = opened.saver(observed.pool, { concurrency: "optimistic", keepTombstones: true });
    const first = await putAll(saver, { a: ["first"] });
    const overtaken = first[3];
    if (overtaken !== undefined) await putValues(saver, overtaken.config, { a: ["other"] });
    await saver.deleteThread("thread 5");
    const outcomes = await Promise.allSettled(
      first.map(({ config, checkpoint }) => putValues(saver, config, { a: ["second"] }, checkpoint)),
    );
    const codes = outcomes.map((outcome) =>
      outcome.status === "rejected" ? (outcome.reason as { code: string }).code : "stored",
    );
    expect(codes).toEqual(
      THREADS.map((_, index) => {
        if (index === 3) return "CONCURRENT_MODIFICATION";
        return index === 5 ? "THREAD_DELETED" : "stored";
      }),
    );
  });

  it("store all values of a checkpoint whose parent is gone, and of no other (C14)", async () => {
    const saver = opened.saver(observed.pool);
    const first = await putAll(saver, { a: ["first"], b: ["kept"] });
    await database.query("delete from checkpoints where thread_id = 'thread 2'");
    await database.query("delete from checkpoint_blobs where thread_id = 'thread 2'");
    await Promise.all(
      first.map(({ config, checkpoint }) => {
        const next = checkpointOf(saver, { a: ["second"] }, checkpoint);
        const whole = { ...next, channel_values: { ...checkpoint.channel_values, ...next.channel_values } };
        return saver.put(config, whole, metadataOf(), allVersions(next));
      }),
    );
    expect(await storedValues(saver)).toEqual(THREADS.map(() => ({ a: ["second"], b: ["kept"] })));
    expect(await database.query("select thread_id from checkpoint_blobs where channel = 'b'")).toHaveLength(
      THREADS.length,
    );
  });

  it("store splices of the values that the saver remembers", async () => {
    const saver = opened.saver(observed.pool, { splices: true });
    const list = Array.from({ length: 20 }, () => incompressibleText(300));
    const first = await putAll(saver, { list });
    const second = await putAll(saver, { list: [...list, "a"] }, first);
    await putAll(saver, { list: [...list, "a", "b"] }, second);
    const bases = await database.query("select count(base)::int as splices from checkpoint_blobs");
    expect(bases).toEqual([{ splices: 2 * THREADS.length }]);
    expect(await storedValues(saver)).toEqual(THREADS.map(() => ({ list: [...list, "a", "b"] })));
  });

  it("keep only the newest checkpoint with the shallow saver", async () => {
    const saver = new ShallowPostgresSaver(observed.pool);
    const first = await putAll(saver, { a: ["first"] });
    await putAll(saver, { a: ["second"] }, first);
    expect(await collect(saver.list({}))).toHaveLength(THREADS.length);
    const reader = opened.saver(observed.pool);
    expect(await storedValues(reader)).toEqual(THREADS.map(() => ({ a: ["second"] })));
  });

  it("notify those who watch the threads", async () => {
    const saver = opened.saver(observed.pool, { notify: true });
    const end = new AbortController();
    const seen = THREADS.map(async (thread) => {
      for await (const { config } of saver.watch(thread, { signal: end.signal })) return config;
      return undefined;
    });
    const stored = await putAll(saver, { a: ["first"] });
    expect(await Promise.all(seen)).toEqual(stored.map(({ config }) => config));
    end.abort();
  });

  onOneServer("each node counts its transactions", it)(
    "share a statement through a Kysely, and none in its transactions",
    async () => {
      const kysely = database.kysely<CheckpointDatabase>();
      await putAll(opened.saver(kysely), { a: ["first"] });
      await kysely.transaction().execute(async (transaction) => {
        await putAll(opened.saver(transaction), { b: ["second"] });
      });
      const counts = await database.query(
        "select count(*)::int as rows, count(distinct xmin::text)::int as transactions from checkpoints",
      );
      expect(counts).toEqual([{ rows: 2 * THREADS.length, transactions: 10 }]);
    },
  );

  it("wait for an earlier call of their thread no longer than the saver's time limit", async () => {
    let encode: () => void = () => undefined;
    const encoded = new Promise<void>((resolve) => (encode = resolve));
    class Slow extends MsgpackSerializer {
      override async dumpsTyped(value: unknown): ReturnType<MsgpackSerializer["dumpsTyped"]> {
        if (value === "slow") await encoded;
        return super.dumpsTyped(value);
      }
    }
    const saver = new PostgresSaver(observed.pool, new Slow(), { statementTimeoutMs: 50 });
    const config = threadConfig("waited for", { checkpoint_id: nextId() });
    const first = saver.putWrites(config, [["a", "slow"]], "slow");
    // One can share a statement, one is too long for that, and one deletes.
    const waiting = [
      saver.putWrites(config, [["a", "small"]], "small"),
      saver.putWrites(config, [["a", incompressibleText(70_000)]], "long"),
      saver.deleteThread("waited for"),
    ];
    for (const outcome of await Promise.allSettled(waiting))
      // They were not sent, so the server has no code for them.
      expect(outcome).toMatchObject({ reason: { code: "STATEMENT_TIMEOUT", sqlState: undefined } });
    encode();
    await first;
    expect(await database.query("select task_id from checkpoint_writes")).toEqual([{ task_id: "slow" }]);
  });

  it("leave nothing behind that a later call waits for", async () => {
    const saver = opened.saver(observed.pool);
    const config = threadConfig("thread", { checkpoint_id: nextId() });
    const refused: unknown = await saver
      .putWrites(config, [["a", () => undefined]], "task")
      .catch(() => "refused");
    expect(refused).toBe("refused");
    await saver.putWrites(config, [["a", 1]], "task");
  });
});
