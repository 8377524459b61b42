import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Extensions, PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { Kysely, PGliteDialect } from "kysely";
import { z } from "zod";
import { RESET, type TestDatabase } from "./test-database.js";

/**
 * Each start fills the shared buffers with zeros, and the default of 128 MB doubles its time. The timer of a startup's progress
 * would be set again every ten seconds for as long as the database is open, and keep the process alive.
 */
const SETTINGS = ["-c", "shared_buffers=16MB", "-c", "log_startup_progress_interval=0"];

type Kind = "plain" | "vector";

/**
 * Databases that an earlier test of the worker used, and that are as empty as new ones. After hundreds of tests they are as
 * fast, and some dozen MB larger. Nobody closes them: they don't keep the process alive.
 */
const unused = new Map<Kind, PGlite>();

/**
 * Returns an empty PGlite in memory. The very first start takes seconds and saves a snapshot of the empty cluster. Each
 * worker compiles the program once. Every further database is unpacked from the snapshot, or emptied after another test.
 */
export async function createPgliteDatabase(): Promise<TestDatabase<PGlite>> {
  return new PgliteDatabase(takeUnused("plain") ?? (await PGlite.create(await preparation())), "plain");
}

/** Returns an empty PGlite that is still opening. The caller closes it. */
export async function startPglite(extensions: Extensions = {}): Promise<PGlite> {
  return new PGlite({ ...(await preparation()), extensions });
}

/** Returns an empty PGlite with the extension of embeddings, which takes a moment to load. */
export async function createVectorPglite(): Promise<TestDatabase<PGlite>> {
  const source =
    takeUnused("vector") ?? (await PGlite.create({ ...(await preparation()), extensions: { vector } }));
  return new PgliteDatabase(source, "vector");
}

function takeUnused(kind: Kind): PGlite | undefined {
  const source = unused.get(kind);
  unused.delete(kind);
  return source;
}

/**
 * Creates the folder of an empty PGlite, as PGlite's own first start does in some seconds.
 *
 * @param folder - A folder that exists and is empty.
 */
export async function createPgliteFolder(folder: string): Promise<void> {
  const database = await PGlite.create({ ...(await preparation()), dataDir: folder });
  await database.close();
}

function preparation(): Promise<Prepared> {
  prepared ??= prepare();
  return prepared;
}

interface Prepared {
  readonly loadDataDir: Blob;
  readonly pgliteWasmModule: WebAssembly.Module;
  readonly startParams: string[];
}

let prepared: Promise<Prepared> | undefined;

async function prepare(): Promise<Prepared> {
  const program = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"));
  const pgliteWasmModule = await WebAssembly.compile(await readFile(join(program, "pglite.wasm")));
  const startParams = [...PGlite.defaultStartParams, ...SETTINGS];
  return { loadDataDir: await loadSnapshot(program), pgliteWasmModule, startParams };
}

/** Reads the snapshot of this version of PGlite, or creates it. `npm ci` removes it along with PGlite. */
async function loadSnapshot(program: string): Promise<Blob> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(program, "../package.json"), "utf8")));
  const folder = join(program, "../../../.cache/checkpoint-tests");
  const file = join(folder, `pglite-${version}-lean.tar`);
  try {
    return new Blob([await readFile(file)]);
  } catch {
    const snapshot = await takeSnapshot();
    // Two workers may get here at the same time. The second one replaces the file of the first by an equal one.
    const draft = `${file}.${randomBytes(4).toString("hex")}`;
    await mkdir(folder, { recursive: true });
    await writeFile(draft, new Uint8Array(await snapshot.arrayBuffer()));
    await rename(draft, file);
    return snapshot;
  }
}

/** Leaves out what no test reads and each would unpack: template databases, and 15 of 16 MB of WAL. */
async function takeSnapshot(): Promise<Blob> {
  const first = await PGlite.create({ initDbStartParams: ["--wal-segsize=1"] });
  try {
    await first.exec("update pg_database set datistemplate = false");
    await first.exec("drop database template0");
    await first.exec("drop database template1");
    await first.exec("checkpoint");
    return await first.dumpDataDir("none");
  } finally {
    await first.close();
  }
}

class PgliteDatabase implements TestDatabase<PGlite> {
  readonly source: PGlite;
  readonly #kind: Kind;
  #isDropped = false;

  constructor(source: PGlite, kind: Kind) {
    this.source = source;
    this.#kind = kind;
  }

  kysely<DB>(): Kysely<DB> {
    return new Kysely<DB>({ dialect: new PGliteDialect({ pglite: this.source }) });
  }

  async query<Row extends Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    this.#refuseDropped();
    return (await this.source.query<Row>(sql, parameters)).rows;
  }

  async exec(sql: string): Promise<void> {
    this.#refuseDropped();
    await this.source.exec(sql);
  }

  reset(): Promise<void> {
    return this.exec(RESET);
  }

  async drop(): Promise<void> {
    if (this.#isDropped) return;
    this.#isDropped = true;
    if (this.source.closed) return;
    if (!unused.has(this.#kind) && (await isEmptied(this.source))) unused.set(this.#kind, this.source);
    else await this.source.close();
  }

  // Another test may use the instance.
  #refuseDropped(): void {
    if (this.#isDropped) throw new Error("The test database was dropped");
  }
}

/** The changes to a cluster that {@link RESET} and `DISCARD ALL` don't undo. */
const LEFT_BEHIND = `
  select (select count(*) from pg_roles where oid >= 16384)
    + (select count(*) from pg_db_role_setting)
    + (select count(*) from pg_database where datname <> current_database() or not datallowconn or datconnlimit <> -1)
    + (select count(*) from pg_extension where oid >= 16384)
    + (select count(*) from pg_event_trigger)
    + (select count(*) from pg_publication)
    + (select count(*) from pg_largeobject_metadata)
    + (select count(*) from pg_default_acl) as count`;

/**
 * Clears the timer of Postgres, which in PGlite is one of Node.js, and keeps the process alive until it is due. An ended
 * statement leaves it running, but an earlier time replaces it, and nothing is left to do then. Without the flush, Postgres
 * would set another one to do so in ten seconds.
 */
const CLEAR_TIMER = "begin; set local statement_timeout = 1; select pg_stat_force_next_flush(); commit";

/** Empties a database, and returns whether it is now like a new one. The instance itself remembers listeners. */
async function isEmptied(source: PGlite): Promise<boolean> {
  try {
    await source.exec("rollback");
    const { rows: channels } = await source.query("select pg_listening_channels()");
    if (channels.length > 0) return false;
    await source.exec("discard all");
    await source.exec(RESET);
    const { rows } = await source.query<{ count: number }>(LEFT_BEHIND);
    await source.exec(CLEAR_TIMER);
    return rows[0]?.count === 0;
  } catch {
    return false;
  }
}
