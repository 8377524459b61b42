import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { PostgresCache } from "../../src/cache/index.js";
import type { PostgresSaver } from "../../src/index.js";
import type { CheckpointPlace } from "../../src/inspector/api/places.js";
import type { PostgresStore } from "../../src/store/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";

/** Where a text that is interpreted would load something from. */
const BEACON = "http://127.0.0.1:9/beacon";

/** An image that is a page with a script. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="top.attacked = 'svg'"><script>top.attacked = 1</script><image href="${BEACON}"/></svg>`;

/** What would run a script, load something or change the page around it, where it is interpreted. */
const ATTACKS = [
  `<script>globalThis.attacked = "script"</script>`,
  `"'><img src="${BEACON}" onerror="globalThis.attacked = 'img'">`,
  `</style></title></textarea><svg onload="globalThis.attacked = 'svg'"><iframe srcdoc="<script>top.attacked = 1</script>">`,
  `<base href="${BEACON}"><meta http-equiv="refresh" content="0; url=${BEACON}"><link rel="stylesheet" href="${BEACON}">`,
  `[link](javascript:globalThis.attacked=1) ![image](${BEACON}) <${BEACON}> ${BEACON}`,
  `[a](data:text/html,<script>top.attacked=1</script>) <javascript:globalThis.attacked=1> [b]: vbscript:x\n[b] [c](//127.0.0.1:9/x)`,
  `![d](data:image/svg+xml;base64,${inBase64(SVG)}) ![e](data:image/png;base64,${inBase64(SVG)}) | <img src=x onerror=alert(1)> |\n| --- |`,
  `javascript:globalThis.attacked='link'`,
  `{{constructor.constructor("globalThis.attacked = 1")()}} \${globalThis.attacked = 1}`,
  "\u001b[2J\u001b]8;;http://127.0.0.1:9\u0007ansi\u001b]8;;\u0007\u0008\u0085\u2028",
  "\u202egnp.exe\u2066\u2067\u200f\u200b\ufeff\u{e0041}",
];
const TEXT = ATTACKS.join("\n");
/** Text that becomes an element of each kind. */
const MARKDOWN = ATTACKS.flatMap((text) => [`# ${text}`, `- **${text}**`, `> ${text}`, `| ${text} |`, `[${text}](${BEACON} "${text}")`, `\`\`\`${text}\n${text}\n\`\`\``]).join("\n\n"); // oxfmt-ignore
const LONG_WORD = "w".repeat(20_000);
/** The names that objects have anyway. */
const PROTO: unknown = JSON.parse(
  '{"__proto__": {"attacked": 1}, "constructor": {"prototype": {"attacked": 1}}, "toString": 1}',
);

/** The id of the thread. Indexes limit its length. */
const HOSTILE_ID = `${ATTACKS.slice(0, 2).join(" ")}/../%2e%2e?#&\u202e${"w".repeat(300)}`;

function inBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** The prefix of a cache that {@link storeHostileThread} fills. */
export const HOSTILE_PREFIX = `${ATTACKS.slice(0, 4).join(" ")}"]\u202e`;

/**
 * Stores a thread, items of a store and entries of a cache whose every text attacks the page that shows it, and returns the heads of the
 * thread.
 */
