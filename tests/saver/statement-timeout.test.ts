import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type CheckpointDatabase,
  DatabaseError,
  PostgresSaver,
  StatementTimeoutError,
} from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { until } from "../../test-support/until.js";
import { describePglite, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { snapshotOf } from "./bad-input/snapshot.js";
import { CALLS } from "./bounded/calls.js";
import { countHung, rejectionOf, whileHeld } from "./bounded/hung-statements.js";
import { OPENINGS } from "./bounded/openings.js";

/** For statements that hang. On a busy machine one that doesn't may take as long. */
const TIMEOUT_MS = 150;

describeServer("statementTimeoutMs", (target) => {
  let database: TestDatabase<string>;
  let snapshot: () => Promise<object>;
  /** Has no limit. */
  let writer: PostgresSaver;
  beforeAll(async () => {
    database = await target.sharedDatabase();
    writer = new PostgresSaver(database.source);
    snapshot = await snapshotOf(database);
  });
  afterAll(() => writer.end());

  /** Checks that an error is the timeout of a statement that the server has cancelled. */
  function expectTimeout(error: unknown): void {
    expect(error).toBeInstanceOf(StatementTimeoutError);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({
      code: "STATEMENT_TIMEOUT",
      sqlState: "57014",
      timeoutMs: TIMEOUT_MS,
      transient: false,
    });
    expect(error).toHaveProperty("cause.code", "57014");
  }

  /** Makes a call until the server has cancelled it: where a busy machine sends a statement too late, there is nothing to cancel. */
  async function cancelled(call: () => Promise<unknown>): Promise<unknown> {
    let error: unknown;
    await until(async () => {
      error = await rejectionOf(call());
      return !(error instanceof StatementTimeoutError && error.cause === undefined);
    });
    return error;
  }

  /** Returns false where the call is to be made again. */
  function isTimeout(error: unknown): false {
    if (error instanceof StatementTimeoutError) return false;
    throw error;
  }

  describe.each(OPENINGS)("on $on", ({ open }) => {
    it.each(CALLS)(
      "cancels $what on the server, which stores nothing, and does not retry it",
      async ({ call }) => {
        const { saver, close } = open(database.source, { statementTimeoutMs: TIMEOUT_MS });
        const stored = { saver, ...(await putValues(writer, threadConfig("stored"), { a: ["kept"] })) };
        const before = await snapshot();
        await whileHeld(database, async () => {
          expectTimeout(await cancelled(() => call(stored)));
          expect(await countHung(database)).toBe(0);
        });
        expect(await snapshot()).toEqual(before);
        await until(() => call(stored).then(() => true, isTimeout));
        await close();
      },
    );
  });

  it("applies in a passed-in transaction, and ends it as any error does", async () => {
    const pool = new pg.Pool({ connectionString: database.source });
    const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    await whileHeld(database, async () => {
      const error = await rejectionOf(
        kysely.transaction().execute(async (transaction) => {
          const saver = new PostgresSaver(transaction, undefined, { statementTimeoutMs: TIMEOUT_MS });
          await putValues(saver, threadConfig("stored"), { a: ["lost"] });
        }),
      );
      expectTimeout(error);
      expect(await countHung(database)).toBe(0);
    });
    expect(await new PostgresSaver(kysely).getTuple(threadConfig("stored"))).toBeUndefined();
    await kysely.destroy();
  });

  it("is distinguished from the server's own statement_timeout", async () => {
    const pool = new pg.Pool({ connectionString: database.source, statement_timeout: 100 });
    const saver = new PostgresSaver(pool, undefined, { statementTimeoutMs: 600_000 });
    const error = await whileHeld(database, () => rejectionOf(saver.getTuple(threadConfig("any"))));
    expect(error).not.toBeInstanceOf(StatementTimeoutError);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({ sqlState: "57014" });
    await pool.end();
  });

  it("leaves no timer behind that keeps the process alive", async () => {
    await using saver = new PostgresSaver(database.source, undefined, { statementTimeoutMs: 600_000 });
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    const pending = putValues(saver, threadConfig("stored"), { a: ["kept"] });
    await pending;
    await saver.end();
    expect(timers()).toBe(before);
  });
});

describePglite("statementTimeoutMs", (target) => {
  it("has no effect", async () => {
    const { source } = await target.createDatabase();
    const saver = new PostgresSaver(source, undefined, { statementTimeoutMs: 1 });
    await saver.setup();
    const { config } = await putValues(saver, threadConfig("stored"), { a: ["x".repeat(1_000_000)] });
    expect(await saver.getTuple(config)).toBeDefined();
  });
});
