import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { AbortError } from "../errors/index.js";
import { isObject } from "../serde/objects/inspect-object.js";
import { parseNamespaceText } from "./cache/parse-namespace-text.js";
import { changesBetween } from "./checkpoints/compare-checkpoints.js";
import { conversationMarkdown } from "./export/conversation-markdown.js";
import { positionsOf } from "./story/written-messages.js";
import { describeConversation } from "./values/conversation.js";
import { foldMessages } from "./values/fold-messages.js";
import { describeState } from "./values/next-nodes.js";
import { formOf } from "./values/question-form.js";
import { jsonText } from "./values/readable-json.js";

const { signal } = new AbortController();

/** Counts how often the fields of objects are read. */
class Reads {
  count = 0;

  of<Value extends object>(value: Value): Value {
    const inside = (found: unknown): unknown => (isObject(found) ? this.of(found) : found);
    return new Proxy(value, {
      get: (target, name) => inside(Reflect.get(target, name)),
      getOwnPropertyDescriptor: (target, name) => {
        this.count += 1;
        const found = Reflect.getOwnPropertyDescriptor(target, name);
        return Array.isArray(target) ? found : found && { ...found, value: inside(found.value) };
      },
    });
  }
}

function listOf<Item>(length: number, itemAt: (at: number) => Item): Item[] {
  return Array.from({ length }, (_, at) => itemAt(at));
}

