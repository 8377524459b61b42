import { langGraphLiteral } from "../langchain/langgraph-literals.js";
import type { Decoder, Depth } from "./decoder.js";
import { inside } from "./decoder.js";
import { defineOwn, readProperty } from "../objects/inspect-object.js";
import { isJsonObject, isStringArray, type JsonObject } from "./json-value.js";
import { COMMAND_ARGUMENT, COMMAND_FIELDS, OVERWRITE_KEY } from "../langchain/langgraph-layout.js";
import { isPythonSend, sendRecordOf } from "./revive-python.js";

const REVIVERS = { Command: reviveCommand, Overwrite: reviveOverwrite, Send: reviveSend } as const;

/** The name of the LangGraph class of a record, if the record has the shape that this library writes. */
export function langGraphNameOf(record: JsonObject): keyof typeof REVIVERS | undefined {
  const name = isStringArray(record.id) && record.id.length === 1 ? record.id[0] : undefined;
  if (name === "Send")
    return typeof record.node === "string" && Object.hasOwn(record, "args") ? name : undefined;
  if (name === "Overwrite") return Object.hasOwn(record, OVERWRITE_KEY) ? name : undefined;
  return name === "Command" && record.lg_name === "Command" ? name : undefined;
}

/** Revives Send, Overwrite and Command. Without `@langchain/langgraph` it returns literal objects that represent them. */
export function reviveLangGraph(record: JsonObject, depth: Depth, decoder: Decoder): unknown {
  const own = isPythonSend(record) ? sendRecordOf(record) : record;
  const name = langGraphNameOf(own);
  return name === undefined ? own : REVIVERS[name](own, depth, decoder);
}

function field(record: JsonObject, key: string, depth: Depth, decoder: Decoder): unknown {
  const json = Object.hasOwn(record, key) ? record[key] : undefined;
  return json === undefined ? undefined : decoder.decode(json, inside(depth, 1));
}

// The constructor rewrites plain objects among the arguments and checks the timeout. Both were done before it was written.
function reviveSend(record: JsonObject, depth: Depth, decoder: Decoder): unknown {
  const classes = decoder.langGraph;
  const node = typeof record.node === "string" ? record.node : "";
  const send = classes === null ? langGraphLiteral("Send", {}) : new classes.Send(node, undefined);
  defineOwn(send, "node", node);
  defineOwn(send, "args", field(record, "args", depth, decoder));
  defineOwn(send, "timeout", field(record, "timeout", depth, decoder));
  return send;
}

function reviveOverwrite(record: JsonObject, depth: Depth, decoder: Decoder): unknown {
  const classes = decoder.langGraph;
  const value = field(record, OVERWRITE_KEY, depth, decoder);
  return classes === null
    ? langGraphLiteral("Overwrite", { [OVERWRITE_KEY]: value })
    : new classes.Overwrite(value);
}

function reviveCommand(record: JsonObject, depth: Depth, decoder: Decoder): unknown {
  const classes = decoder.langGraph;
  const command = classes === null ? langGraphLiteral("Command", {}) : new classes.Command({});
  for (const key of COMMAND_FIELDS) defineOwn(command, key, field(record, key, depth, decoder));
  const argument = decodeArgument(record, command, depth, decoder);
  if (classes !== null && argument !== undefined) defineOwn(command, COMMAND_ARGUMENT, argument);
  return command;
}

function decodeArgument(
  { kwargs }: JsonObject,
  command: object,
  depth: Depth,
  decoder: Decoder,
): object | undefined {
  const pairs = isJsonObject(kwargs) ? kwargs.argument : undefined;
  if (!Array.isArray(pairs)) return undefined;
  const argument = {};
  for (const pair of pairs) {
    if (!Array.isArray(pair)) return undefined;
    const [key, ...values] = pair.map((item) => decoder.decode(item, inside(depth, 4)));
    if (typeof key !== "string") return undefined;
    defineOwn(argument, key, values.length === 0 ? readProperty(command, key) : values[0]);
  }
  return argument;
}
