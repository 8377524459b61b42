import type { BaseCheckpointSaver, Checkpoint, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { PGlite } from "@electric-sql/pglite";
import type { PostgresSaverOptions } from "../../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  putValues,
  threadConfig,
} from "../../../test-support/checkpoints.js";
import { hasMethod, type Release } from "../release.js";
import { startTurn } from "./agent.js";
import { serializersOf } from "./serializers.js";
import { distinctText, langchainValues, LONG_TEXT, plainValues } from "./values.js";

/** Writes threads of every kind that a version can write, into tables that it has created. */
export async function writeThreads(release: Release, source: PGlite): Promise<void> {
  const { PostgresSaver } = release.index;
  const open = (serializer?: SerializerProtocol, options?: PostgresSaverOptions) =>
    new PostgresSaver(source, serializer, options);
  for (const [name, serializer] of Object.entries(serializersOf(release))) {
    const saver = open(serializer);
    await writeValues(saver, name);
    if (name === "gzip" || name === "brotli") continue;
    await writePending(saver, `${name} pending`);
    await startTurn(saver, threadConfig(`${name} agent`));
    if (hasMethod(release, "compact"))
      await writeChain(open(serializer, { splices: true }), `${name} splices`);
  }
  const saver = open();
  await writeMetadata(saver);
  await writeChannels(saver);
  if (hasMethod(release, "fork")) {
    await saver.copyThread("msgpack values", "msgpack copy");
    await saver.fork(threadConfig("msgpack pending"));
  }
  if (hasMethod(release, "listTombstones")) {
    const keeping = open(undefined, { keepTombstones: true });
    await putValues(keeping, threadConfig("msgpack deleted"), { list: ["gone"] });
    await keeping.deleteThread("msgpack deleted");
  }
  if ("ShallowPostgresSaver" in release.index) {
    const shallow = new release.index.ShallowPostgresSaver(source);
    const first = await putValues(shallow, threadConfig("msgpack shallow"), { list: [1] });
    await putValues(shallow, first.config, { list: [1, 2] }, first.checkpoint);
  }
}

/** A checkpoint with all values. A second one in clear text carries some of them, and changes others. */
async function writeValues(saver: BaseCheckpointSaver, serializer: string): Promise<void> {
  const all = { ...plainValues(), ...langchainValues() };
  // The file could not be compressed.
  if (serializer === "eax") for (const name of ["long", "longBytes"]) Reflect.deleteProperty(all, name);
  const first = await putValues(saver, threadConfig(`${serializer} values`), all);
  if (serializer !== "msgpack" && serializer !== "json") return;
  const changed = checkpointOf(saver, { count: 43, word: "other", texts: ["changed"] }, first.checkpoint);
  const second: Checkpoint = { ...changed, channel_values: { ...all, ...changed.channel_values } };
  await saver.put(first.config, second, metadataOf(1), allVersions(changed));
}

/** Writes of tasks, those with a place of their own among them. */
async function writePending(saver: BaseCheckpointSaver, thread: string): Promise<void> {
  const { config } = await putValues(saver, threadConfig(thread), { list: ["before"] });
  await saver.putWrites(
    config,
    [
      ["list", ["one"]],
      ["list", new Map([["two", 2n]])],
      ["long", LONG_TEXT.slice(0, 10_000)],
    ],
    "task 1",
  );
  await saver.putWrites(config, [["__error__", { name: "Error", message: "failed" }]], "task 2");
  await saver.putWrites(config, [["__interrupt__", [{ id: "i", value: { ask: "Really?" } }]]], "task 3");
  await saver.putWrites(config, [["__resume__", ["yes"]]], "task 3");
  await saver.putWrites(config, [["__no_writes__", null]], "task 4");
  await saver.putWrites(config, [["after a path", undefined]], "task 5", "~__pregel_pull, node");
}

/** A list that grows, so that each value but the first is a splice. A fork continues from the middle of the chain. */
async function writeChain(saver: BaseCheckpointSaver, thread: string): Promise<void> {
  const items = [distinctText(0, 5_000)];
  const stored = [await putValues(saver, threadConfig(thread), { list: [...items], count: 0 })];
  for (let count = 1; count <= 12; count++) {
    items.push(distinctText(count, 40));
    const head = count === 12 ? stored[5] : stored.at(-1);
    const list = count === 12 ? [...items.slice(0, 6), "forked"] : [...items];
    stored.push(await putValues(saver, head?.config ?? {}, { list, count }, head?.checkpoint));
  }
}

async function writeMetadata(saver: BaseCheckpointSaver): Promise<void> {
  let config: RunnableConfig = threadConfig("msgpack metadata");
  for (const [step, source] of (["input", "loop", "update", "fork"] as const).entries()) {
    const checkpoint = checkpointOf(saver, { list: [source] });
    const more = {
      source,
      parents: { "": "parent", "inner:1": checkpoint.id },
      run_id: "run",
      nested: { text: "Grüße 👋 ' \" \\", list: [1, 2.5, 1e21, null, true], empty: {} },
      "": "an empty key",
    };
    config = await saver.put(config, checkpoint, metadataOf(step - 1, more), allVersions(checkpoint));
  }
}

/** Channels without a value, an emptied one, namespaces, versions that are numbers, and an earlier format of checkpoints. */
async function writeChannels(saver: BaseCheckpointSaver): Promise<void> {
  const first = await putValues(saver, threadConfig("msgpack channels"), { list: [1], emptied: ["full"] });
  const emptied = checkpointOf(saver, { emptied: [] }, first.checkpoint);
  const seen = { node: first.checkpoint.channel_versions };
  await saver.put(
    first.config,
    { ...emptied, channel_values: { list: [1] }, versions_seen: seen },
    metadataOf(1),
    allVersions(emptied),
  );
  for (const ns of ["inner:1", "inner:1|deeper:2", "with spaces, ü"])
    await putValues(saver, threadConfig("msgpack channels", { checkpoint_ns: ns }), { list: [ns] });
  const numbered = checkpointOf(saver, { list: ["by number"] });
  await saver.put(
    threadConfig("msgpack numbers"),
    { ...numbered, v: 1, channel_versions: { list: 7 } },
    metadataOf(),
    { list: 7 },
  );
}