export async function storeHostileThread(
  saver: PostgresSaver,
  store: PostgresStore,
  cache: PostgresCache,
): Promise<CheckpointPlace[]> {
  const namespace = `<img src=x onerror="globalThis.attacked='ns'">|javascript:globalThis.attacked=1:\u202e`;
  const call = { id: TEXT, name: TEXT, args: { [TEXT]: TEXT, proto: PROTO }, type: "tool_call" as const };
  const image = { type: "image_url", image_url: { url: BEACON } };
  const media = ["image/svg+xml", "image/png", TEXT].flatMap((type) => [
    { type: "image", source: { type: "base64", media_type: type, data: inBase64(SVG) } },
    { type: "image", url: `data:${type};base64,${inBase64(SVG)}` },
    { type: "image", url: "javascript:globalThis.attacked=1" },
    { type: "file", mimeType: type, data: inBase64(SVG), filename: TEXT },
    { type: "audio", url: TEXT },
  ]);
  const messages = [
    new HumanMessage({ id: TEXT, name: TEXT, content: TEXT, additional_kwargs: { [TEXT]: PROTO } }),
    new AIMessage({ id: "2", content: [{ type: "text", text: TEXT }, image], tool_calls: [call] }),
    new AIMessage({
      id: "5",
      content: [{ type: "thinking", thinking: MARKDOWN }, { type: TEXT, [TEXT]: TEXT }, ...media],
      additional_kwargs: { reasoning_content: TEXT },
      invalid_tool_calls: [{ ...call, id: "invalid", args: TEXT, error: TEXT, type: "invalid_tool_call" }],
      response_metadata: { model_name: TEXT },
    }),
    new ToolMessage({ id: "6", tool_call_id: "other", content: MARKDOWN }),
    new ToolMessage({
      id: "3",
      name: TEXT,
      tool_call_id: TEXT,
      content: TEXT,
      status: "error",
      artifact: PROTO,
    }),
    new AIMessage({ id: "4", content: LONG_WORD }),
  ];
  const values = Object.fromEntries<unknown>([
    ["messages", messages],
    ["toString", PROTO],
    ["constructor", new Map([[TEXT, new Date(0)]])],
    ...ATTACKS.map(
      (text) =>
        [text, { [text]: [text, new Set([text]), LONG_WORD, 2n ** 70n, new Uint8Array(5_000)] }] as const,
    ),
  ]);
  const places: CheckpointPlace[] = [];
  const error = { name: TEXT, message: TEXT, stack: TEXT };
  for (const checkpoint_ns of ["", namespace, `${ATTACKS[0]}:hostile`]) {
    const root = threadConfig(HOSTILE_ID, { checkpoint_ns });
    const first = await putValues(saver, root, values);
    // What made the second checkpoint: the story names the node, the tools and the messages, why it failed first, and who answered what.
    const node = `~__pregel_pull, ${TEXT}`;
    await saver.putWrites(
      first.config,
      [
        ["messages", messages],
        ["__error__", error],
        ["__interrupt__", [{ value: TEXT, id: TEXT }]],
        ["__resume__", [TEXT]],
      ],
      "hostile",
      node,
    );
    const second = await putValues(
      saver,
      { ...first.config, metadata: { answered_by: TEXT } },
      { ...values, messages: messages.slice(0, 3), text: TEXT },
      first.checkpoint,
    );
    places.push({ threadId: HOSTILE_ID, namespace: checkpoint_ns, checkpointId: second.checkpoint.id });
    await saver.putWrites(second.config, [["__error__", error]], TEXT);
    await saver.putWrites(
      second.config,
      [
        ["__interrupt__", [{ value: TEXT, id: TEXT }]],
        [TEXT, PROTO],
      ],
      "task",
    );
    const question = { message: TEXT, [TEXT]: PROTO };
    await saver.putWrites(second.config, [["__interrupt__", [{ value: question, id: TEXT }]]], "asks", node);
  }
  for (const text of ATTACKS)
    await store.put([text.replaceAll(".", " "), "notes"], text, { [text]: text, proto: PROTO }, undefined, {
      ttl: 60,
    });
  await cache.set(
    ATTACKS.flatMap((text, n) => {
      const value = [[text, { [text]: text, proto: PROTO }]];
      return [
        { key: [["__pregel_ns_writes", text], text], value, ttl: 60 + n },
        { key: [["all", "of", "them"], text], value: n % 2 === 0 ? text : value },
      ];
    }),
  );
  return places;
}

/** Stores questions in every shape that has a form, whose every text attacks the page. Returns the id of the thread. */
export async function storeHostileQuestions(saver: PostgresSaver): Promise<string> {
  const threadId = `questions ${HOSTILE_ID}`;
  const { config } = await putValues(saver, threadConfig(threadId), { text: TEXT });
  const args = { [TEXT]: TEXT, proto: PROTO };
  const field = { type: "string", title: TEXT, description: TEXT };
  const properties = {
    ...Object.fromEntries(ATTACKS.map((text) => [text, field])),
    chosen: { enum: ATTACKS, default: TEXT },
    other: PROTO,
  };
  const questions = [
    {
      actionRequests: [{ name: TEXT, args, description: TEXT }],
      reviewConfigs: [{ actionName: TEXT, allowedDecisions: ["edit", "reject", TEXT] }],
    },
    [{ action_request: { action: TEXT, args }, description: TEXT, config: { allow_respond: true } }],
    TEXT,
    { [TEXT]: TEXT },
  ].map((value, n) => ({ id: `${n}${TEXT}`, value }));
  const asked = [...questions, { id: TEXT, value: TEXT, response_schema: { type: "object", properties } }];
  for (const [n, question] of asked.entries())
    await saver.putWrites(config, [["__interrupt__", [question]]], `task ${n}`);
  return threadId;
}

/** A graph whose every report attacks the page. */
export function hostileGraph(checkpointer: PostgresSaver) {
  const reports = async function* (): AsyncGenerator<unknown, undefined> {
    const message = await Promise.resolve(new AIMessage({ id: TEXT, content: TEXT }));
    yield* [
      [[], "updates", Object.fromEntries(ATTACKS.map((text) => [text, PROTO]))],
      [[TEXT], "messages", [message, { langgraph_node: TEXT }]],
    ];
    throw Object.assign(new Error(TEXT), { name: TEXT });
  };
  return {
    ...{ checkpointer, nodes: Object.fromEntries(ATTACKS.map((text) => [text, {}])) },
    stream: () => Promise.resolve(reports()),
    updateState: () => Promise.reject(new Error(TEXT)),
  };
}
