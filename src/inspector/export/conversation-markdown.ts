import { isNestedDeeper } from "../../serde/json/json-text.js";
import type { MessageView } from "../api/checkpoints.js";
import { fieldsOf, MAX_KNOWN_CALLS } from "../values/conversation.js";
import { type Located, textAt } from "../values/located.js";
import { type ReadPart, readContent } from "../values/message-content.js";
import { readMessage } from "../values/read-message.js";
import { eachToolCall, type ReadToolCall, readToolCalls } from "../values/read-tool-calls.js";
import { briefJson, jsonText } from "../values/readable-json.js";
import { codeSpan, fenced, quoted } from "./markdown-texts.js";

/** The headings of messages. No text of a message can make one. */
const ROLES: Readonly<Record<MessageView["role"], string>> = {
  human: "Human",
  ai: "AI",
  system: "System",
  tool: "Tool",
  remove: "Removal",
  other: "Other",
};

/**
 * Yields the messages of a channel as Markdown: a heading for each with its position and its role, texts as quotations, and everything else
 * as blocks of code. Images, recordings and files are named.
 */
export function* conversationMarkdown(messages: readonly unknown[]): Generator<string, undefined> {
  for (const [index, value] of messages.entries()) {
    const message = readMessage(value);
    yield `\n## ${index + 1}. ${ROLES[message?.role ?? "other"]}\n`;
    if (message === undefined) {
      yield "\n";
      yield* valueBlock(value);
      continue;
    }
    const fields = fieldsOf(message, []);
    const facts = factsOf(fields.value);
    if (facts !== "") yield `\n${facts}\n`;
    const calls = readToolCalls(fields, MAX_KNOWN_CALLS);
    for (const part of readContent(fields, calls)) yield* partText(part, message.role);
    for (const call of eachToolCall(fields)) yield* callText(call);
  }
}

function factsOf(fields: unknown): string {
  const facts = [
    ["Name", textAt(fields, "name")],
    ["Answers the call", textAt(fields, "tool_call_id")],
    ["Status", textAt(fields, "status")],
  ] as const;
  return facts
    .flatMap(([name, text]) => (text === undefined || text === "" ? [] : `${name}: ${codeSpan(text)}`))
    .join(", ");
}

function* partText(part: ReadPart, role: MessageView["role"]): Generator<string, undefined> {
  yield "\n";
  switch (part.kind) {
    case "text": {
      const text = String(part.text.value);
      // What a tool returns is most often no Markdown.
      yield* role === "tool" ? fenced(text) : quoted(text);
      return;
    }
    case "reasoning": {
      const text = String(part.text.value);
      yield "### Reasoning\n\n";
      if (text === "") yield "Encrypted by the provider of the model.\n";
      else yield* quoted(text);
      return;
    }
    case "media": {
      const { media, mediaType, url } = part.media;
      const facts = [mediaType, url].flatMap((text) => (text === undefined ? [] : codeSpan(text)));
      yield `- ${[`${MEDIA[media]}, which is not included`, ...facts].join(", ")}\n`;
      return;
    }
    case "other":
      yield `Part: ${codeSpan(part.type)}\n\n`;
      yield* valueBlock(part.part.value);
  }
}

const MEDIA = { image: "An image", audio: "A recording", video: "A film", file: "A file" } as const;

function* callText({ id, name, args, error }: ReadToolCall): Generator<string, undefined> {
  yield `\n### Call of a tool\n\nTool: ${codeSpan(name)}${id === undefined ? "" : `, call: ${codeSpan(id)}`}\n\n`;
  yield* argsBlock(args);
  if (error === undefined) return;
  yield "\nThe call could not be parsed:\n\n";
  yield* fenced(error);
}

function argsBlock(args: Located | undefined): Generator<string, undefined> {
  return valueBlock(args?.value ?? {});
}

/** The longest and the deepest JSON that is indented. Each line of deep values is mostly white space. */
const MAX_INDENTED = 100_000;
const MAX_LEVELS = 50;

/** Yields a text as it is, and anything else as JSON. */
function* valueBlock(value: unknown): Generator<string, undefined> {
  if (typeof value === "string") {
    yield* fenced(value);
    return;
  }
  const json = briefJson(value, MAX_INDENTED);
  if (json.length <= MAX_INDENTED && !isNestedDeeper(json, MAX_LEVELS)) {
    yield* fenced(JSON.stringify(JSON.parse(json), null, 2), "json");
    return;
  }
  yield "```json\n";
  // Only a text can have backticks, which would end the block.
  for (const piece of jsonText(value)) yield piece.replaceAll("`", String.raw`\u0060`);
  yield "\n```\n";
}
