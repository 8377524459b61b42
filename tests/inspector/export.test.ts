import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import MarkdownIt from "markdown-it";
import { PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget } from "../../test-support/targets.js";

/** What would be a message of somebody else, HTML or a picture, where it got out of its place. */
const BREAKOUTS = [
  "## 9. System",
  "\n\n# 9. System\n9. System\n===",
  "a\r## 9. System\u2028## 9. System\u2029## 9. System",
  "</blockquote><h2>9. System</h2>",
  "\\<h2>9. System</h2>",
  "<!--",
  "<pre>\n\n</pre><h2>9. System</h2>",
  "```\n``\n````\n\n## 9. System\n<h2>9. System</h2>",
  "- ```\n```\n<h2>9. System</h2>\n```\n<h2>9. System</h2>",
  "  ```\n```\n<h2>9. System</h2>",
  "> ```\n```\n<h2>9. System</h2>",
  "~~~\n```\n~~~\n<h2>9. System</h2>",
  "~~~~ \n~~~\n~~~~~\n\n<h2>9. System</h2>",
  "``` a`b\n<h2>9. System</h2>\n```\n<h2>9. System</h2>",
  "`a\nb` <h2>9. System</h2> `",
  "![a](http://127.0.0.1:9/beacon) \\![a][b] !\\[c](x)\n\n[b]: http://127.0.0.1:9/beacon",
  "| a |\n| - |\n| <h2>9. System</h2> |",
  "````````````",
  "```",
];

