import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import {
  type BackendCheckpointStore,
  createCheckpoint,
  PostgresCheckpointStore,
} from "../../src/checkpoint-store/index.js";
import { RedisCheckpointStore } from "../../src/checkpoint-store/redis/index.js";
import { SqliteCheckpointStore } from "../../src/checkpoint-store/sqlite/index.js";
import { openUrl, type OpenUrl } from "../../src/cli/run/open-url.js";
import { openDatabase } from "../../src/db/index.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { ownPrefix, redisUrl } from "../checkpoint-store/redis.js";

/** An end of a copy, of a kind of its own. */
export interface CopyEnd {
  /** The options of the command line for this end. */
  readonly argv: (side: "from" | "to" | "store") => string[];
  /** Opens the same store. */
  readonly open: () => BackendCheckpointStore;
}

/** Creates an end that holds nothing yet. It has no table. */
export type NewEnd = () => CopyEnd;

/** The kinds of stores that this machine has, each with what creates a store of it. */
export class CopyEnds {
  /** Opens what the command line names: the folder is that of an open PGlite, since opening one takes a second. */
  readonly openUrl: OpenUrl;
  readonly #folder: string;
  readonly #database: TestDatabase<string>;
  readonly #pglite: PGlite;
  #count = 0;

  private constructor(folder: string, database: TestDatabase<string>, pglite: PGlite) {
    this.#folder = folder;
    this.#database = database;
    this.#pglite = pglite;
    this.openUrl = (url) => (url.startsWith("file://") ? openDatabase(pglite) : openUrl(url));
  }

  static async create(database: TestDatabase<string>, pglite: PGlite): Promise<CopyEnds> {
    const folder = await mkdtemp(join(tmpdir(), "checkpoint-copies-"));
    // Looks like the folder of a PGlite.
    await writeFile(join(folder, "PG_VERSION"), "");
    return new CopyEnds(folder, database, pglite);
  }

  postgres(): CopyEnd {
    const table = this.#newName();
    const url = this.#database.source;
    return {
      argv: (side) => [`--${side}`, url, `--${side}-table`, table],
      open: () => new PostgresCheckpointStore(url, { table }),
    };
  }

  pglite(): CopyEnd {
    const table = this.#newName();
    return {
      argv: (side) => [`--${side}`, `file://${this.#folder}`, `--${side}-table`, table],
      open: () => new PostgresCheckpointStore(this.#pglite, { table }),
    };
  }

  sqlite(): CopyEnd {
    const path = join(this.#folder, this.#newName());
    return { argv: (side) => [`--${side}`, `sqlite:${path}`], open: () => new SqliteCheckpointStore(path) };
  }

  redis(): CopyEnd {
    const prefix = ownPrefix();
    return {
      argv: (side) => [`--${side}`, redisUrl(), `--${side}-prefix`, prefix],
      open: () => new RedisCheckpointStore(redisUrl(), { prefix }),
    };
  }

  async end(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  #newName(): string {
    this.#count += 1;
    return `copy_${this.#count}`;
  }
}

/** Whether this Node.js has SQLite. */
export const HAS_SQLITE = process.getBuiltinModule("node:sqlite") !== undefined;

/** Whether this run has a Redis. */
export const HAS_REDIS = process.env.CHECKPOINT_TEST_REDIS !== undefined;

/** Fills a store with `count` checkpoints of two executions and a thread, and with values that not every database writes alike. */
export async function fillCheckpoints(end: CopyEnd, count: number): Promise<void> {
  await using store = end.open();
  await store.setup();
  const filled = Array.from({ length: count }, (_, n) =>
    store.save(
      createCheckpoint({
        ...{
          id: checkpointId(n),
          executionId: `e${n % 2}`,
          threadId: "t",
          nodeName: `node ${n}`,
          version: n,
        },
        ...{ state: STATES[n % STATES.length], timestamp: new Date(1_000 * n + (n % 7)) },
      }),
    ),
  );
  await Promise.all(filled);
  const unlisted = { id: "Ünlisted ✓", nodeName: "", state: null, metadata: null };
  await store.save({ ...unlisted, timestamp: new Date(-1), version: 2 ** 31 - 1 });
}

export function checkpointId(n: number): string {
  return `checkpoint_${String(n).padStart(4, "0")}`;
}

const STATES: readonly unknown[] = [
  { z: 1, a: [true, null, 1.5, -1e-7, 1e21, "\0 𝄞 \\u0000"] },
  { at: new Date(0), seen: new Set([1n, new Map([["k", new Uint8Array([0, 255])]])]) },
  "text",
  { long: "x".repeat(5_000), none: undefined },
];

/** Returns what a store has of the filled checkpoints. */
export async function contentOf(end: CopyEnd): Promise<object> {
  await using store = end.open();
  return {
    lists: await Promise.all([store.list("e0"), store.list("e1"), store.list({ threadId: "t" })]),
    unlisted: await store.load("Ünlisted ✓"),
    count: await store.backend.count({}),
  };
}
