import { describe, expect, it } from "@jest/globals";
import { loadBuilds } from "../../test-support/builds.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeServer } from "../../test-support/targets.js";

const builds = await loadBuilds("index");

describeServer("a connection that is reset", (target) => {
  describe.each(builds)("under a saver loaded by %s", (_, { PostgresSaver }) => {
    it("in the middle of a statement fails neither the call nor the process", async () => {
      const database = await target.migratedDatabase();
      const proxy = await TcpProxy.open(database.source);
      const saver = new PostgresSaver(proxy.url);
      const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });

      // A lock blocks the statement until the connection is lost.
      const read = await database
        .kysely()
        .transaction()
        .execute(async (transaction) => {
          await transaction.schema.alterTable("checkpoints").setSchema("public").execute();
          const pending = saver.getTuple(config);
          await untilOneWaits(database);
          proxy.resetAll();
          return { pending };
        });
      expect((await read.pending)?.checkpoint.channel_values).toEqual({ a: [1] });
      await saver.end();
      await proxy.close();
    });
  });
});
