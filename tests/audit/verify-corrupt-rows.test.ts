import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import {
  checkpointOf,
  metadataOf,
  newThread,
  nextId,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { CORRUPT_ROWS, type CorruptRow } from "../saver/bad-input/corrupt-rows.js";
import { DAMAGED_ROWS, type DamagedRow } from "./damaged-rows.js";

const KINDS = {
  header: "corrupt-header",
  value: "undecodable-value",
  write: "undecodable-write",
  send: "undecodable-write",
} as const;

describeAnyTarget("verify finds corrupt rows", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false, splices: true });
    // Whoever damages rows may drop what prevents it.
    await database.exec("alter table checkpoint_writes alter task_path drop not null");
  });
  afterAll(() => saver.end());

  const errorsOf = async (thread: string) =>
    (await saver.verify(thread)).problems.filter(({ severity }) => severity === "error");

  it.each(CORRUPT_ROWS)("$what", async ({ damaged, set }: CorruptRow) => {
    const thread = newThread();
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), {
      messages: ["hello"],
      step: [1],
    });
    await saver.putWrites(config, [["messages", ["written"]], ["__pregel_tasks", ["sent"]]], nextId()); // oxfmt-ignore
    await putValues(saver, config, { draft: ["…"], step: [2] }, checkpoint);
    expect((await saver.verify(thread)).problems).toEqual([]);

    const where = {
      header: `checkpoints set ${set} where checkpoint_id = $2`,
      value: `checkpoint_blobs set ${set} where channel = 'messages' and $2 <> ''`,
      write: `checkpoint_writes set ${set} where channel = 'messages' and checkpoint_id = $2`,
      send: `checkpoint_writes set ${set} where channel = '__pregel_tasks' and checkpoint_id = $2`,
    };
    await database.query(`update ${where[damaged]} and thread_id = $1`, [thread, checkpoint.id]);
    const { problems } = await saver.verify(thread);
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([
      { kind: KINDS[damaged], threadId: thread, checkpointNs: "" },
    ]);
    // The values that only a header references which can't be read are no problems of their own.
    expect(problems.map(({ kind }) => kind)).not.toContain("stray-blob");
  });

  /** Stores a checkpoint with writes and its child, whose list is a splice of that of its parent, in a namespace. */
  async function family(thread = newThread(), checkpoint_ns = "") {
    const list = [text(6_000)];
    const parent = await putValues(saver, threadConfig(thread, { checkpoint_ns }), { list, draft: ["…"] });
    await saver.putWrites(parent.config, [["list", ["w"]], [INTERRUPT, []]], "task"); // oxfmt-ignore
    const child = await putValues(saver, parent.config, { list: [...list, "b"] }, parent.checkpoint);
    return { thread, parent: parent.checkpoint, child: child.checkpoint, last: child };
  }

  it.each(DAMAGED_ROWS)("$kind: $damaged $set", async ({ kind, damaged, set, text: reason }: DamagedRow) => {
    const { thread, parent, child } = await family(newThread(), "sub:1");
    const [draft, list] = [String(parent.channel_versions.draft), String(child.channel_versions.list)];
    const { damage, key } = {
      header: { damage: `checkpoints set ${set} where checkpoint_id = $2`, key: parent.id },
      value: { damage: `checkpoint_blobs set ${set} where channel = 'draft' and version = $2`, key: draft },
      splice: { damage: `checkpoint_blobs set ${set} where base is not null and version = $2`, key: list },
      write: { damage: `checkpoint_writes set ${set} where channel = 'list' and checkpoint_id = $2`, key: parent.id }, // oxfmt-ignore
      interrupt: {
        damage: `checkpoint_writes set ${set} where idx = -3 and checkpoint_id = $2`,
        key: parent.id,
      },
    }[damaged];
    const [row = {}] = await database.query<Record<string, string | number>>(
      `update ${damage} and thread_id = $1 returning *`,
      [thread, key],
    );
    const { checkpoint_id, channel, version, task_id, idx } = row;
    const places = {
      header: `checkpoint "${String(checkpoint_id)}"`,
      value: `channel "draft", version "${draft}"`,
      splice: `channel "list", version "${list}"`,
      write: `checkpoint "${String(checkpoint_id)}", channel "list", task "${String(task_id)}", idx ${String(idx)}`,
      interrupt: `checkpoint "${String(checkpoint_id)}", channel "${INTERRUPT}", task "task", idx ${String(idx)}`,
    };
    const found = await errorsOf(thread);
    const bytes = /has (\d+) bytes/.exec(found[0]?.message ?? "")?.[1] ?? "";
    const ending = reason.replace("<id>", parent.id).replace("<bytes>", bytes);
    expect(found).toEqual([
      {
        ...{ kind, severity: "error", threadId: thread, checkpointNs: "sub:1" },
        ...(checkpoint_id !== undefined && { checkpointId: checkpoint_id }),
        ...(channel !== undefined && { channel }),
        ...(version !== undefined && { version }),
        ...(task_id !== undefined && { taskId: task_id, idx }),
        message: `thread "${thread}", namespace "sub:1", ${places[damaged]}: ${ending}`,
      },
    ]);
  });

  it("names one line for each cause: the splices of a damaged value are counted", async () => {
    const { thread, parent, last } = await family();
    let { config, checkpoint } = last;
    for (const item of ["c", "d", "e"]) {
      const list = [...(checkpoint.channel_values.list as string[]), item];
      ({ config, checkpoint } = await putValues(saver, config, { list }, checkpoint));
    }
    const version = String(parent.channel_versions.list);
    const cut = "update checkpoint_blobs set blob = '\\xc1' where thread_id = $1 and version = $2";
    await database.query(`${cut} and channel = 'list'`, [thread, version]);
    expect(await errorsOf(thread)).toMatchObject([
      {
        ...{ kind: "undecodable-value", channel: "list", version, dependents: 4 },
        message: expect.stringMatching(/; 4 other rows have the same cause$/),
      },
    ]);
    await database.query("delete from checkpoint_blobs where thread_id = $1 and version = $2", [
      thread,
      version,
    ]);
    expect((await errorsOf(thread)).filter(({ kind }) => kind === "broken-chain")).toMatchObject([
      { channel: "list", dependents: 3 },
    ]);
  });

  it("names parents in the metadata that are not stored, once each, as notices", async () => {
    const { thread, parent } = await family();
    const gone = nextId();
    for (const step of [0, 1]) {
      const checkpoint = checkpointOf(saver, {});
      const parents = { "": parent.id, outer: gone };
      const config = threadConfig(thread, { checkpoint_ns: `inner:${step}` });
      await saver.put(config, checkpoint, metadataOf(step, { parents }), {});
    }
    expect((await saver.verify(thread)).problems).toMatchObject([
      {
        ...{ kind: "missing-parent", severity: "notice", checkpointNs: "inner:0", dependents: 1 },
        message: expect.stringContaining(`the parent "${gone}" in namespace "outer" is not stored`),
      },
    ]);
  });

  it("names a tombstone of a thread that has checkpoints, and no other one", async () => {
    const { thread } = await family();
    await database.query("insert into checkpoint_tombstones (thread_id) values ($1), ($2)", [
      thread,
      newThread(),
    ]);
    const living = {
      ...{ kind: "living-tombstone", severity: "error", threadId: thread, checkpointNs: "" },
      message: `thread "${thread}": the thread has a tombstone, and checkpoints or a conversation: savers with keepTombstones refuse to continue it`,
    };
    expect((await saver.verify(thread)).problems).toEqual([living]);
    const everywhere = (await saver.verify()).problems.filter(({ kind }) => kind === "living-tombstone");
    expect(everywhere).toEqual([living]);
  });

  it("checks a thread with an empty id, which other savers store, by itself", async () => {
    const { thread } = await family();
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"]) {
      await database.query(`update ${table} set thread_id = '' where thread_id = $1`, [thread]);
    }
    expect(await saver.verify("")).toMatchObject({ threads: 1, checkpoints: 2, problems: [] });
    await database.exec("update checkpoints set metadata = '[]' where thread_id = '' ");
    expect(await errorsOf("")).toMatchObject([{ threadId: "" }, { threadId: "" }]);
    expect((await saver.verify()).problems.filter(({ threadId }) => threadId === "")).toHaveLength(2);
  });
});
