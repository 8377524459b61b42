import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import type { ListedThreads, ThreadsQuery } from "../../src/inspector/api/threads.js";
import { sql } from "kysely";
import { isReadable, jsonWords, storedWords } from "../../src/db/stored-words.js";
import { openDatabase } from "../../src/db/index.js";
import { createOptionalIndexes, dropOptionalIndexes } from "../../src/migrations/index.js";
import { AesGcmSerializer, JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { checkpointOf, metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const KEY = Buffer.alloc(32, 7);

describeAnyTarget("the search in the texts of threads", (target) => {
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  let database: TestDatabase;

  async function withSaver(
    options: ConstructorParameters<typeof PostgresSaver>[2],
    serde: ConstructorParameters<typeof PostgresSaver>[1],
    put: (own: PostgresSaver) => Promise<unknown>,
  ): Promise<void> {
    const own = new PostgresSaver(database.source, serde, options);
    await put(own);
    await own.end();
  }

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    calls = new InspectorCalls(saver);
    const messages = [
      new HumanMessage("Where is my order?"),
      new AIMessage("It came late: Überweisung folgt."),
    ];
    await putValues(saver, threadConfig("a message"), { messages });
    await putValues(saver, threadConfig("b header"), { topic: 'the order "late"\nand more' });
    await withSaver({}, new JsonSerializer(), (own) =>
      putValues(own, threadConfig("c json"), { deep: { list: [1, { note: "a\nlate ORDER, 退款单" }] } }),
    );
    await withSaver({ splices: true }, undefined, async (own) => {
      const text = (end: string) => ({ draft: [`${"x ".repeat(3_000)}beginning`, end] });
      const first = await putValues(own, threadConfig("d spliced"), text("nothing"));
      await putValues(own, first.config, text("the late order"), first.checkpoint);
    });
    await withSaver(
      {},
      new AesGcmSerializer(new MsgpackSerializer(), { keys: [{ id: "1", key: KEY }] }),
      (own) => putValues(own, threadConfig("e secret"), { note: ["late order"] }),
    );
    const failed = await putValues(saver, threadConfig("f failed"), {
      "branch:to:ask": null,
      note: ["none"],
    });
    await saver.putWrites(
      failed.config,
      [["__error__", { name: "Error", message: "connect ECONNREFUSED" }]],
      "1",
    );
    const waits = await putValues(saver, threadConfig("g waits"), { "branch:to:ask": null });
    await saver.putWrites(
      waits.config,
      [["__interrupt__", [{ id: "1", value: "May I refund the order?" }]]],
      "1",
    );
    // In an older version only.
    const old = await putValues(saver, threadConfig("h was"), { note: ["late order"] });
    await putValues(saver, old.config, { note: ["done"] }, old.checkpoint);
    const email = metadataOf(0, { user_email: "ada@example.com", account: 4711 });
    await saver.put(threadConfig("j customer"), checkpointOf(saver, {}), email, {});
    // The newest checkpoint is that of a subgraph.
    await putValues(saver, threadConfig("i subgraph"), { note: ["a late order"] });
    await putValues(saver, threadConfig("i subgraph", { checkpoint_ns: "sub:1" }), { inner: ["nothing"] });
  });
  afterAll(() => saver.end());

  const find = (text: string, query: ThreadsQuery = {}): Promise<ListedThreads> =>
    calls.read("threads", { search: text, ...query });
  const idsOf = ({ threads }: ListedThreads): readonly string[] =>
    threads.map(({ threadId }) => threadId.slice(0, 1)).sort();

  describe.each([
    ["without an index", () => Promise.resolve()],
    [
      "with the index",
      async () => {
        const { kysely } = openDatabase(database.source);
        await createOptionalIndexes(kysely, { indexes: ["text-index"] });
        await kysely.destroy();
      },
    ],
  ])("%s", (name, prepare) => {
    beforeAll(() => prepare());

    it.each([
      ['"late order"', "cdi"],
      ["late order", "abcdi"],
      ["order LATE my", "a"],
      ["LATE", "abcdi"],
      ["order", "abcdgi"],
      // From the beginning of a word on.
      ["rder", ""],
      ["überweis", "a"],
      ["款", "c"],
      ["late waits", ""],
      // An id, and another one beside a text.
      ["waits", "g"],
      ["subgra order", "i"],
      ["beginning", "d"],
      ["econnref", "f"],
      ["may i refund", "g"],
      // In metadata: whole, a part, and beside an id.
      ["ada@example.com", "j"],
      ["EXAMPLE 4711 cust", "j"],
      ["none such", ""],
      ["???", ""],
    ])("finds %s", async (text, threads) => {
      expect(idsOf(await find(text)).join("")).toBe(threads);
    });

    it("shows what is around it, and where it is", async () => {
      const shown = async (text: string) => (await find(text)).threads[0]?.found;
      expect(await shown('"came late"')).toMatchObject({
        ...{ kind: "value", threadId: "a message", channel: "messages", isMessage: true },
        ...{ before: "It ", match: "came late", after: ": Überweisung folgt.", label: "[1].content" },
      });
      expect(await shown('"late ord"')).toMatchObject({ before: expect.any(String), match: "late ord" });
      expect(await shown('"late ORDER,"')).toMatchObject({ channel: "deep", label: "list[1].note" });
      expect(await shown("ECONN")).toMatchObject({ kind: "error", before: "Error: connect " });
      expect(await shown("ada@")).toMatchObject({ kind: "metadata", label: "user_email", match: "ada@" });
      expect(await shown("refund")).toMatchObject({ kind: "question", before: "May I " });
    });

    it("obeys the other conditions, and follows the cursor", async () => {
      expect(idsOf(await find("order", { state: "interrupted" }))).toEqual(["g"]);
      expect(idsOf(await find("order json"))).toEqual(["c"]);
      expect(idsOf(await find("order", { filter: { source: "none" } }))).toEqual([]);
      expect(idsOf(await find("order", { since: Date.now() + 60_000 }))).toEqual([]);
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await find("order", { limit: 2, after });
        found.push(...idsOf(page));
        after = page.next;
      } while (after !== undefined);
      expect(found.sort().join("")).toBe("abcdgi");
    });

    it("says how many threads it has looked at, and how many it can't read", async () => {
      const page = await find('"late order"');
      // The encrypted values have no words.
      expect(page).toMatchObject(
        name === "with the index" ? { looked: 6, byWords: true } : { looked: 10, unread: 1 },
      );
      expect(page.next).toBeUndefined();
    });
  });

  it("lists threads first that have a text as metadata, by the index of metadata", async () => {
    const { kysely } = openDatabase(database.source);
    await dropOptionalIndexes(kysely, { indexes: ["text-index"] });
    await putValues(saver, threadConfig("k mentions"), { note: ["ada@example.com, 4711"] });
    const found = async (text: string) => (await find(text)).threads.map(({ threadId }) => threadId);
    expect(await found("ada@example.com")).toEqual(["k mentions", "j customer"]);
    await createOptionalIndexes(kysely, { indexes: ["metadata-index"] });
    expect(await found("ada@example.com")).toEqual(["j customer", "k mentions"]);
    expect(await found("4711")).toEqual(["j customer", "k mentions"]);
    await saver.deleteThread("k mentions");
    await createOptionalIndexes(kysely, { indexes: ["text-index"] });
    await kysely.destroy();
  });

  it("reads the index, and no whole table", async () => {
    const { kysely } = openDatabase(database.source);
    const query = sql`to_tsquery('simple', 'late')`;
    const plans = await kysely.transaction().execute(async (transaction) => {
      await sql`set local enable_seqscan = off`.execute(transaction);
      const sources = [
        sql`checkpoint_blobs where ${storedWords(sql`blob`)} @@ ${query} and ${isReadable}`,
        sql`checkpoints where ${jsonWords(sql`checkpoint -> 'channel_values'`)} @@ ${query}`,
        sql`checkpoint_writes where ${storedWords(sql`blob`)} @@ ${query} and channel in ('__error__', '__interrupt__') and ${isReadable}`,
      ];
      const explained = sources.map((source) => sql`explain select from ${source}`.execute(transaction));
      return (await Promise.all(explained)).map(({ rows }) => JSON.stringify(rows));
    });
    await kysely.destroy();
    expect(plans.map((plan) => /(checkpoint\w*text_idx)/.exec(plan)?.[1])).toEqual([
      "checkpoint_blobs_text_idx",
      "checkpoint_text_idx",
      "checkpoint_writes_text_idx",
    ]);
  });

  it("lists threads with activity since a time", async () => {
    const since = async (time: number, query: ThreadsQuery = {}) =>
      (await calls.read("threads", { since: time, ...query })).threads.length;
    expect([await since(1), await since(Date.now() + 60_000)]).toEqual([10, 0]);
    expect([
      await since(1, { state: "failed" }),
      await since(Date.now() + 60_000, { state: "failed" }),
    ]).toEqual([1, 0]);
  });
});
