import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver, type ProblemKind } from "../../src/index.js";
import { putLongChain } from "../../test-support/chains.js";
import { collect } from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";
import { pageText, rowsOf } from "../docs/samples.js";
import { DAMAGE, putThread, type StoredThread, UNREADABLE } from "./damaged-thread.js";

/** The thread of the examples. */
const THREAD = "42";

const { header, value, write } = DAMAGE;

/** A damage of each kind that `verify` finds. `$1` is the thread. */
const DAMAGES: Readonly<Record<ProblemKind, (stored: StoredThread) => string>> = {
  "corrupt-header": (stored) => header(stored, 2, `checkpoint = checkpoint || '{"id": "other"}'`),
  "corrupt-value": (stored) => value(stored, 1, "draft", "base = '1'"),
  "corrupt-write": (stored) => write(stored, 2, "draft", "idx = -1"),
  "undecodable-value": (stored) => value(stored, 2, "draft", UNREADABLE),
  "undecodable-write": (stored) => write(stored, 2, "draft", UNREADABLE),
  "broken-chain": (stored) => value(stored, 2, "list", UNREADABLE),
  "missing-value": ({ versions }) =>
    `delete from checkpoint_blobs where thread_id = $1 and channel = 'draft' and version = '${versions[2]?.draft}'`,
  "parent-cycle": (stored) => header(stored, 1, "parent_checkpoint_id = checkpoint_id"),
  // Without its value, the channel is made of the writes of the ancestors.
  "missing-parent": ({ ids }) =>
    `delete from checkpoints where thread_id = $1 and checkpoint_id = '${ids[0]}'`,
  "living-tombstone": () => "insert into checkpoint_tombstones (thread_id) values ($1)",
  "long-chain": () => "select $1",
  "stray-writes": ({ ids }) =>
    `insert into checkpoint_writes (thread_id, checkpoint_id, task_id, task_path, idx, channel, type, blob)
     select thread_id, '1e000000-0000-6000-8000-000000000000', task_id, task_path, idx, channel, type, blob
     from checkpoint_writes where thread_id = $1 and checkpoint_id = '${ids[0]}'`,
  "stray-blob": () =>
    "insert into checkpoint_blobs (thread_id, channel, version, type) values ($1, 'gone', '1', 'empty')",
};

/** Each finding, and each command that the page names for it. */
const REMEDIES = rowsOf(pageText("when-something-is-wrong.md")).flatMap(([kinds = "", ...cells]) =>
  [...kinds.matchAll(/`([a-z-]+)`/g)].flatMap(([, kind = ""]) =>
    Object.hasOwn(DAMAGES, kind)
      ? [...cells.join(" ").matchAll(/`([a-z][^`]*)`/g)].map(([, command = ""]) => [kind as ProblemKind, command] as const) // oxfmt-ignore
      : [],
  ),
);

it("docs/when-something-is-wrong.md names a command for each finding of verify", () => {
  expect(new Set(REMEDIES.map(([kind]) => kind))).toEqual(new Set(Object.keys(DAMAGES)));
});

describeAnyTarget("the commands that docs/when-something-is-wrong.md names for a finding", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let folder: string;

  beforeAll(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source, undefined, { splices: true });
    folder = await mkdtemp(join(tmpdir(), "checkpoint-remedies-"));
  });
  afterAll(async () => {
    await saver.end();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => database.exec("delete from checkpoint_tombstones"));

  it.each(REMEDIES)("%s: %s", async (kind, command) => {
    if (kind === "long-chain") {
      const items = [text(6_000), ...Array.from({ length: 70 }, (_, at) => `${at}`)];
      await putLongChain(database, THREAD, items);
    }
    const stored =
      kind === "long-chain" ? { thread: THREAD, ids: [], versions: [] } : await putThread(saver, THREAD);
    if (kind === "missing-parent")
      for (const statement of [
        `update checkpoints set metadata = metadata || '{"counters_since_delta_snapshot": {"draft": [1, 1]}}' where thread_id = $1`,
        `delete from checkpoint_blobs where thread_id = $1 and channel = 'draft' and version = '${stored.versions[1]?.draft}'`,
      ])
        await database.query(statement, [THREAD]);
    const backup = join(folder, "backup.ndjson");
    await writeFile(backup, (await collect(saver.exportThreads())).map((line) => `${line}\n`).join(""));
    await database.query(DAMAGES[kind](stored), [THREAD]);
    const found = (await saver.verify(THREAD)).problems;
    expect(found.map((problem) => problem.kind)).toContain(kind);

    const run = cliOn(database, { stdin: "y\n", isTTY: true });
    const files: Readonly<Record<string, string>> = {
      "backup.ndjson": backup,
      repaired: join(folder, "repaired"),
    };
    const outcome = await run(...command.split(" ").map((word) => files[word] ?? word));
    expect(outcome).toMatchObject({ code: 0 });
    const left = (await saver.verify(THREAD)).problems;
    expect(left.filter(({ severity }) => severity === "error")).toEqual([]);
    // What was a notice is gone.
    const isNotice = found.every(({ severity }) => severity === "notice");
    if (isNotice) expect(left.map((problem) => problem.kind)).not.toContain(kind);
  });
});
