import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  ConnectionError,
  DatabaseError,
  NotReplicatedError,
  PostgresSaver,
  type PostgresSaverOptions,
} from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { SynchronousStandby } from "../../test-support/synchronous-standby.js";
import { abortable } from "./bounded/abortable.js";
import { type BoundedCall, CALLS, type Stored } from "./bounded/calls.js";
import { rejectionOf } from "./bounded/hung-statements.js";
import { OPENINGS } from "./bounded/openings.js";

/** Long enough for each statement to reach its commit, also on a busy machine. */
const TIMEOUT_MS = 500;

const PRUNE: BoundedCall = {
  what: "prune",
  reads: false,
  call: ({ saver }, signal) => saver.prune(["stored"], { signal }),
};

const WRITES = [...CALLS.filter(({ what }) => /put|delete|batch/.test(what)), PRUNE];

const deleteThread = ({ saver }: Stored): Promise<void> => saver.deleteThread("stored");

describe("a change whose synchronous standby is lost", () => {
  let server: EmbeddedServer;
  let standby: SynchronousStandby;

  beforeAll(async () => {
    server = await startEmbeddedServer();
    standby = new SynchronousStandby(server.url);
  });
  afterAll(() => server.remove());

  beforeEach(async () => {
    await using saver = new PostgresSaver(server.url);
    await saver.setup();
    await saver.deleteThread("stored");
  });
  afterEach(() => standby.restore());

  /** Stores two checkpoints, so that one can be pruned. From then on no commit is confirmed. */
  async function store(saver: PostgresSaver): Promise<Stored> {
    await using writer = new PostgresSaver(server.url);
    const first = await putValues(writer, threadConfig("stored"), { a: ["first"] });
    const second = await putValues(writer, first.config, { a: ["second"] }, first.checkpoint);
    await standby.lose();
    return { saver, ...second };
  }

  function open(nth: number, options?: PostgresSaverOptions) {
    const opening = OPENINGS[nth];
    if (opening === undefined) throw new Error("no such opening");
    return opening.open(server.url, options);
  }

  const WAYS = OPENINGS.map(({ on }, nth) => ({ on, nth }));

  describe.each(WAYS)("on $on", ({ nth }) => {
    it.each(WRITES)("is not acknowledged if statementTimeoutMs ends $what", async ({ call }) => {
      const { saver, close } = open(nth, { statementTimeoutMs: TIMEOUT_MS });
      const error = await rejectionOf(call(await store(saver)));
      expect(error).toBeInstanceOf(NotReplicatedError);
      expect(error).toBeInstanceOf(DatabaseError);
      expect(error).toMatchObject({ code: "NOT_REPLICATED", transient: false });
      await close();
    });

    it.each(WRITES)("is not acknowledged if an AbortSignal ends $what", async ({ call }) => {
      const { saver, close } = open(nth);
      const { signal, abort } = abortable();
      const rejection = rejectionOf(call(await store(saver), signal));
      await standby.untilWaiting();
      abort();
      expect(await rejection).toBeInstanceOf(NotReplicatedError);
      await close();
    });

    it("is stored nevertheless, and can be read", async () => {
      const { saver, close } = open(nth, { statementTimeoutMs: TIMEOUT_MS });
      const { config } = await store(saver);
      await rejectionOf(saver.putWrites(config, [["a", "kept"]], "task"));
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "a", "kept"]]);
      await close();
    });

    it("is not acknowledged by a second call that finds nothing left to do", async () => {
      const { saver, close } = open(nth, { statementTimeoutMs: TIMEOUT_MS });
      const stored = await store(saver);
      expect(await rejectionOf(saver.deleteThread("stored"))).toBeInstanceOf(NotReplicatedError);
      expect(await saver.getTuple(stored.config)).toBeUndefined();
      expect(await rejectionOf(saver.deleteThread("stored"))).toBeInstanceOf(NotReplicatedError);
      await standby.restore();
      await saver.deleteThread("stored");
      await close();
    });

    it("is acknowledged only when the standby has it, after its connection was terminated", async () => {
      const { saver, close } = open(nth);
      const stored = await store(saver);
      let isAcknowledged = false;
      const deleted = deleteThread(stored).then(() => {
        isAcknowledged = true;
      });
      await standby.untilWaiting();
      await standby.terminateWaiting();
      // The retry finds nothing to delete, and waits nevertheless.
      await standby.untilWaiting();
      expect(isAcknowledged).toBe(false);
      await standby.restore();
      await deleted;
      await close();
    });

    it("fails with a transient error if its connection was terminated, without retries", async () => {
      const { saver, close } = open(nth, { retry: false });
      const rejection = rejectionOf(deleteThread(await store(saver)));
      await standby.untilWaiting();
      await standby.terminateWaiting();
      const error = await rejection;
      // A Kysely doesn't pass the server's warning on.
      expect([NotReplicatedError, ConnectionError]).toContain((error as Error).constructor);
      expect(error).toMatchObject({ transient: true });
      await close();
    });
  });

  it.each(["on a passed-in pool", "in one transaction"])(
    "is not acknowledged if an administrator cancels it, %s",
    async (how) => {
      const { saver, close } = open(1);
      const { config } = await store(saver);
      const call =
        how === "on a passed-in pool"
          ? saver.putWrites(config, [["a", "late"]], "task")
          : saver.batch(async (batch) => {
              await batch.deleteThread("stored");
              await batch.putWrites(config, [["a", "late"]], "task");
            });
      const rejection = rejectionOf(call);
      await standby.untilWaiting();
      await standby.cancelWaiting();
      const error = await rejection;
      expect(error).toBeInstanceOf(NotReplicatedError);
      expect(error).toMatchObject({ sqlState: "01000", cause: { routine: "SyncRepWaitForLSN" } });
      await close();
    },
  );

  it("is not reported when a read through a Kysely reaches its timeout", async () => {
    const { saver, close } = open(2, { statementTimeoutMs: TIMEOUT_MS });
    const { config } = await store(saver);
    expect(await saver.getTuple(config)).toBeDefined();
    await close();
  });

  it("is left to the caller in a passed-in transaction", async () => {
    const pool = new pg.Pool({ connectionString: server.url });
    const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    await store(new PostgresSaver(pool));
    const transaction = await kysely.startTransaction().execute();
    const saver = new PostgresSaver(transaction, undefined, { statementTimeoutMs: TIMEOUT_MS });
    await saver.deleteThread("stored");
    const committed = transaction.commit().execute();
    await standby.untilWaiting();
    await standby.restore();
    await committed;
    await kysely.destroy();
  });
});
