import { afterAll, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { PostgresSaver } from "../../src/index.js";
import type { ReadCalls, ReadName } from "../../src/inspector/api/inspector-api.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  nextId,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { OFFICIAL_MIGRATIONS } from "../../test-support/official-migrations.js";
import { describeEachTarget, onOneServer, type TestDatabase } from "../../test-support/targets.js";

/** The calls whose answers tell the tables apart, or that prepare a change. */
type OtherName =
  | ("health" | "tables" | "checkPrune")
  | (
      | "memoryNamespaces"
      | "itemSums"
      | "items"
      | "item"
      | "editableItem"
      | "cacheNamespaces"
      | "cacheEntries"
    );
type AskedCalls = { readonly [Name in Exclude<ReadName, OtherName>]: readonly ReadCalls[Name]["args"][] };
type Ask = () => Promise<unknown>;

const DELTAS = "log";
const PARENT = nextId();
const CHILD = nextId();
const THREAD = threadConfig("t", { checkpoint_ns: "" });
const ROOT = { threadId: "t", namespace: "" };
const [before, after] = [
  { ...ROOT, checkpointId: PARENT },
  { ...ROOT, checkpointId: CHILD },
];
const MESSAGES = { kind: "channel", ...after, channel: "messages" } as const;
const WRITE = { kind: "write", ...after, taskId: "task", idx: 0 } as const;

const ASKED: AskedCalls = {
  overview: [{}],
  threads: [{}, { order: "recent" }, { search: "hello" }, { failedTools: true }],
  threadCounts: [{}],
  metadataSuggestions: [{}],
  threadSizes: [{ threadIds: ["t", "old"] }],
  searchThread: [
    { threadId: "t", search: "hello" },
    { threadId: "old", search: "hello", before: CHILD },
  ],
  lastMessages: [{ threadIds: ["t", "old"] }],
  thread: [{ threadId: "t" }, { threadId: "old" }, { threadId: "none" }],
  // Without graphs, it is refused before it reads anything.
  graphPicture: [],
  graphs: [{ threadId: "t", checkpointId: CHILD }],
  openThread: [{ threadId: "t" }, { threadId: "none" }],
  history: [ROOT],
  story: [ROOT],
  findMessages: [{ ...after, channel: "messages", messages: [{ role: "human", text: "hello" }] }],
  neighbours: [before],
  checkpoint: [before, after, { threadId: "old", namespace: "", checkpointId: CHILD }],
  value: [
    { place: MESSAGES, path: [] },
    { place: WRITE, path: [] },
    { place: { kind: "metadata", ...after }, path: [] },
  ],
  text: [{ place: { kind: "channel", ...after, channel: "long" }, path: [], offset: 1 }],
  searchValue: [{ place: MESSAGES, search: "hello" }],
  conversation: [
    { ...after, channel: "messages" },
    { ...after, channel: DELTAS },
  ],
  compare: [{ before, after }],
  compareChannel: [{ before, after, channel: "messages" }],
  storage: [{}, { threadId: "t" }],
  stepBytes: [ROOT],
  chains: [{ threadId: "t" }],
  memory: [{}],
  editableValue: [{ ...after, channel: "long" }],
};

// Tables are distributed after they have been migrated.
onOneServer("distributed tables are migrated", describeEachTarget)(
  "tables that nobody has migrated",
  (target) => {
    const savers: PostgresSaver[] = [];
    afterAll(() => Promise.all(savers.map((saver) => saver.end())));

    it.each([
      ["of Python's saver", 9],
      ["of the official JavaScript saver", 4],
    ])(
      "can be looked at where they are those %s: the answers are those after the migration",
      async (_owner, version) => {
        const database = await target.createDatabase();
        for (const migration of OFFICIAL_MIGRATIONS.slice(0, version + 1)) {
          await database.exec(migration.replaceAll(" CONCURRENTLY", ""));
        }
        const saver = new PostgresSaver(database.source);
        savers.push(saver);
        // A put refuses tables that a read of it would refuse: the official saver stores without the column.
        await database.exec(
          "alter table checkpoint_writes add column if not exists task_path text not null default ''",
        );
        await fill(saver, database);
        if (version < 9) await database.exec("alter table checkpoint_writes drop column task_path");

        const calls = new InspectorCalls(saver);
        const asked = [...looks(calls), ...exportsOf(calls), ...audits(saver)];
        const answers = new Map<string, unknown>();
        for (const [name, ask] of asked) answers.set(name, await ask());
        await saver.setup();
        for (const [name, ask] of asked) expect([name, await ask()]).toEqual([name, answers.get(name)]);
        expect(answers.get("audit verify")).toMatchObject({
          ...{ threads: 2, values: 10 },
          problems: expect.arrayContaining([
            expect.objectContaining({ kind: "stray-blob", channel: "left over" }),
          ]),
        });
        expect(answers.get("inspector export state")).toEqual([200, expect.stringContaining("again")]);
        expect(answers.get("inspector checkpoint 1")).toMatchObject({
          tasks: [{ taskId: "task" }],
          status: "pending",
        });
      },
    );
  },
);

/** Stores a thread of two checkpoints, and one of an old format, whose sends are among the writes of the parent. */
async function fill(saver: PostgresSaver, database: TestDatabase): Promise<void> {
  for (const [thread, v] of [
    ["t", 4],
    ["old", 1],
  ] as const) {
    const version = saver.getNextVersion(undefined);
    const values = { messages: [new HumanMessage("hello")], long: "x".repeat(9_000) };
    const first = { ...checkpointOf(saver, values), v, id: PARENT };
    first.channel_versions[DELTAS] = version;
    const config = await saver.put(threadConfig(thread), first, metadataOf(0), allVersions(first));
    const next = { messages: [...values.messages, new HumanMessage("again")], "branch:to:next": null };
    const second = { ...checkpointOf(saver, next, first), v, id: CHILD };
    second.channel_versions[DELTAS] = saver.getNextVersion(version);
    await saver.put(config, second, metadataOf(1), allVersions(second));
  }
  const message = `{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"so"}}`;
  await database.exec(
    "insert into checkpoint_blobs (thread_id, channel, version, type, blob) values ('t', 'left over', '9', 'json', '1')",
  );
  const send = `{"node":"sent","args":{}}`;
  await database.exec(`insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob) values
    ('t', '${PARENT}', 'earlier', 0, '${DELTAS}', 'json', '[${message}]'),
    ('t', '${CHILD}', 'task', 0, 'title', 'json', '["a"]'),
    ('old', '${PARENT}', 'earlier', 0, '__pregel_tasks', 'json', '${send}')`);
}

function looks(calls: InspectorCalls): [string, Ask][] {
  return Object.entries(ASKED).flatMap(([name, given]) =>
    given.map((args, index): [string, Ask] => [
      `inspector ${name} ${index}`,
      () => answerOf(calls, name, args),
    ]),
  );
}

function exportsOf(calls: InspectorCalls): [string, Ask][] {
  return ["conversation", "state"].map((form) => [
    `inspector export ${form}`,
    async () => {
      const response = await calls.load("export", { ...ROOT, form });
      return [response.status, await response.text()];
    },
  ]);
}

async function answerOf(calls: InspectorCalls, name: string, args: unknown): Promise<unknown> {
  const response = await calls.post(name, args);
  const answer: unknown = JSON.parse(await response.text());
  if (!response.ok) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return answer;
}

/** What only looks at threads. */
function audits(saver: PostgresSaver): [string, Ask][] {
  const configs = [PARENT, CHILD].map((id) => threadConfig("t", { checkpoint_ns: "", checkpoint_id: id }));
  const [a = THREAD, b = THREAD] = configs;
  return [
    ["audit verify", () => saver.verify()],
    ["audit verify of a thread", () => saver.verify("t")],
    ["audit storage", () => saver.storage()],
    ["audit storage of a thread", () => saver.storage({ threadId: "t" })],
    ["audit diff", () => saver.diff(a, b)],
    ["audit writesOf", () => saver.writesOf(b)],
    ["audit taskStats", () => saver.taskStats("t")],
    ["audit taskStats of all threads", () => saver.taskStats({})],
    ["audit storage of a checkpoint", () => saver.storage({ threadId: "t", checkpointId: "1" })],
    ["listThreads", () => saver.listThreads()],
    ["history", () => saver.history("t")],
    ["getTuple without values", () => saver.getTuple(b, { values: false, writes: true })],
    ["getTuple of channels", () => saver.getTuple(b, { channels: ["messages"] })],
    ["list without values", () => collect(saver.list(THREAD, { values: false }))],
    ["getDeltaChannelHistory", () => saver.getDeltaChannelHistory({ config: b, channels: [DELTAS] })],
  ];
}
