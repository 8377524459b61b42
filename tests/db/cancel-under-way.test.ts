import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { openDatabase } from "../../src/db/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

/** The first bytes of a cancel request. */
const CANCEL_REQUEST = "0000001004d2162e";
const SHORT_MS = 20;

/** A network on which cancel requests stay under way until a test delivers them. */
class SlowCancels {
  #held: (() => void)[] = [];
  /** Whether new connections stay under way, too. */
  connectsNone = false;
  /** Called when a cancel request is sent, or would be if its connection were not under way. */
  onSent: () => unknown = () => undefined;

  /** The option `stream` of a pool. */
  readonly stream = (): Socket => {
    const socket = new Socket();
    const write = socket.write.bind(socket);
    const hold = (bytes: unknown, ...rest: []): boolean => {
      if (!Buffer.isBuffer(bytes) || !bytes.toString("hex").startsWith(CANCEL_REQUEST))
        return write(bytes as Buffer, ...rest);
      this.#held.push(() => write(bytes));
      this.onSent();
      return true;
    };
    const connect = socket.connect.bind(socket);
    const connectLater = (port: number, host: string): Socket => {
      if (this.connectsNone) this.onSent();
      else connect(port, host);
      // Connecting sets the method of the class.
      return Object.assign(socket, { write: hold });
    };
    return Object.assign(socket, { connect: connectLater });
  };

  get count(): number {
    return this.#held.length;
  }

  deliver(): void {
    for (const send of this.#held.splice(0)) send();
  }
}

const LOCK = { name: "lock", sql: "select key from store where key = 'locked' for update", parameters: [] };
const READ = { name: "read", sql: "select key from store", parameters: [] };
const FOUND = [{ key: "locked" }];

describeServer("a connection whose cancel request is under way", (target) => {
  let database: TestDatabase<string>;
  let network: SlowCancels;
  let pool: pg.Pool;
  let locker: pg.Client;
  let rollback: Promise<unknown> | undefined;
  let opened: number;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    network = new SlowCancels();
    opened = 0;
    pool = openPool(4);
    const store = new PostgresStore(pool);
    await store.setup();
    await store.put(["a"], "locked", { n: 0 });
    locker = new pg.Client({ connectionString: database.source });
    await locker.connect();
  });
  afterEach(async () => {
    await rollback;
    await locker.end();
    await pool.end();
  });

  function openPool(max: number): pg.Pool {
    const made = new pg.Pool({ connectionString: database.source, max, stream: network.stream });
    made.on("connect", () => opened++);
    return made;
  }

  /** Lets the statement that waits for the item go on as soon as a cancel request for it has been sent, for the first time. */
  async function lockUntilCancel(): Promise<void> {
    await locker.query("begin");
    await locker.query(LOCK.sql);
    rollback = undefined;
    network.onSent = () => (rollback ??= locker.query("rollback"));
  }

  /** Calls that the server still answers after it was to cancel their statements. */
  const CALLS: Readonly<Record<string, (source: pg.Pool) => Promise<unknown>>> = {
    "was aborted": async (source) => {
      const stopping = new AbortController();
      const answer = openDatabase(source).execute(LOCK, { signal: stopping.signal });
      await untilOneWaits(database);
      stopping.abort();
      return answer;
    },
    "was late": (source) => openDatabase(source).execute(LOCK, { statementTimeoutMs: SHORT_MS }),
  };

  describe.each(Object.entries(CALLS))("because its call %s", (_, call) => {
    it("is not passed on, and the other connections stay", async () => {
      const { execute } = openDatabase(pool);
      const clients = await Promise.all([1, 2, 3].map(() => pool.connect()));
      for (const client of clients) client.release();
      await lockUntilCancel();
      const before = opened;
      // The next call follows at once.
      const next = call(pool).then(async (answer) => [answer, await execute(READ)]);
      expect(await next).toEqual([FOUND, FOUND]);
      expect(network.count).toBe(1);
      network.deliver();
      await Promise.all([1, 2, 3].map(() => execute(READ)));
      expect(opened - before).toBeLessThanOrEqual(1);
    });

    it("is replaced for a call that waits, where the pool has no other", async () => {
      const single = openPool(1);
      const { execute } = openDatabase(single);
      await execute(READ);
      await lockUntilCancel();
      const answer = call(single);
      const waiting = [execute(READ), execute(READ)];
      expect(await answer).toEqual(FOUND);
      expect(await Promise.all(waiting)).toEqual([FOUND, FOUND]);
      network.deliver();
      expect(await execute(READ)).toEqual(FOUND);
      await single.end();
    });

    it("lets the pool end", async () => {
      const single = openPool(1);
      await openDatabase(single).execute(READ);
      await lockUntilCancel();
      expect(await call(single)).toEqual(FOUND);
      await single.end();
    });
  });

  it("ends its own transaction, whose next statement could be cancelled", async () => {
    const { interact, execute } = openDatabase(pool);
    await lockUntilCancel();
    const late = interact((send) => send(LOCK).then(() => send(READ)), { statementTimeoutMs: SHORT_MS });
    await expect(late).rejects.toMatchObject({ code: "STATEMENT_TIMEOUT" });
    const before = opened;
    expect(await execute(READ)).toEqual(FOUND);
    expect(opened - before).toBeLessThanOrEqual(1);
  });

  it("is kept where the statement has ended before the request was sent", async () => {
    const single = openPool(1);
    const { execute } = openDatabase(single);
    await execute(READ);
    await lockUntilCancel();
    network.connectsNone = true;
    expect(await CALLS["was aborted"]?.(single)).toEqual(FOUND);
    expect(await execute(READ)).toEqual(FOUND);
    expect(network.count).toBe(0);
    await single.end();
  });
});