describeEachTarget("exports of threads", (target) => {
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  beforeEach(async () => {
    saver = new PostgresSaver((await target.sharedDatabase()).source);
    calls = new InspectorCalls(saver);
  });
  afterEach(() => saver.end());

  async function put(values: Record<string, unknown>, thread = newThread()): Promise<string> {
    await putValues(saver, threadConfig(thread), values);
    return thread;
  }

  function send(threadId: string, form: string): Promise<Response> {
    return calls.load("export", { threadId, namespace: "", form });
  }

  it("have the conversation as Markdown: texts, calls of tools with their results, and what is left out", async () => {
    const thread = await put({
      messages: [
        new HumanMessage({
          content: [
            { type: "text", text: "Where to?\n\n```ts\nconst a: Set<string>;\n```" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          ],
        }),
        new AIMessage({
          content: "**Wait** <b>",
          tool_calls: [{ id: "c1", name: "look", args: { at: "```" } }],
        }),
        new ToolMessage({ content: "# blue\n<b>", tool_call_id: "c1", name: "look", status: "error" }),
        { role: "assistant", content: [{ type: "map", at: 1 }] },
      ],
    });
    const response = await send(thread, "conversation");
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
    const [head, ...messages] = (await response.text()).split(/\n(?=## )/);
    expect(head).toContain(`- Thread: \`${thread}\`\n`);
    expect(messages.join("\n").split("\n")).toEqual([
      "## 1. Human", "",
      "> Where to?", ">", "> ```ts", "> const a: Set<string>;", "> ```", "",
      "- An image, which is not included, `image/png`", "",
      "## 2. AI", "",
      "> **Wait** &lt;b>", "",
      "### Call of a tool", "",
      "Tool: `look`, call: `c1`", "",
      "````json", "{", '  "at": "```"', "}", "````", "",
      "## 3. Tool", "",
      "Name: `look`, Answers the call: `c1`, Status: `error`", "",
      "```", "# blue", "<b>", "```", "",
      "## 4. AI", "",
      "Part: `map`", "",
      "```json", "{", '  "type": "map",', '  "at": 1', "}", "```", "",
    ]); // oxfmt-ignore
  });

  it("let no text of a message make a heading, HTML or a picture", async () => {
    const markdown = new MarkdownIt({ html: true, linkify: true });
    for (const text of [...BREAKOUTS, BREAKOUTS.join("\n"), BREAKOUTS.toReversed().join("\n")]) {
      const call = { id: text, name: text, args: { [text]: text } };
      const thread = await put({
        messages: [
          new HumanMessage({ content: text, name: text }),
          new AIMessage({
            content: [
              { type: "thinking", thinking: text },
              { type: text, text },
              { type: "image", url: text },
            ],
            tool_calls: [call],
            invalid_tool_calls: [{ ...call, args: text, error: text }],
          }),
          new ToolMessage({ content: text, tool_call_id: text }),
          { role: text, content: text },
        ],
      });
      const tokens = markdown.parse(await (await send(thread, "conversation")).text(), {});
      const headings = tokens.flatMap(({ type, level }, index) =>
        type === "heading_open" && level === 0 ? [tokens[index + 1]?.content] : [],
      );
      expect({ text, headings }).toEqual({
        text,
        headings: [
          "Conversation",
          ...["1. Human", "2. AI", "Reasoning", "Call of a tool", "Call of a tool", "3. Tool", "4. Other"],
        ],
      });
      const types = tokens.flatMap(({ type, children }) => [
        type,
        ...(children ?? []).map((child) => child.type),
      ]);
      expect({ text, active: types.filter((type) => /html|image/.test(type)) }).toEqual({ text, active: [] });
    }
  });

  it("have the newest state as JSON", async () => {
    const thread = newThread();
    const first = await putValues(saver, threadConfig(thread), { plan: "A" });
    const { config, checkpoint } = await putValues(
      saver,
      first.config,
      { plan: "B", when: new Date(0) },
      first.checkpoint,
    );
    await saver.putWrites(config, [["plan", "C"]], "task");
    const response = await send(thread, "state");
    expect(await response.json()).toEqual({
      ...{ threadId: thread, namespace: "", checkpointId: checkpoint.id, parentId: first.checkpoint.id },
      ...{ createdAt: checkpoint.ts, metadata: expect.objectContaining({ source: "loop" }), unstored: [] },
      values: { plan: "B", when: "1970-01-01T00:00:00.000Z" },
      pendingWrites: [{ taskId: "task", channel: "plan", value: "C" }],
    });
  });

  it("have messages of delta channels, and name what only a graph can rebuild", async () => {
    const thread = newThread();
    const first = await putValues(saver, threadConfig(thread), {});
    const checkpoint = checkpointOf(saver, {});
    for (const name of ["messages", "total"]) checkpoint.channel_versions[name] = saver.getNextVersion(undefined);
    const counters = { messages: [1, 1], total: [1, 1] };
    await saver.putWrites(first.config, [["messages", [{ role: "user", content: "so" }]], ["total", 7]], "task");
    const metadata = metadataOf(1, { counters_since_delta_snapshot: counters });
    await saver.put(first.config, checkpoint, metadata, allVersions(checkpoint));
    expect(await (await send(thread, "state")).json()).toMatchObject({
      ...{ values: { messages: [{ role: "user", content: "so" }] }, unstored: ["total"] },
    });
    expect(await (await send(thread, "conversation")).text()).toMatch(/\n## 1\. Human\n\n> so\n$/);
  }); // oxfmt-ignore

  it("have the history as it can be imported, piece by piece", async () => {
    const thread = await put({ text: "x".repeat(3_000_000) });
    const response = await send(thread, "history");
    const lines = (await response.text()).trimEnd().split("\n");
    await saver.deleteThread(thread);
    expect(await saver.importThreads(lines)).toMatchObject({ threads: 1, checkpoints: 1 });
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values.text).toHaveLength(
      3_000_000,
    );
  });

  it("have the id of the thread in their names, and nothing that misleads", async () => {
    const named = async (id: string, form: string): Promise<string | null> => {
      await put({ plan: "A" }, id);
      const response = await send(id, form);
      await response.text();
      return response.headers.get("content-disposition");
    };
    expect(await named("order-4711", "conversation")).toBe(
      'attachment; filename="thread-order-4711-conversation.md"',
    );
    expect(await named('../a b\\c"\u202e\r\n', "state")).toBe(
      'attachment; filename="thread-.._a_b_c____-state.json"',
    );
    expect(await named("x".repeat(300), "history")).toBe(
      `attachment; filename="thread-${"x".repeat(50)}-history.ndjson"`,
    );
    const full = encodeURIComponent("thread-Zürich_東京_-state.json");
    expect(await named("Zürich 東京😀", "state")).toBe(
      `attachment; filename="thread-Z_rich____-state.json"; filename*=UTF-8''${full}`,
    );
  });

  it("refuse what is not there before anything is sent, and other methods", async () => {
    for (const [form, status] of [["conversation", 404], ["state", 404], ["page", 400]] as const) {
      expect([form, (await send("none", form)).status]).toEqual([form, status]);
    } // oxfmt-ignore
    const args = { threadId: "none", namespace: "", form: "history" };
    expect((await calls.load("export", args, { method: "HEAD" })).status).toBe(405);
  });
});
