import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { DatabaseSource } from "../../src/db/open-database.js";
import {
  type CheckpointDatabase,
  ConnectionError,
  PostgresSaver,
  type PostgresSaverOptions,
} from "../../src/index.js";
import type { LockedRun, ThreadLock } from "../../src/threads/boundary/parse-thread-lock.js";
import { newThread } from "../support/checkpoints.js";
import { Gate } from "../support/gate.js";
import { endHolders, untilConnections, untilLocks } from "../support/held-locks.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../support/targets.js";
import { Opened } from "../saver/opened.js";

describeServer("the lock of a thread", (target) => {
  let database: TestDatabase<string>;
  let thread: string;
  const opened = new Opened();

  beforeEach(async () => {
    database = await target.createDatabase();
    thread = newThread();
  });
  afterEach(() => opened.end());

  function openSaver(
    source: DatabaseSource = database.source,
    options?: PostgresSaverOptions,
  ): PostgresSaver {
    return opened.saver(source, options);
  }

  function openPool(options: pg.PoolConfig = {}): pg.Pool {
    return opened.pool({ connectionString: database.source, ...options });
  }

  /** Holds the lock from when it resolves until `leave` is called. */
  async function hold<T>(
    saver: PostgresSaver,
    end: (lock: ThreadLock) => Promise<T> | T,
  ): Promise<{ leave: () => void; held: Promise<T> }> {
    const [inside, left] = [new Gate(), new Gate()];
    const run: LockedRun<T> = async (lock) => {
      inside.open();
      await left.opened;
      return end(lock);
    };
    const held = saver.withThreadLock(thread, run);
    // Looked at later.
    held.catch(() => undefined);
    await Promise.race([inside.opened, held]);
    return { leave: left.open, held };
  }

  const aborted = ({ signal }: ThreadLock): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => {
        resolve();
      });
    });

  it("passes to the next in another saver when its connection dies, and its holder is told", async () => {
    const [saver, other] = [openSaver(), openSaver()];
    let reason: unknown;
    const gone = saver.withThreadLock(thread, async (lock) => {
      const next = other.withThreadLock(thread, () => "ran");
      await untilLocks(database, 2);
      await endHolders(database);
      await aborted(lock);
      reason = lock.signal.reason;
      // The one who waited lost its connection as well, and has taken another.
      return next;
    });
    const error: unknown = await gone.catch((failure: unknown) => failure);
    expect(error).toMatchObject({ name: "ThreadLockLostError", code: "THREAD_LOCK_LOST", threadId: thread });
    expect(error).toMatchObject({ cause: expect.any(ConnectionError) });
    expect(reason).toBe(error);
  });

  it("that was lost is the error, whatever the function makes of it", async () => {
    const saver = openSaver();
    const failure = new Error("the model hung up");
    const ends: [(lock: ThreadLock) => unknown, unknown][] = [
      [() => "ran", { code: "THREAD_LOCK_LOST", cause: { code: "CONNECTION_FAILED" } }],
      [() => Promise.reject(failure), { code: "THREAD_LOCK_LOST", cause: failure }],
      [
        ({ signal }) => {
          signal.throwIfAborted();
        },
        { code: "THREAD_LOCK_LOST", cause: { code: "CONNECTION_FAILED" } },
      ],
    ];
    for (const [end, expected] of ends) {
      const { leave, held } = await hold(saver, async (lock) => {
        await aborted(lock);
        return end(lock);
      });
      leave();
      await endHolders(database);
      await expect(held).rejects.toMatchObject(expected as object);
      // The server tells the client before it lets go.
      await untilLocks(database, 0);
      // The next takes another connection.
      expect(await saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
    }
  });

  it("is not passed on in its own process before the function has ended that lost it", async () => {
    const saver = openSaver();
    let hasEnded = false;
    const { leave, held } = await hold(saver, async (lock) => {
      await aborted(lock);
      await database.query("select 1");
      hasEnded = true;
    });
    const next = saver.withThreadLock(thread, () => hasEnded);
    await endHolders(database);
    leave();
    await expect(held).rejects.toMatchObject({ code: "THREAD_LOCK_LOST" });
    expect(await next).toBe(true);
  });

  it("goes to who has waited when its holder asks for it again at once", async () => {
    const [greedy, patient] = [openSaver(), openSaver()];
    const log: string[] = [];
    const { leave, held } = await hold(greedy, () => log.push("greedy"));
    const again = greedy.withThreadLock(thread, () => log.push("greedy again"));
    const waiting = patient.withThreadLock(thread, () => log.push("patient"));
    await untilLocks(database, 2);
    leave();
    await Promise.all([held, waiting, again]);
    expect(log).toEqual(["greedy", "patient", "greedy again"]);
  });

  it("has no connection left where it was not had", async () => {
    const [saver, other] = [openSaver(), openSaver()];
    const { leave, held } = await hold(saver, () => undefined);
    await expect(other.withThreadLock(thread, () => 1, { waitMs: 0 })).rejects.toThrow();
    const caller = new AbortController();
    const waiting = other.withThreadLock(thread, () => 1, { signal: caller.signal });
    await untilLocks(database, 2);
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
    await untilConnections(database, 1);
    leave();
    await held;
    await untilConnections(database, 0);
  });

  it("is nobody else's turn once the wait is over, though its connection stays for other locks", async () => {
    const [saver, other] = [openSaver(), openSaver()];
    const { leave, held } = await hold(saver, () => undefined);
    await other.withThreadLock(newThread(), async () => {
      await expect(other.withThreadLock(thread, () => 1, { waitMs: 0 })).rejects.toThrow();
      leave();
      await held;
      await untilLocks(database, 1);
      expect(await saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
    });
  });

  it("that comes in after its wait was ended is nobody's", async () => {
    const saver = openSaver();
    const caller = new AbortController();
    const waiting = saver.withThreadLock(thread, () => "ran", { signal: caller.signal });
    // While the connection is being made.
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
    expect(await openSaver().withThreadLock(thread, () => "ran")).toBe("ran");
    await untilConnections(database, 0);
  });

  it("outlives the time-outs that are set for everybody else", async () => {
    const { rows } = await openPool().query<{ has_transaction_timeout: boolean }>(
      "select exists (select from pg_settings where name = 'transaction_timeout') as has_transaction_timeout",
    );
    const timeouts = ["statement_timeout", "idle_in_transaction_session_timeout"];
    if (rows[0]?.has_transaction_timeout === true) timeouts.push("transaction_timeout");
    const options = timeouts.map((name) => `-c ${name}=100`).join(" ");
    const saver = openSaver({ connectionString: database.source, options });
    await saver.withThreadLock(thread, async ({ signal }) => {
      await database.query("select pg_sleep(0.4)");
      expect(signal.aborted).toBe(false);
    });
  });

  it("keeps no snapshot, which would keep VACUUM from its work", async () => {
    const options = "-c default_transaction_isolation=serializable";
    const saver = openSaver({ connectionString: database.source, options });
    await saver.withThreadLock(thread, async () => {
      const idle = "state = 'idle in transaction'";
      const holders = `select backend_xmin, backend_xid from pg_stat_activity where datname = current_database() and ${idle}`;
      while ((await database.query(holders)).length === 0);
      expect(await database.query(holders)).toEqual([{ backend_xmin: null, backend_xid: null }]);
    });
  });

  it("is waited for over connections that are reset", async () => {
    const proxy = await TcpProxy.open(database.source);
    try {
      const { leave, held } = await hold(openSaver(), () => undefined);
      const waiting = openSaver(proxy.url).withThreadLock(thread, () => "ran");
      for (let round = 0; round < 3; round++) {
        await untilLocks(database, 2);
        proxy.resetAll();
        await untilLocks(database, 1);
      }
      leave();
      await held;
      expect(await waiting).toBe("ran");
    } finally {
      await proxy.close();
    }
  });

  it("is not waited for where a fault is not to be retried", async () => {
    const proxy = await TcpProxy.open(database.source);
    try {
      const { leave, held } = await hold(openSaver(), () => undefined);
      const saver = openSaver(proxy.url, { retry: false });
      // Whether an attempt is under way then or not.
      for (let round = 0; round < 5; round++) {
        const waiting = saver.withThreadLock(thread, () => "ran");
        const refused = expect(waiting).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
        await untilLocks(database, 2);
        proxy.resetAll();
        await refused;
        await untilLocks(database, 1);
      }
      leave();
      await held;
    } finally {
      await proxy.close();
    }
  });

  it("is refused within the bound of retries where no server answers", async () => {
    const saver = openSaver("postgres://127.0.0.1:1/none", { retry: { maxElapsedMs: 50 } });
    await expect(saver.withThreadLock(thread, () => 1)).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      cause: { code: "ECONNREFUSED" },
    });
  });

  it("that is lost on a Kysely that was lent shows when it is released, and the next gets another", async () => {
    const db = new Kysely<CheckpointDatabase>({
      dialect: new PostgresDialect({ pool: openPool({ max: 2 }) }),
    });
    const saver = openSaver(db);
    const { leave, held } = await hold(saver, () => "ran");
    await endHolders(database);
    leave();
    await expect(held).rejects.toMatchObject({ code: "THREAD_LOCK_LOST" });
    await untilLocks(database, 0);
    expect(await saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
  });
});
