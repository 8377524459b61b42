import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { AbortError, PostgresSaver, type PostgresSaverOptions } from "../../../src/index.js";
import { newThread } from "../../support/checkpoints.js";
import { TcpProxy } from "../../support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../support/targets.js";
import { snapshotOf } from "../bad-input/snapshot.js";
import { abortable } from "../bounded/abortable.js";
import { rejectionOf, until } from "../bounded/hung-statements.js";
import { Opened } from "../opened.js";
import { LATE_CALLS } from "./late-calls.js";

/** The savers whose connections the library decides on. */
const OPENINGS: readonly {
  readonly on: string;
  readonly open: (opened: Opened, config: pg.PoolConfig, options?: PostgresSaverOptions) => PostgresSaver;
}[] = [
  { on: "its own pool", open: (opened, config, options) => opened.saver(config, options) },
  {
    on: "a pool of the caller",
    open: (opened, config, options) => opened.saver(opened.pool(config), options),
  },
];

describeServer("a statement that the network delays", (target) => {
  let database: TestDatabase<string>;
  let proxy: TcpProxy;
  let opened: Opened;
  /** Past the proxy. */
  let direct: PostgresSaver;

  beforeEach(async () => {
    database = await target.createDatabase();
    proxy = await TcpProxy.open(database.source);
    opened = new Opened();
    direct = opened.saver(database.source);
    await direct.setup();
  });
  afterEach(async () => {
    await opened.end();
    await proxy.close();
  });

  describe.each(OPENINGS)("on $on", ({ open }) => {
    it.each(LATE_CALLS)(
      "is not carried out after the repetition of its call: $what",
      async ({ prepare, writes }) => {
        const saver = open(opened, { connectionString: proxy.url, max: 1 });
        const { late, newer } = await prepare(saver, newThread());
        await saver.health();

        const statements = proxy.delayStatements(writes);
        const call = late(saver);
        await until(() => statements.count === 1);
        statements.resetClients();
        await call;
        await newer(saver);

        const snapshot = await snapshotOf(database);
        const before = await snapshot();
        await statements.deliver();
        expect(await snapshot()).toEqual(before);
      },
    );
  });
});
