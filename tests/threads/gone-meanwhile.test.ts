import { beforeEach, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { verify } from "../../src/audit/verify.js";
import { exportThreads } from "../../src/backup/export-threads.js";
import { compact } from "../../src/compaction/compact.js";
import { expand } from "../../src/compaction/expand.js";
import type { CallContext } from "../../src/db/call-context.js";
import { openDatabase } from "../../src/db/index.js";
import type { BoundStatement } from "../../src/db/statements/statement.js";
import { PostgresSaver } from "../../src/index.js";
import { sanitize } from "../../src/sanitize/sanitize.js";
import { MsgpackSerializer } from "../../src/serde/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { OldMsgpackSerializer } from "../sanitize/old-messages.js";

const serde = new MsgpackSerializer();
/** Writes of this length are read in a statement of their own, in pieces. */
const LONG_WRITE = 70_000;

describeAnyTarget("what is deleted or replaced while a call goes through all threads", (target) => {
  let database: TestDatabase;
  /** In their order in the database. */
  let [first, second] = ["", ""];

  beforeEach(async () => {
    database = await target.sharedDatabase();
    [first, second] = [newThread(), newThread()];
  });

  /** A message whose text a node replaced after it was built. */
  const redacted = (id: string, length: number) =>
    Object.assign(new AIMessage({ id, content: text(length) }), { content: "[redacted]" });

  async function put(saver: PostgresSaver, thread: string) {
    const { config } = await putValues(saver, threadConfig(thread), { messages: [redacted("a", 500)] });
    await saver.putWrites(config, [["messages", [redacted("b", LONG_WRITE)]]], "task");
  }

  /** Makes a call of small pieces, which does something else before it sends the statement. */
  async function beside<T>(
    isMeant: (statement: BoundStatement<unknown>) => boolean,
    meanwhile: () => Promise<unknown>,
    run: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    const opened = openDatabase(database.source);
    let isDone = false;
    const limits = { pieceBytes: 64, statementBytes: 10_000 };
    const call: CallContext = {
      database: {
        ...opened,
        execute: async (statement, context) => {
          if (!isDone && isMeant(statement)) {
            isDone = true;
            await meanwhile();
          }
          return opened.execute(statement, context);
        },
      },
      schema: "public",
      policy: { retry: false, limits },
    };
    try {
      const result = await run(call);
      expect(isDone).toBe(true);
      return result;
    } finally {
      await opened.close();
    }
  }

  const isPieceOf = (table: string) => (statement: BoundStatement<unknown>) =>
    statement.sql.includes("substring(") && statement.sql.includes(table);
  const deleteFirst = () =>
    database.exec(`delete from checkpoint_blobs where thread_id = '${first}';
    delete from checkpoint_writes where thread_id = '${first}'; delete from checkpoints where thread_id = '${first}'`);

  const whole = { threads: undefined, strict: false, dryRun: false, onProgress: undefined };

  it.each([
    ["checkpoint_blobs", { threads: 1, values: 2 }],
    ["checkpoint_writes", { threads: 2, values: 3 }],
  ])("is skipped by sanitize, where %s are read, and not counted", async (table, counts) => {
    await using old = new PostgresSaver(database.source, new OldMsgpackSerializer());
    await put(old, first);
    await put(old, second);
    const report = await beside(isPieceOf(table), deleteFirst, (call) => sanitize(call, whole, () => serde));
    expect(report).toMatchObject(counts);
    await using saver = new PostgresSaver(database.source);
    expect(await saver.sanitize()).toMatchObject({ values: 0 });
  });

  it.each(["checkpoint_blobs", "checkpoint_writes"])("is read again by sanitize, from %s", async (table) => {
    await using old = new PostgresSaver(database.source, new OldMsgpackSerializer());
    await put(old, first);
    const replace = () => database.exec(`update ${table} set blob = blob`);
    const report = await beside(isPieceOf(table), replace, (call) => sanitize(call, whole, () => serde));
    expect(report).toMatchObject({ threads: 1, values: 2 });
  });

  it("is not counted by sanitize, where it was deleted before it was stored", async () => {
    await using old = new PostgresSaver(database.source, new OldMsgpackSerializer());
    await put(old, first);
    const isUpdate = ({ sql }: BoundStatement<unknown>) => /^update .*checkpoint_writes/.test(sql);
    const report = await beside(isUpdate, deleteFirst, (call) => sanitize(call, whole, () => serde));
    expect(report).toMatchObject({ threads: 1, values: 1 });
  });

  it("is skipped by compact and expand that only count", async () => {
    await using saver = new PostgresSaver(database.source, undefined, { splices: true });
    const chat = async (thread: string) => {
      const messages = [text(5_000)];
      let put = await putValues(saver, threadConfig(thread), { messages });
      for (let step = 1; step < 3; step++) {
        messages.push(text(100));
        put = await putValues(saver, put.config, { messages }, put.checkpoint);
      }
    };
    await chat(first);
    await chat(second);
    const isPiece = isPieceOf("checkpoint_blobs");
    const counted = { ...whole, dryRun: true };
    const expanded = await beside(isPiece, deleteFirst, (call) => expand(call, counted, () => serde));
    expect(expanded).toMatchObject({ threads: 1, values: 2 });
    await chat(first);
    await saver.expand();
    const compacted = await beside(isPiece, deleteFirst, (call) => compact(call, counted, () => serde));
    expect(compacted).toMatchObject({ threads: 1, values: 2 });
  });

  it("is no problem for verify", async () => {
    await using saver = new PostgresSaver(database.source);
    for (const thread of [first, second]) {
      await putValues(saver, threadConfig(thread), { text: [text(LONG_WRITE)] });
    }
    const request = { threadId: undefined, onProgress: undefined };
    const isPiece = isPieceOf("checkpoint_blobs");
    const { problems } = await beside(isPiece, deleteFirst, (call) => verify(call, request, serde));
    expect(problems).toEqual([]);
  });

  it.each(["checkpoint_blobs", "checkpoint_writes"])(
    "is left out of a backup, and not what follows it in %s without a checkpoint",
    async (table) => {
      await using saver = new PostgresSaver(database.source);
      const put = await putValues(saver, threadConfig(first), { a: [text(500)], b: [text(500)] });
      const writes: [string, unknown][] = [
        ["a", [text(500)]],
        ["b", [text(500)]],
      ];
      await saver.putWrites(put.config, writes, "task");
      await database.exec("delete from checkpoints");
      const lines = await beside(
        isPieceOf(table),
        () => database.exec(`delete from ${table} where channel = 'a'`),
        (call) => collect(exportThreads(call, { threads: undefined, since: undefined })),
      );
      const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(rows.filter((row) => row.table === table).map(({ channel }) => channel)).toEqual(["b"]);
    },
  );
});
