import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { type ChannelPlan, eachChannel } from "../../src/compaction/each-channel.js";
import { openDatabase } from "../../src/db/index.js";
import { MsgpackSerializer } from "../../src/serde/index.js";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

const STEPS = 6;

describeServer("what expand and compact report", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterEach(() => saver.end());

  /** Stores chats of different lengths in two namespaces, with a channel of short values. */
  async function putChat(writer: PostgresSaver): Promise<void> {
    for (const ns of ["", "sub"]) {
      const messages = [text(ns === "" ? 8_000 : 9_000)];
      let put = await putValues(writer, threadConfig("chat", { checkpoint_ns: ns }), { messages, count: 0 });
      for (let step = 1; step < STEPS; step++) {
        messages.push(text(ns === "" ? 200 : 300));
        put = await putValues(writer, put.config, { messages: [...messages], count: step }, put.checkpoint);
      }
    }
    await putValues(writer, threadConfig("bare"), {});
    await putValues(writer, threadConfig("other"), { messages: [text(8_000)], count: 0 });
  }

  const storedBytes = async (ns: string, form: "splice" | "whole") => {
    const [row] = await database.query<{ bytes: number }>(
      `select sum(octet_length(blob))::integer as bytes from checkpoint_blobs
        where thread_id = 'chat' and checkpoint_ns = $1 and channel = 'messages' and (base is not null) = $2`,
      [ns, form === "splice"],
    );
    return row?.bytes ?? 0;
  };

  it.each(["compact", "expand"] as const)(
    "%s: each transaction, each thread, and the same as a dry run",
    async (what) => {
      await using spliced = new PostgresSaver(database.source, undefined, { splices: true });
      await putChat(what === "compact" ? saver : spliced);
      const [from, to] = what === "compact" ? (["whole", "splice"] as const) : (["splice", "whole"] as const);
      // The first value of a chat is whole before and after.
      const before = { root: await storedBytes("", from), sub: await storedBytes("sub", from) };
      const first = { root: await storedBytes("", "whole"), sub: await storedBytes("sub", "whole") };
      const threads = ["chat", "other", "none", "chat"];
      const planned = await saver[what]({ threads, dryRun: true });
      expect(await storedBytes("", from)).toBe(before.root);
      const steps: object[] = [];
      const report = await saver[what]({
        threads,
        onProgress: (step) => {
          steps.push(step);
        },
      });
      const after = { root: await storedBytes("", to), sub: await storedBytes("sub", to) };
      const whole = { root: await storedBytes("", "whole"), sub: await storedBytes("sub", "whole") };
      const changed = (ns: "root" | "sub") =>
        what === "compact"
          ? { values: STEPS - 1, bytesBefore: before[ns] - whole[ns], bytesAfter: after[ns] }
          : { values: STEPS - 1, bytesBefore: before[ns], bytesAfter: after[ns] - first[ns] };
      const both = {
        values: 2 * (STEPS - 1),
        bytesBefore: changed("root").bytesBefore + changed("sub").bytesBefore,
        bytesAfter: changed("root").bytesAfter + changed("sub").bytesAfter,
      };
      expect(report).toEqual({ ...both, threads: 1, missing: ["none"], damaged: [], dryRun: false });
      expect(planned).toEqual({ ...report, dryRun: true });
      expect(steps).toEqual([
        { ...changed("root"), threadId: "chat", threadsDone: 0 },
        { ...both, threadId: "chat", threadsDone: 0 },
        { ...both, threadId: "chat", threadsDone: 1 },
        { ...both, threadId: "other", threadsDone: 2 },
        { ...both, threadId: "none", threadsDone: 3 },
      ]);
      expect(await saver[what]()).toMatchObject({ threads: 0, values: 0, missing: [] });
    },
  );

  it("expand: that writers store splices faster than it expands them", async () => {
    await putValues(saver, threadConfig("t"), { a: [1] });
    const policy = { retry: false } as const;
    const call = { database: openDatabase(database.source), schema: "public", policy };
    let looks = 0;
    const plan: ChannelPlan = {
      repeats: true,
      concerns: () => true,
      rewritesOf: () => {
        looks += 1;
        return [];
      },
    };
    const request = { threads: ["t"], strict: false, dryRun: false, onProgress: undefined };
    await expect(eachChannel(call, request, () => new MsgpackSerializer(), plan)).rejects.toMatchObject({
      ...{ code: "DATABASE_ERROR", threadId: "t", transient: true },
      message: expect.stringContaining('thread "t": writers with the option "splices" stored splices faster'),
    });
    expect(looks).toBe(100);
    await call.database.close();
  });

  it.each(["compact", "expand"] as const)(
    "%s: that an isolation level hides concurrent writers (C11)",
    async (what) => {
      await using writer = new PostgresSaver(database.source, undefined, { splices: what === "expand" });
      await putChat(writer);
      const refused = database
        .kysely<CheckpointDatabase>()
        .transaction()
        .setIsolationLevel("repeatable read")
        .execute((transaction) => new PostgresSaver(transaction)[what]());
      await expect(refused).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.stringContaining("expand, compact and sanitize need"),
      });
    },
  );
});
