import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import type { RunEvent } from "../api/runs.js";
import { readOwn } from "../values/read-property.js";
import { readMessage } from "../values/read-message.js";
import { isNameOfEngine } from "../values/trigger-channels.js";

/** How a run reports what it does: `[namespace, mode, payload]`. */
export const STREAM_MODES = ["updates", "messages"] as const;

/** Describes what a run reports. */
export function describeChunk(chunk: unknown): RunEvent[] {
  if (!isArray(chunk)) return [];
  const [namespace, mode, payload] = chunk;
  const isInner = isArray(namespace) && namespace.length > 0;
  if (mode === "messages") return textOf(payload);
  if (!isObject(payload)) return [];
  const nodes = Object.keys(payload).filter((name) => !isNameOfEngine(name));
  return nodes.map((node) => ({ kind: "node", node, isInner }));
}

function textOf(payload: unknown): RunEvent[] {
  if (!isArray(payload)) return [];
  const [message, metadata] = payload;
  const read = readMessage(message);
  if (read?.role !== "ai") return [];
  const [text, id] = [contentText(readOwn(read.fields, "content")), readOwn(read.fields, "id")];
  if (text === "") return [];
  const node = isObject(metadata) ? readOwn(metadata, "langgraph_node") : undefined;
  return [
    {
      kind: "text",
      node: typeof node === "string" ? node : "",
      messageId: typeof id === "string" ? id : "",
      text,
    },
  ];
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!isArray(content)) return "";
  const texts = content.map((part) =>
    isObject(part) && readOwn(part, "type") === "text" ? readOwn(part, "text") : "",
  );
  return texts.filter((text) => typeof text === "string").join("");
}
