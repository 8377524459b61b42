import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import type { PageAction } from "../../src/inspector/api/actions.js";
import type { ReadName, WriteCalls, WriteName } from "../../src/inspector/api/inspector-api.js";
import type { InspectorAccess, InspectorAudit } from "../../src/inspector/index.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const threadId = "none";
const place = { threadId, namespace: "", checkpointId: "1" };
const update = { threadId, checkpointId: "1", graph: "agent", values: {} };
const item = { namespace: ["none"], key: "k" };

/** The right that each call which changes something needs, and arguments that change nothing here. */
const CHANGES: { readonly [Name in WriteName]: readonly [PageAction, WriteCalls[Name]["args"]] } = {
  fork: ["fork", { ...place, values: {} }],
  checkUpdate: ["update", update],
  updateState: ["update", update],
  rollback: ["edit", place],
  copyThread: ["edit", { source: threadId, target: "other" }],
  deleteThread: ["delete", { threadId }],
  prune: ["delete", { threadId, keepLast: 1 }],
  createItem: ["edit", { ...item, value: {} }],
  editItem: ["edit", { ...item, value: {}, version: 1 }],
  deleteItem: ["delete", item],
  deleteItems: ["delete", { namespace: ["none"], items: 0 }],
  deleteCacheEntry: ["delete", { namespace: '["none"]', key: "k" }],
  clearCacheNamespace: ["delete", { namespace: '["none"]' }],
  clearCachePrefix: ["delete", { keyPrefix: "none" }],
};

/** The right that each kind of run needs. */
const RUNS = ["answer", "continue", "replay"] as const;

const READS: Readonly<Record<ReadName, true>> = {
  ...{
    overview: true,
    threads: true,
    threadCounts: true,
    metadataSuggestions: true,
    threadSizes: true,
    lastMessages: true,
    searchThread: true,
  },
  ...{ thread: true, graphs: true, openThread: true, history: true, story: true, findMessages: true },
  ...{ neighbours: true, checkpoint: true, value: true, text: true, searchValue: true, conversation: true },
  ...{ compare: true, compareChannel: true, tables: true, storage: true, stepBytes: true, chains: true },
  ...{ checkPrune: true, memory: true, memoryNamespaces: true, items: true, item: true, editableItem: true },
  ...{ itemSums: true, graphPicture: true },
  ...{ cacheNamespaces: true, cacheEntries: true, health: true, editableValue: true },
};

const ALL = ["answer", "continue", "replay", "update", "fork", "edit", "delete"] as const;

/** What is asked of the inspector: the right that it needs, its name, its path, and its arguments. */
const REQUESTS: readonly (readonly [PageAction, string, string, object])[] = [
  ...Object.entries(CHANGES).map(([name, [right, args]]) => [right, name, `/api/${name}`, args] as const),
  ...RUNS.map(
    (kind) => [kind, "run", "/run", { threadId, checkpointId: "1", graph: "agent", kind }] as const,
  ),
];

describeAnyTarget("the rights of whoever uses the inspector", (target) => {
  let saver: PostgresSaver;
  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
  });
  afterAll(() => saver.end());

  function graphs() {
    const State = Annotation.Root({ plan: Annotation<string> });
    const graph = new StateGraph(State)
      .addNode("act", () => ({}))
      .addEdge(START, "act")
      .compile({ checkpointer: saver });
    return { agent: graph };
  }

  /** Sends every request, and returns the names of those that are let in, with their rights. */
  async function letIn(calls: InspectorCalls): Promise<string[]> {
    const names: string[] = [];
    for (const [right, name, path, args] of REQUESTS) {
      const response = await calls.postTo(path, args);
      // A run has ended when its events have.
      await response.text();
      if (response.status !== 403) names.push(`${right} ${name}`);
    }
    return names;
  }

  const needing = (...rights: PageAction[]) =>
    REQUESTS.flatMap(([right, name]) => (rights.includes(right) ? [`${right} ${name}`] : []));

  async function mayOf(calls: InspectorCalls): Promise<PageAction[]> {
    const { may } = await calls.read("overview", {});
    return ALL.filter((action) => may[action]);
  }

  it.each(ALL)("with %s alone, nothing that needs another right is done or reported", async (right) => {
    const events: InspectorAudit[] = [];
    const calls = new InspectorCalls(saver, {
      ...{ graphs: graphs(), write: true },
      authorize: (_request: Request, { action }: InspectorAccess) => action === "read" || action === right,
      audit: (event) => void events.push(event),
    });
    expect(await mayOf(calls)).toEqual([right]);
    expect(await letIn(calls)).toEqual(needing(right));
    const begun = events.filter(({ phase }) => phase === "begins");
    expect(begun.map(({ action, operation }) => `${action} ${operation}`)).toEqual(needing(right));
  });

  it.each<[write: boolean, hasGraphs: boolean, rights: readonly PageAction[]]>([
    [false, false, []],
    [false, true, ["answer", "continue", "replay"]],
    [true, false, ["fork", "edit", "delete"]],
    [true, true, ALL],
  ])("with write %p and graphs %p, no more is possible than %j", async (write, hasGraphs, rights) => {
    const calls = new InspectorCalls(saver, { write, ...(hasGraphs && { graphs: graphs() }) });
    expect(await mayOf(calls)).toEqual(rights);
    expect(await letIn(calls)).toEqual(needing(...rights));
  });

  it("to read are enough for each call that reads, and for what the browser loads", async () => {
    const asked: string[] = [];
    const calls = new InspectorCalls(saver, {
      authorize: (request: Request, { action }: InspectorAccess) => {
        asked.push(`${action} ${new URL(request.url).pathname}`);
        return action === "read";
      },
      write: true,
    });
    for (const name of Object.keys(READS)) {
      expect([name, (await calls.post(name, {})).status]).not.toEqual([name, 403]);
      const [first, ...more] = asked.splice(0);
      // The first call tells the page what else its reader may do.
      expect([first, more.length > 0]).toEqual([`read /api/${name}`, name === "overview"]);
    }
    for (const name of ["events", "download", "export"] as const) {
      expect((await calls.load(name, {})).status).toBe(400);
      expect(asked.splice(0)).toEqual([`read /${name}`]);
    }
  });
});
