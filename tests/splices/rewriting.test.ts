import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { CompressedSerializer } from "../../src/serde/index.js";
import {
  checkpointOf,
  collect,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { incompressibleText as text, SPLICING_SERIALIZERS } from "../../test-support/spliced-values.js";
import { describeAnyTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

const STEPS = 25;

describeAnyTarget("expand and compact", (target) => {
  let database: TestDatabase;
  const open: PostgresSaver[] = [];

  const newSaver = (options: PostgresSaverOptions = {}, serde?: SerializerProtocol): PostgresSaver => {
    const saver = new PostgresSaver(database.source, serde, options);
    open.push(saver);
    return saver;
  };

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((saver) => saver.end()));
  });

  /** Stores a chat, with a fork in the middle, and a channel of short values. */
  async function putChat(saver: PostgresSaver, thread: string): Promise<void> {
    const messages = [text(8_000)];
    const first = await putValues(saver, threadConfig(thread), { messages, count: 0 });
    let put = first;
    for (let step = 1; step < STEPS; step++) {
      messages.push(text(200));
      const parent = step === STEPS / 5 ? first : put;
      put = await putValues(saver, parent.config, { messages, count: step }, parent.checkpoint);
    }
  }

  const rows = (thread: string) =>
    database.query<{ version: string; type: string; base: string | null; blob: Uint8Array }>(
      `select version, type, base, blob from checkpoint_blobs
        where thread_id = $1 and channel = 'messages' order by version collate "C"`,
      [thread],
    );

  const valuesOf = async (saver: PostgresSaver, thread: string) =>
    (await collect(saver.list(threadConfig(thread)))).map(({ checkpoint }) => checkpoint.channel_values);

  it.each(SPLICING_SERIALIZERS)(
    "turn chains into whole values and back, and every value stays equal, with %s",
    async (_name, serde) => {
      const [spliced, plain] = [newSaver({ splices: true }, serde), newSaver({}, serde)];
      await putChat(spliced, "chat");
      await spliced.copyThread("chat", "other");
      const values = await valuesOf(plain, "chat");
      const stored = await rows("chat");

      const wouldExpand = await plain.expand({ threads: ["chat"], dryRun: true });
      expect(await rows("chat")).toEqual(stored);
      const expanded = await plain.expand({ threads: ["chat"] });
      expect(expanded).toMatchObject({ threads: 1, missing: [], dryRun: false });
      expect(expanded.values).toBe(stored.filter(({ base }) => base !== null).length);
      expect({ ...wouldExpand, dryRun: false, bytesAfter: 0 }).toEqual({ ...expanded, bytesAfter: 0 });
      const whole = await rows("chat");
      expect(whole.filter(({ base, type }) => base !== null || type.includes("splice"))).toEqual([]);
      expect(await valuesOf(plain, "chat")).toEqual(values);
      expect(await plain.expand({ threads: ["chat"] })).toMatchObject({ threads: 0, values: 0 });
      expect((await rows("other")).some(({ base }) => base !== null)).toBe(true);

      const compacted = await plain.compact({ threads: ["chat"] });
      expect(compacted.values).toBe(STEPS - 1);
      expect(compacted.bytesAfter).toBeLessThan(compacted.bytesBefore / 4);
      expect((await rows("chat")).filter(({ base }) => base !== null)).toHaveLength(STEPS - 1);
      for (const reader of [spliced, plain]) expect(await valuesOf(reader, "chat")).toEqual(values);
      expect(await plain.compact({ threads: ["chat"] })).toMatchObject({ threads: 0, values: 0 });
      const { problems } = await plain.verify();
      expect(problems).toEqual([]);
    },
  );

  it("leave values that only splices needed to the next prune", async () => {
    const saver = newSaver({ splices: true });
    await putChat(saver, "chat");
    await saver.prune({ keepLast: 1 });
    await saver.expand();
    const kindsOf = async () => new Set((await saver.verify()).problems.map(({ kind }) => kind));
    expect(await kindsOf()).toContain("stray-blob");
    await saver.prune({ keepLast: 1, deleteUnproven: true });
    expect(await kindsOf()).not.toContain("stray-blob");
    expect(await rows("chat")).toHaveLength(1);
  });

  it("keep every value beside writers and a prune (C13)", async () => {
    const [spliced, plain] = [newSaver({ splices: true }), newSaver()];
    await putChat(plain, "chat");
    const writing = (async () => {
      const messages = ["a different start", text(7_000)];
      let put = await putValues(spliced, threadConfig("chat"), { messages });
      for (let step = 0; step < 30; step++) {
        messages.push(text(200));
        put = await putValues(spliced, put.config, { messages }, put.checkpoint);
      }
      return messages;
    })();
    const rewriting = (async () => {
      for (let round = 0; round < 4; round++) {
        await Promise.all([plain.compact(), newSaver().compact(), plain.prune({ keepLast: 3 })]);
        await Promise.all([plain.expand(), newSaver().compact(), plain.prune({ keepLast: 2 })]);
      }
    })();
    const messages = await writing;
    await rewriting;
    // What a splice still needed during the last prune is left to the next one, if `expand` has made that splice whole since.
    await plain.prune({ keepLast: 2, deleteUnproven: true });
    expect((await plain.getTuple(threadConfig("chat")))?.checkpoint.channel_values).toEqual({ messages });
    const { problems } = await plain.verify();
    expect(problems.filter(({ kind }) => kind !== "missing-parent")).toEqual([]);
  });

  it("can be interrupted, and continue with the next call", async () => {
    const saver = newSaver();
    await putChat(saver, "first");
    await putChat(saver, "second");
    const values = await valuesOf(saver, "second");
    const controller = new AbortController();
    const interrupted = saver.compact({
      signal: controller.signal,
      onProgress: ({ values: done }) => {
        if (done > 0) controller.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ name: "AbortError" });
    expect(await saver.compact({ threads: ["first", "second", "third"] })).toMatchObject({
      ...{ threads: 1, values: STEPS - 1, missing: ["third"] },
    });
    expect(await valuesOf(saver, "second")).toEqual(values);
  });

  it("make no value a splice of itself, whatever order its versions have", async () => {
    const saver = newSaver({ splices: true });
    const messages = [text(8_000)];
    const put = (config: RunnableConfig, version: string) => {
      const channel_versions: Record<string, number> = {};
      // The application counts versions by names of its own.
      Object.assign(channel_versions, { messages: version });
      const checkpoint = { ...checkpointOf(saver, { messages: [...messages] }), channel_versions };
      return saver.put(config, checkpoint, metadataOf(), channel_versions);
    };
    const first = await put(threadConfig("chat"), "v9");
    messages.push(text(200));
    const second = await put(first, "v10");
    expect((await rows("chat")).map(({ version, base }) => [version, base])).toEqual([
      ["v10", "v9"],
      ["v9", null],
    ]);
    await newSaver().compact();
    const read = async (config: RunnableConfig) =>
      (await newSaver().getTuple(config))?.checkpoint.channel_values.messages;
    expect(await read(first)).toEqual(messages.slice(0, 1));
    expect(await read(second)).toEqual(messages);
  });

  it("make a value a splice of an earlier one by their numbers, in whatever order they are stored", async () => {
    const saver = newSaver();
    const places = ["", "sub"].map((ns) => threadConfig("chat", { checkpoint_ns: ns }));
    for (const place of places) {
      const messages = [text(8_000), ...Array.from({ length: 12 }, () => text(200))];
      for (const version of [3, 12, 10, 2, 11]) {
        const channel_versions = { messages: version };
        const values = { messages: messages.slice(0, version) };
        const checkpoint = { ...checkpointOf(saver, values), channel_versions };
        await saver.put(place, checkpoint, metadataOf(), channel_versions);
      }
    }
    const read = () => Promise.all(places.map((place) => saver.getTuple(place)));
    const stored = await read();
    expect(await saver.compact()).toMatchObject({ values: 8 });
    expect(await read()).toEqual(stored);
    const bases = (await rows("chat")).map(({ version, base }) => [Number(version), Number(base)] as const);
    expect(bases.filter(([, base]) => base === 0)).toEqual([
      [2, 0],
      [2, 0],
    ]);
    expect(bases.filter(([version, base]) => base >= version)).toEqual([]);
  });

  it("never make a chain too long to be read, however often a chain is compacted and continued", async () => {
    const plain = newSaver();
    const messages = [text(7_000)];
    let put = await putValues(newSaver({ splices: true }), threadConfig("chat"), { messages });
    for (let restart = 0; restart < 6; restart++) {
      // It remembers nothing, so each of its chains begins with a whole value.
      const saver = newSaver({ splices: true });
      for (let step = 0; step < 15; step++) {
        messages.push(text(100));
        put = await putValues(saver, put.config, { messages }, put.checkpoint);
      }
      await plain.compact();
    }
    expect((await rows("chat")).filter(({ base }) => base === null).length).toBeLessThan(4);
    expect((await plain.getTuple(put.config))?.checkpoint.channel_values).toEqual({ messages });
    expect((await plain.verify()).problems).toEqual([]);
  });
});

