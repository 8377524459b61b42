import { expect, it } from "@jest/globals";
import { DeserializationError, PostgresSaver } from "../../src/index.js";
import { EncryptedSerializer } from "../../src/serde/index.js";
import { collect, metadataOf, nextId } from "../../test-support/checkpoints.js";
import { besidePython } from "./beside-python.js";
import { describePythonGraphs } from "./python-graphs.js";
import { configOf } from "./two-languages.js";

await describePythonGraphs("a row of Python's full saver", (target, start) => {
  const shared = besidePython(target, start);

  it("with a pickle causes an error that names it, and does not affect calls that read no such value", async () => {
    await shared.python.do("run", {
      graph: "pickled",
      thread: "pickled",
      input: { log: ["in"] },
      pickle: true,
    });
    const config = configOf("pickled");
    const refused = await shared.saver.getTuple(config).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DeserializationError);
    expect(refused).toMatchObject({ threadId: "pickled", channel: "opaque", typeTag: "pickle" });
    await expect(collect(shared.saver.list(config))).rejects.toThrow(DeserializationError);

    const { problems } = await shared.saver.verify("pickled");
    expect(problems.map(({ kind, channel }) => `${kind} ${String(channel)}`)).toEqual([
      "undecodable-value opaque",
      "undecodable-write opaque",
    ]);
    const others = { channels: ["log"], writes: false };
    const tuples = await collect(shared.saver.list(config, others));
    expect(tuples.map(({ checkpoint }) => checkpoint.channel_values)[0]).toEqual({ log: ["in", "write"] });
    expect((await collect(shared.saver.exportThreads({ threads: ["pickled"] }))).length).toBeGreaterThan(5);
    await shared.saver.copyThread("pickled", "copy");
    expect(await shared.python.do("state", { graph: "pickled", thread: "copy", pickle: true })).toMatchObject(
      {
        values: { log: ["in", "write"] },
      },
    );
  });

  it("with the value true can be pruned after it was encrypted, which Python's prune takes for a delta channel", async () => {
    const checkpoint = {
      ...{ v: 4, id: nextId(), ts: new Date().toISOString(), versions_seen: {} },
      ...{ channel_values: { flag: true }, channel_versions: { flag: "1" } },
    };
    await shared.python.do("put", {
      ...{ thread: "flag", at: { checkpoint_ns: "" }, checkpoint, metadata: metadataOf() },
      versions: checkpoint.channel_versions,
    });
    const encrypted = new PostgresSaver(
      shared.database.source,
      EncryptedSerializer.fromAesKey("0123456789abcdef"),
    );
    const tuple = await encrypted.getTuple(configOf("flag"));
    expect(tuple?.checkpoint.channel_values).toEqual({ flag: true });
    if (tuple === undefined) return;
    await encrypted.put(tuple.config, { ...tuple.checkpoint, id: nextId() }, metadataOf(1), {});

    await expect(shared.python.do("prune", { thread: "flag" })).rejects.toThrow(
      /that use a DeltaChannel: flag/,
    );
    expect(await encrypted.prune(["flag"])).toMatchObject({ checkpoints: 1 });
    await shared.python.do("prune", { thread: "flag" });
    expect((await encrypted.getTuple(configOf("flag")))?.checkpoint.channel_values).toEqual({ flag: true });
    await encrypted.end();
  });
});