function around(value: unknown, levels: number, wrap: (inner: unknown) => unknown): unknown {
  return listOf(levels, (at) => at).reduce(wrap, value);
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe("the work that stored data chooses", () => {
  it.each<[string, (change: number) => unknown]>([
    ["deep values", (change) => around(change, 200, (inner) => ({ same: listOf(200, () => 1), inner }))],
    ["lists in lists", (change) => around([change], 50, (inner) => [listOf(500, () => 1), inner])],
    [
      "many lists",
      (change) => listOf(300, (at) => ({ id: `${at}`, list: listOf(300, (each) => each + change) })),
    ],
    ["a long list", (change) => listOf(100_000, (at) => at + change)],
    ["a Set of objects", (change) => new Set(listOf(3_000, (at) => ({ at: at + change })))],
  ])("is no comparison part by part of %s", (_case, valueOf) => {
    expect(changesBetween({ value: valueOf(1) }, { value: valueOf(2_000_000) })).toMatchObject([
      { path: "" },
    ]);
  });

  it("is a comparison of conversations as long as people have them", () => {
    const messages = (text: string) =>
      listOf(2_000, (at) => ({
        ...{ id: `${at}`, type: "ai", content: [{ type: "text", text: at % 500 === 0 ? text : "same" }] },
        ...{
          tool_calls: [{ id: "1", name: "find", args: { words: ["a", "b"] } }],
          usage: { input: 1, output: 2 },
        },
      }));
    const changes = changesBetween({ value: messages("a") }, { value: messages("b") });
    expect(changes.map(({ path }) => path)).toEqual(
      [0, 500, 1_000, 1_500].map((at) => `[${at}].content[0].text`),
    );
  });

  it("grows with the number of channels and nodes, not with that of their pairs", () => {
    const reads = new Reads();
    const names = listOf(300, (at) => `n${at}`);
    const header = {
      ...{ namespace: "", checkpointId: "1ef4f797-8335-6428-8001-8a1503f9b875", step: 1 },
      channelVersions: Object.fromEntries(names.map((name) => [`branch:to:${name}`, 2])),
      versionsSeen: reads.of(Object.fromEntries(names.map((name) => [name, { other: 1 }]))),
      values: new Map(names.map((name) => [`branch:to:${name}`, null])),
    };
    expect(describeState(header, []).next).toHaveLength(300);
    expect(reads.count).toBeLessThan(10 * names.length);
  });

  it("grows with the number of actions, not with that of their pairs with their rules", () => {
    const reads = new Reads();
    const actionRequests = listOf(100, (at) => ({ name: `a${at}`, args: {} }));
    const reviewConfigs = listOf(1_000, () => ({ actionName: "b", allowedDecisions: [] }));
    const form = formOf({
      value: { actionRequests, reviewConfigs: reviewConfigs.map((each) => reads.of(each)) },
      schema: undefined,
    });
    expect(form).toMatchObject({ kind: "decisions" });
    expect(reads.count).toBeLessThan(3 * reviewConfigs.length);
    const first = { actionName: "a0", allowedDecisions: ["reject"] };
    const rules = [first, { ...first, allowedDecisions: ["edit"] }];
    expect(formOf({ value: { actionRequests, reviewConfigs: rules }, schema: undefined })).toMatchObject({
      actions: [{ allowed: ["reject"] }, ...listOf(99, () => ({ allowed: ["approve", "edit", "reject"] }))],
    });
  });

  it("looks at each message once, however many are searched for", async () => {
    const reads = new Reads();
    const messages = listOf(500, (at) => reads.of({ role: "user", content: `text ${at}` }));
    const keys = listOf(50, (at) => ({ role: "human" as const, text: `text ${at * 3}` }));
    expect(await positionsOf(messages, { messages: keys, followedBy: undefined }, signal)).toEqual(
      keys.map((_, at) => at * 3),
    );
    expect(reads.count).toBeLessThan(20 * messages.length);
  });

  it("is no search for tenants in a text that no cache writes", () => {
    const namespace = (length: number) => `${"a".repeat(length)}:["x"]`;
    expect(parseNamespaceText(namespace(100), undefined)).toMatchObject({ labels: ["x"] });
    expect(parseNamespaceText(namespace(3_000), undefined)).toEqual({ isOfLeases: false });
  });

  it("exports deep JSON in about its length, and nothing in it ends the block", () => {
    const deep = around(
      listOf(10_000, () => "`````"),
      100,
      (inner) => [inner],
    );
    const text = [...conversationMarkdown([deep])].join("");
    const json = [...jsonText(deep)].join("");
    expect(text.length).toBeLessThan(5 * json.length);
    const [, block = ""] = /^```json\n(.*)\n```$/ms.exec(text) ?? [];
    expect(block).not.toContain("`");
    expect(JSON.parse(block)).toEqual(deep);
  });

  it("exports the first parts of a message before it has read the others", () => {
    let reads = 0;
    const content = new Proxy(
      listOf(1_000, () => ({ type: "text", text: "a" })),
      {
        get: (target, name, receiver) => {
          if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
          return Reflect.get(target, name, receiver) as unknown;
        },
      },
    );
    const lines = conversationMarkdown([{ role: "user", content }]);
    for (let count = 0; count < 5; count++) lines.next();
    expect(reads).toBeLessThan(10);
  });

  it("reads only the calls of a message that are shown", () => {
    const reads = new Reads();
    const tool_calls = listOf(5_000, (at) => reads.of({ id: `${at}`, name: "find", args: {} }));
    const messages = [{ role: "ai", content: "", tool_calls }];
    const { messages: views } = describeConversation(messages, { offset: 0, limit: 1, path: [] });
    expect(views).toMatchObject([{ omitted: 4_950 }]);
    expect(reads.count).toBeLessThan(5 * tool_calls.length);
  });

  it("ends with the request that asked for it", async () => {
    let now = 0;
    jest.spyOn(performance, "now").mockImplementation(() => (now += 100));
    const writes = listOf(
      2,
      () => ["task", "messages", { role: "user", content: "" }] as [string, string, unknown],
    );
    const [ended, message] = [AbortSignal.abort(), { role: "human", text: "" } as const];
    await expect(foldMessages({ seed: [], writes }, ended)).rejects.toThrow(AbortError);
    const search = { messages: [message], followedBy: undefined };
    await expect(positionsOf([{}], search, ended)).rejects.toThrow(AbortError);
  });
});
