import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import { z } from "zod";
import { RESET, type TestDatabase } from "./test-database.js";

/** Each start fills it with zeros. The default of 128 MB doubles the time of a start. */
const SHARED_BUFFERS = ["-c", "shared_buffers=16MB"];

const CACHE = new URL("../../node_modules/.cache/checkpoint-tests/", import.meta.url);

/**
 * Creates a new PGlite in memory. The very first start takes seconds and saves a snapshot of the empty cluster. Each
 * worker compiles the program once. Every further database is unpacked from the snapshot.
 */
export async function createPgliteDatabase(): Promise<TestDatabase<PGlite>> {
  prepared ??= prepare();
  return new PgliteDatabase(await PGlite.create(await prepared));
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
  const startParams = [...PGlite.defaultStartParams, ...SHARED_BUFFERS];
  return { loadDataDir: await loadSnapshot(program), pgliteWasmModule, startParams };
}

/** Reads the snapshot of this version of PGlite, or creates it. `npm ci` removes it along with PGlite. */
async function loadSnapshot(program: string): Promise<Blob> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(program, "../package.json"), "utf8")));
  const file = fileURLToPath(new URL(`pglite-${version}-lean.tar`, CACHE));
  try {
    return new Blob([await readFile(file)]);
  } catch {
    const snapshot = await takeSnapshot();
    // Two workers may get here at the same time. The second one replaces the file of the first by an equal one.
    const draft = `${file}.${randomBytes(4).toString("hex")}`;
    await mkdir(CACHE, { recursive: true });
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

  constructor(source: PGlite) {
    this.source = source;
  }

  kysely<DB>(): Kysely<DB> {
    return new Kysely<DB>({ dialect: new PGliteDialect({ pglite: this.source }) });
  }

  async query<Row extends Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return (await this.source.query<Row>(sql, parameters)).rows;
  }

  async exec(sql: string): Promise<void> {
    await this.source.exec(sql);
  }

  reset(): Promise<void> {
    return this.exec(RESET);
  }

  async drop(): Promise<void> {
    if (!this.source.closed) await this.source.close();
  }
}
