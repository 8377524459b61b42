import {
  exactLangGraphName,
  makeSend,
  makeOverwrite,
  COMMAND_ARGUMENT,
  COMMAND_FIELDS,
  OVERWRITE_KEY,
  langGraphLiteral,
} from "../langchain/langgraph-classes.js";
import { isObject, ownEntries, ownSymbols, readProperty, defineOwn } from "../objects/inspect-object.js";
import { type Reviver, type JsonDecoder, type Depth, inside } from "./decoder.js";
import type { Encoder, JsonPlace } from "./encoder.js";
import { type JsonObject, type JsonValue, isJsonObject, isStringArray } from "./json-value.js";

/**
 * Encodes a LangGraph object, or returns `undefined` for any other object. The official layout writes Send, Overwrite and Command
 * as plain objects that the engine still understands. The keys that mark them for this reader are added to those objects.
 */
export function langGraphToJson(value: object, place: JsonPlace, encoder: Encoder): JsonValue | undefined {
  switch (exactLangGraphName(value)) {
    case "DeltaSnapshot":
      rejectExtra(value, ["lg_name", "value"], place);
      return { lc: 2, type: "delta_snapshot", value: encodeField(value, "value", place, encoder) };
    case "Send":
      return encodeSend(value, place, encoder);
    case "Overwrite":
      return encodeOverwrite(value, place, encoder);
    case "Command":
      return encodeCommand(value, place, encoder);
    default:
      return undefined;
  }
}

function mark(name: string): JsonObject {
  return { lc: 2, type: "constructor", id: [name] };
}

/** Refuses added properties of a LangGraph object. */
function rejectExtra(value: object, known: readonly PropertyKey[], place: JsonPlace): void {
  const extra = [...Object.keys(value), ...ownSymbols(value)].find((key) => !known.includes(key));
  if (extra !== undefined)
    throw place.error(
      `a ${String(readProperty(value, "lg_name"))} with the property ${String(extra)} can't be stored`,
    );
}

function encodeSend(send: object, place: JsonPlace, encoder: Encoder): JsonObject {
  rejectExtra(send, ["lg_name", "node", "args", "timeout"], place);
  // Nothing else would be read back as a Send.
  if (typeof readProperty(send, "node") !== "string") throw place.error("the node of a Send is not a text");
  const timeout = readProperty(send, "timeout");
  return {
    node: encodeField(send, "node", place, encoder),
    args: encodeField(send, "args", place, encoder),
    ...(timeout === undefined ? {} : { timeout: encodeField(send, "timeout", place, encoder) }),
    ...mark("Send"),
  };
}

function encodeOverwrite(overwrite: object, place: JsonPlace, encoder: Encoder): JsonObject {
  rejectExtra(overwrite, ["lg_name", OVERWRITE_KEY], place);
  return { [OVERWRITE_KEY]: encodeField(overwrite, OVERWRITE_KEY, place, encoder), ...mark("Overwrite") };
}

function encodeCommand(command: object, place: JsonPlace, encoder: Encoder): JsonObject {
  rejectExtra(command, ["lg_name", "lc_direct_tool_output", COMMAND_ARGUMENT, ...COMMAND_FIELDS], place);
  const fields = COMMAND_FIELDS.filter((key) => readProperty(command, key) !== undefined);
  return {
    lg_name: "Command",
    ...Object.fromEntries(fields.map((key) => [key, encodeField(command, key, place, encoder)])),
    ...mark("Command"),
    kwargs: { argument: encodeArgument(command, place, encoder) },
  };
}

/** Encodes the constructor argument that a Command keeps, with `[key]` for a value that equals the field of that name. */
function encodeArgument(command: object, place: JsonPlace, encoder: Encoder): JsonValue {
  const argument = readProperty(command, COMMAND_ARGUMENT);
  if (!isObject(argument)) return null;
  return ownEntries(argument).map(([key, value]) =>
    Object.is(value, readProperty(command, key))
      ? [encoder.encode(key, place)]
      : [encoder.encode(key, place), encoder.encode(value, place.inRecord(key, 4))],
  );
}

function encodeField(value: object, key: string, place: JsonPlace, encoder: Encoder): JsonValue {
  return encoder.encode(readProperty(value, key), place.inRecord(key, 1));
}

const REVIVERS = { Command: reviveCommand, Overwrite: reviveOverwrite, Send: reviveSend } as const;

/**
 * What revives a record of a Send, Overwrite or Command; `undefined` for any other record. Without `@langchain/langgraph` it returns
 * literal objects that represent them.
 */
export function langGraphReviverOf(given: JsonObject): Reviver | undefined {
  const record = ownSendOf(given) ?? given;
  const name = langGraphNameOf(record);
  return name && ((_, depth, decoder) => ({ value: REVIVERS[name](record, depth, decoder) }));
}

/** The name of the LangGraph class of a record, if the record has the shape that this library writes. */
function langGraphNameOf(record: JsonObject): keyof typeof REVIVERS | undefined {
  const name = isStringArray(record.id) && record.id.length === 1 ? record.id[0] : undefined;
  if (name === "Send")
    return typeof record.node === "string" && Object.hasOwn(record, "args") ? name : undefined;
  if (name === "Overwrite") return Object.hasOwn(record, OVERWRITE_KEY) ? name : undefined;
  return name === "Command" && record.lg_name === "Command" ? name : undefined;
}

function field(record: JsonObject, key: string, depth: Depth, decoder: JsonDecoder): unknown {
  const json = Object.hasOwn(record, key) ? record[key] : undefined;
  return json === undefined ? undefined : decoder.decode(json, inside(depth, 1));
}

function reviveSend(record: JsonObject, depth: Depth, decoder: JsonDecoder): unknown {
  return makeSend(decoder, {
    node: typeof record.node === "string" ? record.node : "",
    args: field(record, "args", depth, decoder),
    timeout: field(record, "timeout", depth, decoder),
  });
}

function reviveOverwrite(record: JsonObject, depth: Depth, decoder: JsonDecoder): unknown {
  return makeOverwrite(decoder, field(record, OVERWRITE_KEY, depth, decoder));
}

function reviveCommand(record: JsonObject, depth: Depth, decoder: JsonDecoder): unknown {
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
  decoder: JsonDecoder,
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

/** The module and class that a Python record names, such as `datetime.datetime`. */
export function pythonNameOf({ id }: JsonObject): string | undefined {
  return isStringArray(id) && id.length > 1 ? id.join(".") : undefined;
}

/** The record that this library writes for a Send, of a Send of an old Python saver. */
function ownSendOf(record: JsonObject): JsonObject | undefined {
  if (pythonNameOf(record) !== "langgraph.types.Send") return undefined;
  const { args: given, kwargs } = record;
  const named = isJsonObject(kwargs) ? [kwargs.node, kwargs.arg] : [];
  const [node, args] = Array.isArray(given) && given.length === 2 ? given : named;
  return typeof node === "string" && args !== undefined ? { node, args, ...mark("Send") } : undefined;
}
