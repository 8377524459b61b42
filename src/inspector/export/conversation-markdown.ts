import { isNestedDeeper } from "../../serde/json/json-text.js";
import type { MessageView } from "../api/checkpoints.js";
import { fieldsOfMessage, MAX_KNOWN_CALLS } from "../values/conversation.js";
import { type Located, textAt } from "../values/value-parts.js";
import { type ReadPart, readContent } from "../values/message-content.js";
import { readMessage } from "../values/read-message.js";
import { eachToolCall, type ReadToolCall, readToolCalls } from "../values/read-tool-calls.js";
import { briefJson, jsonText } from "../values/readable-json.js";
import { cutLabel } from "../values/describe-value.js";

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
    const fields = fieldsOfMessage(message, []);
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

/** What ends a line for some reader of Markdown. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
/** A fence at the start of a line. One of backticks has none in what follows. */
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
/** What Markdown takes for HTML or for a picture, which would load when somebody looks at the file. */
const ACTIVE = /<(?=[a-z/!?])|(?<=!)\[/gi;

/**
 * Yields a text as a quotation. It stays Markdown, but nothing in it ends the quotation: each line is marked, and what begins HTML is text,
 * except in blocks of code. Pictures become text too.
 */
function* quoted(text: string): Generator<string, undefined> {
  let fence: string | undefined;
  // A fence that is indented, in a list or in a quotation may end elsewhere than it seems.
  let isCertain = true;
  for (const line of linesOf(text)) {
    yield line === "" ? ">" : "> ";
    const around = fence;
    if (fence === undefined) fence = isCertain ? FENCE.exec(line)?.[0] : undefined;
    else if (closes(line, fence)) fence = undefined;
    if (around !== undefined || fence !== undefined) yield line;
    else {
      if (/```|~~~/.test(line)) isCertain = false;
      yield* inactive(line);
    }
    yield "\n";
  }
}

/** In pieces, since a line may have millions of them. */
function* inactive(line: string): Generator<string, undefined> {
  let start = 0;
  for (const { 0: character, index } of line.matchAll(ACTIVE)) {
    yield line.slice(start, index);
    yield character === "<" ? "&lt;" : "&#91;";
    start = index + 1;
  }
  yield line.slice(start);
}

/** One by one, since a text may have millions of them. */
function* linesOf(text: string): Generator<string, undefined> {
  let start = 0;
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    yield text.slice(start, index);
    start = index + end.length;
  }
  yield text.slice(start);
}

function closes(line: string, fence: string): boolean {
  const run = /^ {0,3}(?<run>`+|~+)[ \t]*$/.exec(line)?.groups?.run ?? "";
  return run.startsWith(fence);
}

/** Yields a text as a block of code, exactly as it is. */
function* fenced(text: string, language = ""): Generator<string, undefined> {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  yield `${fence}${language}\n`;
  yield text;
  yield `${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/** Returns a name as code within a line. */
export function codeSpan(name: string): string {
  // Characters that change the order of others would also reorder what is around the name.
  const line = cutLabel(name).replaceAll(
    /[\s\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/gu,
    " ",
  );
  if (line.trim() === "") return "(empty)";
  const run = "`".repeat(longestRun(line) + 1);
  // Markdown takes away a space at both ends.
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${run}${pad}${line}${pad}${run}`;
}

function longestRun(text: string): number {
  let [longest, run] = [0, 0];
  for (const character of text) {
    run = character === "`" ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
