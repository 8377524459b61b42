import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import type { Kysely } from "kysely";
import pg from "pg";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { openDatabase } from "../../src/db/index.js";
import { type CheckpointDatabase, MigrationError, PostgresSaver } from "../../src/index.js";
import { migrateDown, migrateToLatest, partitionTables } from "../../src/migrations/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { recordPool } from "../../test-support/recorded-pool.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describePglite, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";

const MIGRATION_LOCK =
  "select pg_advisory_xact_lock(hashtextextended('langgraph-checkpoint-kysely public', 0))";
const RECORD_LOCK = "lock table checkpoint_kysely_migration in access exclusive mode";
const LIMIT = { lockTimeoutMs: 30 };

type Attempt = (source: string, logger: RecordingLogger) => Promise<void>;

/** Each way to migrate, where the tables are missing. */
const WAYS: Readonly<Record<string, Attempt>> = {
  "setup() of a saver": async (source, logger) => {
    await using saver = new PostgresSaver(source, undefined, { logger });
    await saver.setup(LIMIT);
  },
  "setup() of a store": async (source, logger) => {
    await using store = new PostgresStore(source, { logger });
    await store.setup(LIMIT);
  },
  "setup() of a cache": async (source, logger) => {
    await using cache = new PostgresCache(source, { logger });
    await cache.setup(LIMIT);
  },
  "setup() of a checkpoint store": async (source, logger) => {
    await using store = new PostgresCheckpointStore(source, { logger });
    await store.setup(LIMIT);
  },
  "setup() in a transaction of the application": async (source, logger) => {
    await onKysely(source, (db) =>
      db.transaction().execute(async (transaction) => {
        await new PostgresSaver(transaction, undefined, { logger }).setup(LIMIT);
      }),
    );
  },
  migrateToLatest: (source) =>
    onKysely(source, async (db) => {
      await migrateToLatest(db, LIMIT);
    }),
};

async function onKysely(
  source: string,
  use: (db: Kysely<CheckpointDatabase>) => Promise<void>,
): Promise<void> {
  const { kysely, close } = openDatabase(source);
  try {
    await use(kysely);
  } finally {
    await close();
  }
}

/** Runs `use` while another session, a deployment, holds a lock. */
async function whileLocked<T>(
  { source }: TestDatabase<string>,
  lock: string,
  use: (processId: number) => Promise<T>,
): Promise<T> {
  const holder = new pg.Client({ connectionString: source, application_name: "deploy 1.2" });
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query(lock);
    const { rows } = await holder.query<{ id: number }>("select pg_backend_pid() as id");
    return await use(rows[0]?.id ?? 0);
  } finally {
    await holder.end();
  }
}

async function failureOf(work: Promise<unknown>): Promise<MigrationError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof MigrationError) return error;
  throw new Error(`expected a MigrationError, got ${String(error)}`);
}

function heldBy(processId: number) {
  return { processId, applicationName: "deploy 1.2", since: expect.any(Date) };
}

