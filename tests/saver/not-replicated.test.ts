import { describe, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  ConnectionError,
  NotReplicatedError,
  PostgresSaver,
} from "../../src/index.js";
import type { Stored } from "./bounded/calls.js";
import { rejectionOf } from "./bounded/hung-statements.js";
import { ON_PASSED_IN_KYSELY, ON_PASSED_IN_POOL, OPENINGS } from "./bounded/openings.js";
import { TIMEOUT_MS, useUnreplicatedServer } from "./bounded/unreplicated-server.js";

const deleteThread = ({ saver }: Stored): Promise<void> => saver.deleteThread("stored");

describe("a change whose synchronous standby is lost", () => {
  const server = useUnreplicatedServer();

  describe.each(OPENINGS)("on $on", ({ open }) => {
    it("is stored nevertheless, and can be read", async () => {
      const { saver, close } = open(server().url, { statementTimeoutMs: TIMEOUT_MS });
      const { config } = await server().store(saver);
      await rejectionOf(saver.putWrites(config, [["a", "kept"]], "task"));
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "a", "kept"]]);
      await close();
    });

    it("is not acknowledged by a second call that finds nothing left to do", async () => {
      const { saver, close } = open(server().url, { statementTimeoutMs: TIMEOUT_MS });
      const stored = await server().store(saver);
      expect(await rejectionOf(saver.deleteThread("stored"))).toBeInstanceOf(NotReplicatedError);
      expect(await saver.getTuple(stored.config)).toBeUndefined();
      expect(await rejectionOf(saver.deleteThread("stored"))).toBeInstanceOf(NotReplicatedError);
      await server().standby.restore();
      await saver.deleteThread("stored");
      await close();
    });

    it("is acknowledged only when the standby has it, after its connection was terminated", async () => {
      const { saver, close } = open(server().url);
      const stored = await server().store(saver);
      let isAcknowledged = false;
      const deleted = deleteThread(stored).then(() => {
        isAcknowledged = true;
      });
      await server().standby.untilWaiting();
      await server().standby.terminateWaiting();
      // The retry finds nothing to delete, and waits nevertheless.
      await server().standby.untilWaiting();
      expect(isAcknowledged).toBe(false);
      await server().standby.restore();
      await deleted;
      await close();
    });

    it("fails with a transient error if its connection was terminated, without retries", async () => {
      const { saver, close } = open(server().url, { retry: false });
      const rejection = rejectionOf(deleteThread(await server().store(saver)));
      await server().standby.untilWaiting();
      await server().standby.terminateWaiting();
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
      const { saver, close } = ON_PASSED_IN_POOL.open(server().url);
      const { config } = await server().store(saver);
      const call =
        how === "on a passed-in pool"
          ? saver.putWrites(config, [["a", "late"]], "task")
          : saver.batch(async (batch) => {
              await batch.deleteThread("stored");
              await batch.putWrites(config, [["a", "late"]], "task");
            });
      const rejection = rejectionOf(call);
      await server().standby.untilWaiting();
      await server().standby.cancelWaiting();
      const error = await rejection;
      expect(error).toBeInstanceOf(NotReplicatedError);
      expect(error).toMatchObject({ sqlState: "01000", cause: { routine: "SyncRepWaitForLSN" } });
      await close();
    },
  );

  it("is not reported when a read through a Kysely reaches its timeout", async () => {
    const { saver, close } = ON_PASSED_IN_KYSELY.open(server().url, { statementTimeoutMs: TIMEOUT_MS });
    const { config } = await server().store(saver);
    expect(await saver.getTuple(config)).toBeDefined();
    await close();
  });

  it("is left to the caller in a passed-in transaction", async () => {
    const pool = new pg.Pool({ connectionString: server().url });
    const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    await server().store(new PostgresSaver(pool));
    const transaction = await kysely.startTransaction().execute();
    const saver = new PostgresSaver(transaction, undefined, { statementTimeoutMs: TIMEOUT_MS });
    await saver.deleteThread("stored");
    const committed = transaction.commit().execute();
    await server().standby.untilWaiting();
    await server().standby.restore();
    await committed;
    await kysely.destroy();
  });
});