describeServer("a transaction of expand or compact", (server) => {
  let database: TestDatabase<string>;
  let meanwhile: (() => Promise<unknown>) | undefined;

  /** Calls `meanwhile` while a value is encoded, which is between the reads of a transaction and its writes. */
  class Interrupted extends CompressedSerializer {
    override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
      return super.dumpsTyped(value);
    }

    override async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
      return super.loadsTyped(type, data);
    }

    override async wrap(type: string, data: Uint8Array): Promise<[string, Uint8Array]> {
      const call = meanwhile;
      meanwhile = undefined;
      await call?.();
      return [type, data];
    }

    override unwrap(type: string, data: Uint8Array): Promise<[string, Uint8Array]> {
      return Promise.resolve([type, data]);
    }
  }

  beforeEach(async () => {
    database = await server.migratedDatabase();
    meanwhile = undefined;
  });

  /** Stores a chat whose last value is whole. As the fourth after the first one, it becomes a splice of the first one. */
  async function putChat(): Promise<Awaited<ReturnType<typeof putValues>>> {
    await using spliced = new PostgresSaver(database.source, undefined, { splices: true });
    await using plain = new PostgresSaver(database.source);
    const messages = [text(8_000)];
    let put = await putValues(spliced, threadConfig("chat"), { messages });
    for (const saver of [spliced, spliced, spliced, plain]) {
      messages.push(text(200));
      put = await putValues(saver, put.config, { messages }, put.checkpoint);
    }
    return put;
  }

  const rows = () =>
    database.query<{ version: string; base: string | null }>(
      `select version, base from checkpoint_blobs order by version collate "C"`,
    );

  it("locks the values that it changes", async () => {
    await putChat();
    const locked: unknown[] = [];
    meanwhile = async () => {
      const error = await database
        .query("select 1 from checkpoint_blobs where thread_id = 'chat' for no key update nowait")
        .catch((reason: unknown) => reason);
      locked.push(error);
    };
    await using saver = new PostgresSaver(database.source, new Interrupted());
    expect(await saver.compact()).toMatchObject({ values: 1 });
    expect(locked).toMatchObject([{ code: "55P03" }]);
  });

  it("stores no splice of a value that was deleted meanwhile (C13)", async () => {
    await putChat();
    const before = await rows();
    meanwhile = () => database.query("delete from checkpoint_blobs where version = $1", [before[0]?.version]);
    await using saver = new PostgresSaver(database.source, new Interrupted());
    await expect(saver.compact({ strict: true })).rejects.toMatchObject({
      code: "BROKEN_CHAIN",
      threadId: "chat",
    });
    expect(await rows()).toEqual(before.slice(1));
  });

  it("is followed by another one for splices that were stored meanwhile", async () => {
    const put = await putChat();
    await using writer = new PostgresSaver(database.source, undefined, { splices: true });
    meanwhile = async () => {
      const tuple = await writer.getTuple(put.config);
      const values = {
        messages: [...((tuple?.checkpoint.channel_values.messages ?? []) as string[]), "more"],
      };
      await putValues(writer, put.config, values, put.checkpoint);
    };
    await using saver = new PostgresSaver(database.source, new Interrupted());
    expect(await saver.expand()).toMatchObject({ values: 4 });
    expect((await rows()).filter(({ base }) => base !== null)).toEqual([]);
  });
});
