import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { DeserializationError, PostgresSaver } from "../../src/index.js";
import { EncryptedSerializer } from "../../src/serde/index.js";
import { collect, metadataOf, nextId } from "../../test-support/checkpoints.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { describePythonGraphs } from "./python-graphs.js";
import type { PythonProcess } from "./python-process.js";
import { configOf } from "./two-languages.js";

await describePythonGraphs("a row of Python's full saver", (target, start) => {
  let database: TestDatabase<string>;
  let python: PythonProcess;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.createDatabase();
    python = await start(database);
    saver = new PostgresSaver(database.source);
    await saver.setup();
  });

  afterAll(async () => {
    await python.end();
    await saver.end();
  });

  it("with a pickle causes an error that names it, and does not affect calls that read no such value", async () => {
    await python.do("run", { graph: "pickled", thread: "pickled", input: { log: ["in"] }, pickle: true });
    const config = configOf("pickled");
    const refused = await saver.getTuple(config).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DeserializationError);
    expect(refused).toMatchObject({ threadId: "pickled", channel: "opaque", typeTag: "pickle" });
    await expect(collect(saver.list(config))).rejects.toThrow(DeserializationError);

    const { problems } = await saver.verify("pickled");
    expect(problems.map(({ kind, channel }) => `${kind} ${String(channel)}`)).toEqual([
      "undecodable-value opaque",
      "undecodable-write opaque",
    ]);
    const others = { channels: ["log"], writes: false };
    const tuples = await collect(saver.list(config, others));
    expect(tuples.map(({ checkpoint }) => checkpoint.channel_values)[0]).toEqual({ log: ["in", "write"] });
    expect((await collect(saver.exportThreads({ threads: ["pickled"] }))).length).toBeGreaterThan(5);
    await saver.copyThread("pickled", "copy");
    expect(await python.do("state", { graph: "pickled", thread: "copy", pickle: true })).toMatchObject({
      values: { log: ["in", "write"] },
    });
  });

  it("with the value true can be pruned after it was encrypted, which Python's prune takes for a delta channel", async () => {
    const checkpoint = {
      ...{ v: 4, id: nextId(), ts: new Date().toISOString(), versions_seen: {} },
      ...{ channel_values: { flag: true }, channel_versions: { flag: "1" } },
    };
    await python.do("put", {
      ...{ thread: "flag", at: { checkpoint_ns: "" }, checkpoint, metadata: metadataOf() },
      versions: checkpoint.channel_versions,
    });
    const encrypted = new PostgresSaver(database.source, EncryptedSerializer.fromAesKey("0123456789abcdef"));
    const tuple = await encrypted.getTuple(configOf("flag"));
    expect(tuple?.checkpoint.channel_values).toEqual({ flag: true });
    if (tuple === undefined) return;
    await encrypted.put(tuple.config, { ...tuple.checkpoint, id: nextId() }, metadataOf(1), {});

    await expect(python.do("prune", { thread: "flag" })).rejects.toThrow(/that use a DeltaChannel: flag/);
    expect(await encrypted.prune(["flag"])).toMatchObject({ checkpoints: 1 });
    await python.do("prune", { thread: "flag" });
    expect((await encrypted.getTuple(configOf("flag")))?.checkpoint.channel_values).toEqual({ flag: true });
    await encrypted.end();
  });
});
