import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { PostgresSaver, type PostgresSaverOptions, ShallowPostgresSaver } from "../../src/index.js";
import { collect, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { incompressibleText as text, SPLICING_SERIALIZERS } from "../../test-support/spliced-values.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

describeAnyTarget("a saver with splices", (target) => {
  let database: TestDatabase;
  const open: PostgresSaver[] = [];

  const newSaver = (options: PostgresSaverOptions = {}, serde?: SerializerProtocol): PostgresSaver => {
    const saver = new PostgresSaver(database.source, serde, { splices: true, ...options });
    open.push(saver);
    return saver;
  };

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((saver) => saver.end()));
  });

  /** What `verify` finds, except that a parent was pruned. */
  const problemsOf = async (saver: PostgresSaver, thread?: string) =>
    (await saver.verify(thread)).problems.filter(({ kind }) => kind !== "missing-parent");

  const blobs = () =>
    database.query<{ channel: string; version: string; type: string; base: string | null; bytes: number }>(
      `select channel, version, type, base, octet_length(blob) as bytes from checkpoint_blobs
        where type <> 'empty' order by version collate "C"`,
    );

  it.each(SPLICING_SERIALIZERS)(
    "stores each step of a chat in about as many bytes as are new, with %s",
    async (_name, serde) => {
      const saver = newSaver({}, serde);
      const messages = Array.from({ length: 20 }, (_, index) => ({ id: index, text: text(400) }));
      let put = await putValues(saver, threadConfig("chat"), { messages });
      for (let step = 20; step < 36; step++) {
        messages.push({ id: step, text: text(400) });
        put = await putValues(saver, put.config, { messages }, put.checkpoint);
      }
      const rows = await blobs();
      expect(rows).toHaveLength(17);
      expect(rows.filter(({ base }) => base === null)).toHaveLength(1);
      expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(20 * 600 + 16 * 4 * 600);
      const plain = newSaver({ splices: false }, serde);
      for (const reader of [saver, newSaver({}, serde), plain]) {
        expect((await reader.getTuple(threadConfig("chat")))?.checkpoint.channel_values).toEqual({
          messages,
        });
        const tuples = await collect(reader.list(threadConfig("chat")));
        expect(tuples.map(({ checkpoint }) => checkpoint.channel_values.messages)).toEqual(
          Array.from({ length: 17 }, (_, index) => messages.slice(0, 36 - index)),
        );
        expect(await reader.getChannelValues({ threadIds: ["chat"], channel: "messages" })).toEqual(
          new Map([["chat", messages]]),
        );
      }
      expect(await problemsOf(plain)).toEqual([]);
      // Another process that reads the thread continues its chain.
      const other = newSaver({}, serde);
      await other.getTuple(put.config);
      await putValues(
        other,
        put.config,
        { messages: [...messages, { id: 36, text: "more" }] },
        put.checkpoint,
      );
      expect((await blobs()).filter(({ base }) => base === null)).toHaveLength(1);
    },
  );

  it("stores one file of many that changes at each step", async () => {
    const saver = newSaver();
    const files: Record<string, string> = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`file ${index}`, text(1_000)]),
    );
    let put = await putValues(saver, threadConfig("files"), { files });
    for (let step = 0; step < 12; step++) {
      files[`file ${(step * 17) % 40}`] = text(1_000);
      put = await putValues(saver, put.config, { files }, put.checkpoint);
    }
    const spliced = (await blobs()).filter(({ base }) => base !== null);
    expect(spliced).toHaveLength(12);
    expect(spliced.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(12 * 4 * 1_100);
    expect((await newSaver().getTuple(put.config))?.checkpoint.channel_values).toEqual({ files });
  });

  it("gives back every value, whatever is edited and whoever writes", async () => {
    const action = fc.record({
      kind: fc.constantFrom("append", "append", "change", "trim", "mutate", "grow", "replace all"),
      at: fc.nat(),
      size: fc.integer({ min: 1, max: 2_500 }),
      // The saver of the next step: the same one, one that remembers nothing, one that stores whole values.
      writer: fc.constantFrom("same", "same", "same", "new", "small memory", "whole"),
      from: fc.constantFrom("head", "head", "head", "fork"),
      reads: fc.boolean(),
      rewritten: fc.constantFrom(undefined, undefined, undefined, "expand" as const, "compact" as const),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        const thread = `random ${run++}`;
        const savers = {
          same: newSaver(),
          new: newSaver(),
          "small memory": newSaver({ spliceMemoryBytes: 12_000 }),
          whole: newSaver({ splices: false }),
        };
        const history: { config: RunnableConfig; checkpoint: Checkpoint; expected: string }[] = [];
        const state = { list: [{ text: text(6_000) }], notes: text(5_000) };
        const first = await putValues(savers.same, threadConfig(thread), state);
        history.push({ ...first, expected: JSON.stringify(state) });
        for (const { kind, at, size, writer, from, reads, rewritten } of actions) {
          const parent = from === "head" ? history.at(-1) : history[at % history.length];
          if (parent === undefined) throw new Error("no parent");
          const saver = writer === "new" ? newSaver() : savers[writer];
          if (reads) await saver.getTuple(parent.config);
          const next = JSON.parse(parent.expected) as typeof state;
          edit(next, kind, at, size);
          const values = kind === "grow" ? { notes: next.notes } : { list: next.list };
          const checkpoint = await putState(saver, parent, next, Object.keys(values));
          history.push({ ...checkpoint, expected: JSON.stringify(next) });
          if (rewritten !== undefined) await savers.whole[rewritten]({ threads: [thread] });
          // The caller goes on with its own objects.
          for (const each of next.list) each.text = "changed after the put";
        }
        for (const reader of [newSaver(), savers.whole]) {
          for (const { config, expected } of history) {
            const tuple = await reader.getTuple(config);
            expect(JSON.stringify(sorted(tuple?.checkpoint.channel_values))).toBe(expected);
          }
        }
        expect(await problemsOf(savers.whole, thread)).toEqual([]);
        await savers.whole.prune({ keepLast: 1, threads: [thread] });
        const head = history.at(-1);
        const tuple = await savers.whole.getTuple(threadConfig(thread));
        expect(JSON.stringify(sorted(tuple?.checkpoint.channel_values))).toBe(head?.expected);
        expect(await problemsOf(savers.whole, thread)).toEqual([]);
      }),
      { seed: 16, numRuns: 12 },
    );
  });

  it("keeps only the chain of the newest values in a shallow saver", async () => {
    const saver = new ShallowPostgresSaver(database.source, undefined, { splices: true });
    const list = [text(6_000)];
    let put = await putValues(saver, threadConfig("shallow"), { list });
    for (let step = 0; step < 20; step++) {
      list.push(text(200));
      put = await putValues(saver, put.config, { list }, put.checkpoint);
    }
    const rows = await blobs();
    expect(rows.length).toBeLessThan(7);
    expect(rows.some(({ base }) => base !== null)).toBe(true);
    expect((await newSaver().getTuple(threadConfig("shallow")))?.checkpoint.channel_values).toEqual({ list });
    await saver.end();
  });

  it.each(SPLICING_SERIALIZERS)(
    "copies, forks, exports and imports threads with their chains, with %s",
    async (_name, serde) => {
      const saver = newSaver({}, serde);
      const list = [text(6_000)];
      let put = await putValues(saver, threadConfig("source"), { list });
      for (let step = 0; step < 9; step++) {
        list.push(text(200));
        put = await putValues(saver, put.config, { list }, put.checkpoint);
      }
      const values = { list };
      await saver.copyThread("source", "copy");
      const lines = await collect(saver.exportThreads({ threads: ["source"] }));
      await saver.prune({ keepLast: 1 });
      const pruned = await collect(saver.exportThreads({ threads: ["source"] }));
      const reader = newSaver({ splices: false }, serde);
      for (const [backup, checkpoints] of [
        [lines, 10],
        [pruned, 1],
      ] as const) {
        await saver.deleteThread("source");
        expect(await saver.importThreads(backup)).toMatchObject({ checkpoints });
        expect((await reader.getTuple(threadConfig("source")))?.checkpoint.channel_values).toEqual(values);
        // The rows of a checkpoint come in any order, and the last line has a checksum of all lines.
        const again = await collect(saver.exportThreads({ threads: ["source"] }));
        expect(again.slice(0, -1).sort()).toEqual(backup.slice(0, -1).sort());
      }
      expect((await reader.getTuple(threadConfig("copy")))?.checkpoint.channel_values).toEqual(values);
      const copied = await database.query(
        "select base from checkpoint_blobs where thread_id = 'copy' and base is not null",
      );
      expect(copied.length).toBeGreaterThan(0);
      expect(await problemsOf(reader)).toEqual([]);
    },
  );

  it("stores a value whole where its base was deleted after it was read", async () => {
    const saver = newSaver();
    const list = [text(6_000), text(500)];
    const put = await putValues(saver, threadConfig("base"), { list });
    await database.query("delete from checkpoint_blobs");
    const next = await putValues(saver, put.config, { list: [...list, text(100)] }, put.checkpoint);
    expect((await blobs()).map(({ base }) => base)).toEqual([null]);
    expect((await newSaver().getTuple(next.config))?.checkpoint.channel_values.list).toHaveLength(3);
  });

  it("stores a value whole where its base got another form after it was read", async () => {
    const saver = newSaver();
    const list = [text(6_000), text(500)];
    const first = await putValues(saver, threadConfig("base"), { list });
    const put = await putValues(saver, first.config, { list: [...list, text(100)] }, first.checkpoint);
    // The same version and other bytes, as after the thread was copied with `reencode`.
    const longer = "update checkpoint_blobs set blob = blob || '\\xc0' where version = $1";
    await database.query(longer, [first.checkpoint.channel_versions.list]);
    const next = await putValues(saver, put.config, { list: [...list, text(50), text(60)] }, put.checkpoint);
    expect((await newSaver().getTuple(next.config))?.checkpoint.channel_values.list).toHaveLength(4);
    expect((await blobs()).filter(({ base }) => base === null)).toHaveLength(2);
  });

  async function putState(
    saver: PostgresSaver,
    parent: { readonly config: RunnableConfig; readonly checkpoint: Checkpoint },
    state: Record<string, unknown>,
    changed: readonly string[],
  ) {
    const { checkpoint } = parent;
    const versions = Object.fromEntries(
      changed.map((channel) => [
        channel,
        saver.getNextVersion(checkpoint.channel_versions[channel] as number | undefined),
      ]),
    );
    const next: Checkpoint = {
      ...checkpoint,
      id: nextId(),
      channel_values: state,
      channel_versions: { ...checkpoint.channel_versions, ...versions },
    };
    const config = await saver.put(parent.config, next, { source: "loop", step: 0, parents: {} }, versions);
    return { config, checkpoint: next };
  }
});

function edit(
  state: { list: { text: string }[]; notes: string },
  kind: string,
  at: number,
  size: number,
): void {
  const { list } = state;
  const place = at % list.length;
  if (kind === "append") list.push({ text: text(size) });
  else if (kind === "change") list[place] = { text: text(size) };
  else if (kind === "trim" && list.length > 1) list.splice(0, 1 + (place % 2));
  else if (kind === "mutate") for (const each of list.slice(place, place + 2)) each.text += text(size);
  else if (kind === "grow") state.notes += text(size);
  else if (kind === "replace all") state.list = [{ text: text(7_000) }];
}

function sorted(values: Record<string, unknown> = {}): unknown {
  return { list: values.list, notes: values.notes };
}
