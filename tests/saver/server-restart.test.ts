import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { PostgresSaver } from "../../src/index.js";
import { loadBuilds } from "../../test-support/builds.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";

describe("a saver whose server is killed and restarted", () => {
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await startEmbeddedServer();
  });
  afterAll(() => server.remove());

  it("keeps acknowledged writes, and finishes the calls that were running, in both builds", async () => {
    const builds = await loadBuilds("index");
    const savers = builds.map(([build, ours]) =>
      ours.PostgresSaver.fromConnString(server.url, { schema: `agents_${build}` }),
    );
    const before = await Promise.all(savers.map(storeBefore));

    await server.crash();
    const running = Promise.all(before.map(callMeanwhile));
    await server.start();

    for (const { saver, config, next, tuple } of await running) {
      expect(tuple?.checkpoint.channel_values).toEqual({ a: ["acknowledged"] });
      expect((await saver.getTuple(next.config))?.checkpoint.channel_values).toEqual({ a: ["retried"] });
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "a", 1]]);
      await saver.end();
    }
  });
});

async function storeBefore(saver: PostgresSaver) {
  await saver.setup();
  return { saver, ...(await putValues(saver, threadConfig(newThread()), { a: ["acknowledged"] })) };
}

async function callMeanwhile({ saver, config, checkpoint }: Awaited<ReturnType<typeof storeBefore>>) {
  const [next, , tuple] = await Promise.all([
    putValues(saver, config, { a: ["retried"] }, checkpoint),
    saver.putWrites(config, [["a", 1]], "task"),
    saver.getTuple(config),
  ]);
  return { saver, config, next, tuple };
}
