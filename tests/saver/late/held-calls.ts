import { beforeAll, expect } from "@jest/globals";
import type pg from "pg";
import type { PostgresSaver, PostgresSaverOptions } from "../../../src/index.js";
import { collect, newThread, threadConfig } from "../../../test-support/checkpoints.js";
import type { Target, TestDatabase } from "../../../test-support/targets.js";
import { type DelayedStatements, TcpProxy } from "../../../test-support/tcp-proxy.js";
import { until } from "../../../test-support/until.js";
import { snapshotOf } from "../bad-input/snapshot.js";
import { rejectionOf } from "../bounded/hung-statements.js";
import { Opened } from "../opened.js";
import { LATE_CALLS, type LatePair } from "./late-calls.js";

const WRITES = /insert into|delete from/;

/** The number of calls that {@link HeldCalls} makes at once. */
export const COUNT = LATE_CALLS.length;

/** Opens a saver on connections that this library controls. */
type OpenSaver = (opened: Opened, config: pg.PoolConfig, options?: PostgresSaverOptions) => PostgresSaver;

/** Ways to open a saver, by what its connections are. */
export type Openings = Readonly<Record<string, OpenSaver>>;

export const POOLS: Openings = {
  "an owned pool": (opened, config, options) => opened.saver(config, options),
  "a passed-in pool": (opened, config, options) => opened.saver(opened.pool(config), options),
};

/** Calls of a test whose statements a proxy can hold back. */
export class HeldCalls {
  readonly database: TestDatabase<string>;
  readonly snapshot: () => Promise<object>;
  readonly proxy: TcpProxy;
  readonly opened = new Opened();
  readonly #open: OpenSaver;

  constructor(
    database: TestDatabase<string>,
    snapshot: () => Promise<object>,
    proxy: TcpProxy,
    open: OpenSaver,
  ) {
    this.database = database;
    this.snapshot = snapshot;
    this.proxy = proxy;
    this.#open = open;
  }

  /** Opens a saver without names of statements, so that it shows in what is sent whether it writes. */
  connected(options?: PostgresSaverOptions): PostgresSaver {
    return this.#open(
      this.opened,
      { connectionString: this.proxy.url, max: COUNT, connectionTimeoutMillis: 5_000 },
      { prepare: false, ...options },
    );
  }

  /** Prepares each kind of call on its own thread, and an idle connection for each. */
  async prepareAll(saver: PostgresSaver): Promise<LatePair[]> {
    const pairs = await Promise.all(LATE_CALLS.map(({ prepare }) => prepare(saver, newThread())));
    const resume = this.proxy.stall();
    // Lists don't share statements, so each takes a connection.
    const reads = pairs.map(() => collect(saver.list(threadConfig(newThread()))));
    await until(() => this.proxy.count === COUNT);
    resume();
    await Promise.all(reads);
    return pairs;
  }

  /** Holds back the statements that write. */
  holdWrites(): DelayedStatements {
    return this.proxy.delayStatements(WRITES);
  }

  /** Makes all late calls, whose statements the proxy holds back, and waits until it holds them all. */
  async holdAll(saver: PostgresSaver, signal?: AbortSignal) {
    const pairs = await this.prepareAll(saver);
    const statements = this.holdWrites();
    const rejections = pairs.map(({ late }) => rejectionOf(late(saver, signal)));
    await until(() => statements.count === COUNT);
    return { pairs, statements, rejections };
  }

  /** Lets the statements arrive that are on their way, and checks that they change nothing. */
  async expectNothingFrom(deliver: () => Promise<void>): Promise<void> {
    const before = await this.snapshot();
    await deliver();
    expect(await this.snapshot()).toEqual(before);
  }

  async end(): Promise<void> {
    await this.opened.end();
    await this.proxy.close();
  }
}

/**
 * Returns what runs a test with {@link HeldCalls} on savers that `openings` open. The tests wait for seconds, so all of these savers wait at
 * once, each on a database of its own. The threads of each test are its own.
 */
export function useHeldCalls(
  target: Target<string>,
  openings: Openings,
): (run: (held: HeldCalls) => Promise<void>) => Promise<void> {
  let databases: {
    on: string;
    open: OpenSaver;
    database: TestDatabase<string>;
    snapshot: () => Promise<object>;
  }[];
  beforeAll(async () => {
    databases = [];
    for (const [on, open] of Object.entries(openings)) {
      const database = await target.migratedDatabase();
      databases.push({ on, open, database, snapshot: await snapshotOf(database) });
    }
  });
  return async (run) => {
    const outcomes = await Promise.allSettled(
      databases.map(async ({ open, database, snapshot }) => {
        const held = new HeldCalls(database, snapshot, await TcpProxy.open(database.source), open);
        try {
          await run(held);
        } finally {
          await held.end();
        }
      }),
    );
    expect(databases.map(({ on }, index) => ({ on, ...outcomes[index] }))).toEqual(
      databases.map(({ on }) => ({ on, status: "fulfilled", value: undefined })),
    );
  };
}
