import { expect, it } from "@jest/globals";
import type { Conversation, ConversationQuery } from "../../src/conversations/index.js";
import { ConversationNotFoundError, PostgresConversations } from "../../src/conversations/index.js";
import { InvalidConfigError, PostgresSaver, ThreadDeletedError } from "../../src/index.js";
import { describeEachTarget, onOneServer } from "../../test-support/targets.js";
import { putCheckpoint, useConversations } from "./opened.js";

describeEachTarget("conversations", (target) => {
  const suite = useConversations(target);

  const found = async (query: ConversationQuery = {}) => {
    const results: { thread: Conversation; total: number }[] = [];
    for await (const each of suite.threads.search(query)) results.push(each);
    return results;
  };
  const ids = async (query?: ConversationQuery) => (await found(query)).map(({ thread }) => thread.thread_id);
  /** Makes the times of conversations those of these days. */
  const make = async (days: Record<string, number>, metadata: Record<string, unknown> = {}) => {
    for (const [id, day] of Object.entries(days)) {
      await suite.threads.set(id, { kind: "put", metadata });
      await suite.database.exec(`update checkpoint_conversations
        set created_at = '2026-01-0${day}', updated_at = '2026-02-0${day}' where thread_id = '${id}'`);
    }
  };

  it("are put whole, patched by keys, and read back", async () => {
    const { threads } = suite;
    const put = await threads.set("t", { kind: "put", metadata: { title: "Rome", tags: ["a"], n: 1 } });
    expect(put).toMatchObject({ thread_id: "t", metadata: { title: "Rome", tags: ["a"], n: 1 } });
    const patched = await threads.set("t", { kind: "patch", metadata: { title: "Naples", at: new Date(0) } });
    const metadata = { title: "Naples", tags: ["a"], n: 1, at: "1970-01-01T00:00:00.000Z" };
    expect(patched).toEqual({ ...put, metadata, updated_at: patched.updated_at });
    expect(await threads.get("t")).toEqual(patched);
    expect((await threads.set("t", { kind: "put" })).metadata).toEqual({});
    expect((await threads.get("t")).created_at).toEqual(put.created_at);
  });

  it("are missing with an error that a server answers with 404", async () => {
    const { threads } = suite;
    const missing = { code: "CONVERSATION_NOT_FOUND", threadId: "none" };
    await expect(threads.get("none")).rejects.toMatchObject(missing);
    await expect(threads.set("none", { kind: "patch", metadata: {} })).rejects.toMatchObject(missing);
    await expect(threads.touch("none")).rejects.toMatchObject(missing);
    expect(new ConversationNotFoundError("none").getResponse().status).toBe(404);
    expect(await found()).toEqual([]);
  });

  it.each([
    ["a title that is no text", { title: 7 }, "options.metadata.title"],
    ["an owner that no index holds", { owner: "a".repeat(2_001) }, "options.metadata.owner"],
    ["U+0000", { note: "a\0" }, "options.metadata"],
    ["half a surrogate pair", { "\ud800": 1 }, "options.metadata"],
    ["what JSON lacks", { n: 1n }, "options.metadata"],
    ["a list", [], "options.metadata"],
  ])("refuse metadata with %s", async (_, metadata, field) => {
    const change = suite.threads.set("t", { kind: "put", metadata: metadata as Record<string, unknown> });
    await expect(change).rejects.toMatchObject({ code: "INVALID_CONFIG", field });
  });

  it("keep the longest owner, and metadata that only looks like what JSONB can't hold", async () => {
    const metadata = { note: "\\u0000 \\\\ud800 😀", owner: "a".repeat(2_000) };
    expect((await suite.threads.set("t", { kind: "put", metadata })).metadata).toEqual(metadata);
  });

  it("are found by owner, contained metadata and a text in the title", async () => {
    const { threads } = suite;
    await threads.set("1", {
      kind: "put",
      metadata: { owner: "alice", title: "100% Rome_", a: { b: 1, c: 2 } },
    });
    await threads.set("2", { kind: "put", metadata: { owner: "alice", title: "Naples" } });
    await threads.set("3", { kind: "put", metadata: { owner: "bob", title: "ROME", a: { b: 1 } } });
    expect((await ids({ metadata: { owner: "alice" } })).sort()).toEqual(["1", "2"]);
    expect((await ids({ metadata: { a: { b: 1 } } })).sort()).toEqual(["1", "3"]);
    expect(await ids({ metadata: { owner: "alice", a: { b: 1 } } })).toEqual(["1"]);
    expect((await ids({ title: "rome" })).sort()).toEqual(["1", "3"]);
    expect(await ids({ title: "0% r" })).toEqual(["1"]);
    expect(await ids({ title: "e_", metadata: { owner: "alice" } })).toEqual(["1"]);
    await threads.set("4", { kind: "put", metadata: { owner: null } });
    expect(await ids({ metadata: { owner: null } })).toEqual(["4"]);
  });

  it("are listed in pages, by either time and in either order, each once", async () => {
    await make({ d: 4, b: 2, c: 3, e: 4, a: 1 });
    const pages = async (query: ConversationQuery) => {
      const seen: string[] = [];
      let after: Conversation | undefined;
      do {
        const page = await found({ ...query, after, limit: 2 });
        after = page.at(-1)?.thread;
        seen.push(...page.map(({ thread }) => thread.thread_id));
      } while (after !== undefined);
      return seen;
    };
    const ascending = ["a", "b", "c", "d", "e"];
    for (const sortBy of ["created_at", "updated_at"] as const) {
      expect(await pages({ sortBy, sortOrder: "asc" })).toEqual(ascending);
      expect(await pages({ sortBy })).toEqual(ascending.toReversed());
    }
    expect(await ids({ limit: 2, offset: 1 })).toEqual(["d", "c"]);
  });

  it("are counted only when asked; otherwise the total says whether there are more", async () => {
    await make({ a: 1, b: 2, c: 3 }, { owner: "alice" });
    const totals = async (query: ConversationQuery) => (await found(query)).map(({ total }) => total);
    expect(await totals({ limit: 1 })).toEqual([2]);
    expect(await totals({ limit: 2, offset: 1 })).toEqual([3, 3]);
    expect(await totals({ limit: 1, exactTotal: true, metadata: { owner: "alice" } })).toEqual([3]);
  });

  onOneServer("it has no triggers", it)(
    "are updated by each checkpoint of the root graph, and by nothing else of a run",
    async () => {
      const { threads, saver } = suite;
      await make({ a: 1, b: 1 });
      const { updated_at: before } = await threads.get("a");
      await putCheckpoint(saver, "a", "sub|1");
      expect((await threads.get("a")).updated_at).toEqual(before);
      await putCheckpoint(saver, "a");
      const { updated_at: after, created_at } = await threads.get("a");
      expect(after.getTime()).toBeGreaterThan(before.getTime());
      expect(created_at).toEqual(new Date("2026-01-01"));
      expect((await threads.get("b")).updated_at).toEqual(before);
      await threads.touch("b");
      expect(await ids({ limit: 1 })).toEqual(["b"]);
    },
  );

  it("are deleted with their threads, by either class, and before a thread has a checkpoint", async () => {
    const { threads, saver } = suite;
    for (const id of ["1", "2", "3", "4", "5"]) await threads.set(id, { kind: "put" });
    for (const id of ["1", "2", "3", "4"]) await putCheckpoint(saver, id);
    await threads.delete("1");
    await saver.deleteThread("2");
    await saver.batch((batch) => {
      void batch.deleteThread("3");
      void batch.deleteThread("5");
    });
    await threads.delete("none");
    expect(await ids()).toEqual(["4"]);
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["4"]);
  });

  it("stay deleted where the savers keep tombstones", async () => {
    const { database } = suite;
    await using keeping = new PostgresConversations(database.source, { keepTombstones: true });
    await using saver = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    await keeping.set("t", { kind: "put" });
    await keeping.delete("t");
    for (const kind of ["put", "patch"] as const)
      await expect(keeping.set("t", { kind })).rejects.toThrow(ThreadDeletedError);
    await expect(putCheckpoint(saver, "t")).rejects.toThrow(ThreadDeletedError);
    await saver.liftTombstones(["t"]);
  });

  it("refuse an empty id and an option that they don't know", async () => {
    await expect(suite.threads.get("")).rejects.toThrow(InvalidConfigError);
    await expect(found({ owner: "alice" } as ConversationQuery)).rejects.toThrow(InvalidConfigError);
  });
});