describeServer("a migration that another one keeps waiting", (server) => {
  it.each(Object.entries(WAYS))(
    "ends after one wait with an error that names the holder, and works afterwards: %s",
    async (_, migrate) => {
      const database = await server.createDatabase();
      const logger = new RecordingLogger();
      await whileLocked(database, MIGRATION_LOCK, async (processId) => {
        const error = await failureOf(migrate(database.source, logger));
        expect(error).toMatchObject({ sqlState: "55P03", transient: true, holders: [heldBy(processId)] });
        expect(error.message).toContain(
          `waited 30 ms for another migration of schema "public", which process ${processId} (application "deploy 1.2", in a transaction since 2`,
        );
        expect(error.message).toContain("`lockTimeoutMs`, or `--lock-timeout`");
      });
      expect(logger.at("warn")).toEqual([]);
      expect(logger.at("info")).toEqual([]);
      await migrate(database.source, logger);
      const applied = logger.at("info").map(({ message }) => message);
      expect(applied).toEqual(migrate === WAYS.migrateToLatest ? [] : ["migrations applied"]);
      // Nothing is pending, so nothing has to wait.
      await whileLocked(database, MIGRATION_LOCK, () => migrate(database.source, logger));
      expect(logger.at("info")).toHaveLength(applied.length);
    },
  );

  it("names the holder on the command line", async () => {
    const database = await server.createDatabase();
    await whileLocked(database, MIGRATION_LOCK, async (processId) => {
      const { code, stderr } = await cliOn(database)("migrate", "--lock-timeout", "30");
      expect(code).toBe(1);
      expect(stderr).toContain(`process ${processId} (application "deploy 1.2"`);
    });
  });

  it("leaves a transaction of the application as it was, except for the wait", async () => {
    const database = await server.createDatabase();
    await whileLocked(database, MIGRATION_LOCK, () =>
      onKysely(database.source, (db) =>
        db.transaction().execute(async (transaction) => {
          await failureOf(migrateToLatest(transaction, LIMIT));
          expect(await transaction.selectNoFrom((eb) => eb.lit(1).as("one")).execute()).toEqual([{ one: 1 }]);
        }),
      ),
    );
  });

  it("does not know since when another role's transaction runs, and says the rest", async () => {
    const database = await server.createDatabase();
    const role = `waiter_${randomBytes(8).toString("hex")}`;
    await database.exec(
      `create role ${role} login password 'secret'; grant create on schema public to ${role}`,
    );
    const url = Object.assign(new URL(database.source), { username: role, password: "secret" });
    const saver = new PostgresSaver(url.href);
    await whileLocked(database, MIGRATION_LOCK, async (processId) => {
      const error = await failureOf(saver.setup(LIMIT));
      expect(error.holders).toEqual([{ processId, applicationName: "deploy 1.2", since: undefined }]);
      expect(error.message).toContain(`which process ${processId} (application "deploy 1.2") runs`);
    });
    await saver.end();
    await database.exec(`drop owned by ${role}; drop role ${role}`);
  });

  it.each<[what: string, migrate: (db: Kysely<CheckpointDatabase>) => Promise<unknown>]>([
    ["migrateToLatest", (db) => migrateToLatest(db, LIMIT)],
    ["migrateDown", (db) => migrateDown(db, LIMIT)],
    ["setup()", (db) => new PostgresSaver(db).setup(LIMIT)],
  ])("does not wait longer for a table that it only reads: %s", async (_, migrate) => {
    const database = await server.migratedDatabase();
    await whileLocked(database, RECORD_LOCK, (processId) =>
      onKysely(database.source, async (db) => {
        const error = await failureOf(migrate(db));
        expect(error).toMatchObject({ sqlState: "55P03", holders: [heldBy(processId)] });
        expect(error.message).toContain(`used by process ${processId}`);
      }),
    );
  });

  it("asks one question where nothing is pending, and waits for nothing", async () => {
    const { source } = await server.migratedDatabase();
    await using recording = recordPool(source);
    await new PostgresSaver(recording.pool).setup();
    expect(recording.sent).toHaveLength(1);
  });

  it("names nobody where its error has ended the transaction that it was passed", async () => {
    const database = await server.migratedDatabase();
    await whileLocked(database, RECORD_LOCK, () =>
      onKysely(database.source, async (db) => {
        const error = await failureOf(
          db.transaction().execute((transaction) => migrateToLatest(transaction, LIMIT)),
        );
        expect(error.message).toBe(
          'waited 30 ms for a lock on a table of schema "public"; nothing was changed. Migrate again when it has ended, ' +
            "or wait longer: `lockTimeoutMs`, or `--lock-timeout`",
        );
        expect(error.holders).toEqual([]);
      }),
    );
  });

  it("names who uses a table that is to be converted", async () => {
    const database = await server.migratedDatabase();
    await whileLocked(database, "lock table checkpoints in share mode", (processId) =>
      onKysely(database.source, async (db) => {
        const error = await failureOf(partitionTables(db, { ...LIMIT, layout: "hash:2" }));
        expect(error.holders).toEqual([heldBy(processId)]);
      }),
    );
  });

  it("ends its wait with the signal of setup(), on the server too", async () => {
    const database = await server.createDatabase();
    await using saver = new PostgresSaver(database.source);
    await using store = new PostgresStore(database.source);
    await whileLocked(database, MIGRATION_LOCK, async () => {
      for (const tables of [saver, store]) {
        const run = new AbortController();
        const waiting = tables.setup({ signal: run.signal });
        await untilOneWaits(database);
        run.abort();
        await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
      }
    });
    await store.setup();
    expect(await store.get(["a"], "b")).toBeNull();
  });

  it("refuses a limit that is none", async () => {
    await using saver = new PostgresSaver("memory://");
    for (const lockTimeoutMs of [0, 1.5, Infinity])
      await expect(saver.setup({ lockTimeoutMs })).rejects.toMatchObject({ field: "options.lockTimeoutMs" });
  });
});

describePglite("a migration of a PGlite, which has no other session to wait for", (pglite) => {
  it("takes the same options", async () => {
    const { source } = await pglite.createDatabase();
    await new PostgresSaver(source).setup(LIMIT);
    await new PostgresStore(source).setup({ ...LIMIT, signal: new AbortController().signal });
    expect(await new PostgresStore(source).get(["a"], "b")).toBeNull();
  });
});
