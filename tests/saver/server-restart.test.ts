import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";

describe("a saver whose server is killed and restarted", () => {
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await startEmbeddedServer();
  });
  afterAll(() => server.remove());

  it("keeps acknowledged writes, and finishes the calls that were running", async () => {
    await using saver = PostgresSaver.fromConnString(server.url, { schema: "agents" });
    await saver.setup();
    const thread = newThread();
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), { a: ["acknowledged"] });

    await server.crash();
    const running = Promise.all([
      putValues(saver, config, { a: ["retried"] }, checkpoint),
      saver.putWrites(config, [["a", 1]], "task"),
      saver.getTuple(config),
    ]);
    await server.start();

    const [next, , tuple] = await running;
    expect(tuple?.checkpoint.channel_values).toEqual({ a: ["acknowledged"] });
    expect((await saver.getTuple(next.config))?.checkpoint.channel_values).toEqual({ a: ["retried"] });
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "a", 1]]);
  });
});
