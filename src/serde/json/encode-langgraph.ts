import { isDeltaSnapshot } from "@langchain/langgraph-checkpoint";

import { standsForLangGraph } from "../langchain/langgraph-literals.js";
import type { Encoder } from "./encoder.js";
import { ownEntries, ownSymbols, prototypeDepth, readProperty } from "../objects/inspect-object.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import { COMMAND_ARGUMENT, COMMAND_FIELDS, OVERWRITE_KEY } from "../langchain/langgraph-layout.js";
import type { Place } from "./place.js";

/**
 * Encodes a LangGraph object, or returns `undefined` for any other object. The official layout writes Send, Overwrite and Command
 * as plain objects that the engine still understands. The keys that mark them for this reader are added to those objects.
 */
export function encodeLangGraph(value: object, place: Place, encoder: Encoder): JsonValue | undefined {
  if (isDeltaSnapshot(value) && prototypeDepth(value) === 2) {
    rejectExtra(value, ["lg_name", "value"], place);
    return { lc: 2, type: "delta_snapshot", value: encoder.encode(value.value, place.inRecord("value", 1)) };
  }
  const name = readProperty(value, "lg_name");
  const isExact = prototypeDepth(value) === (name === "Command" ? 3 : 2) || standsForLangGraph(value);
  switch (isExact ? name : undefined) {
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
function rejectExtra(value: object, known: readonly PropertyKey[], place: Place): void {
  const extra = [...Object.keys(value), ...ownSymbols(value)].find((key) => !known.includes(key));
  if (extra !== undefined)
    throw place.error(
      `a ${String(readProperty(value, "lg_name"))} with the property ${String(extra)} can't be stored`,
    );
}

function encodeSend(send: object, place: Place, encoder: Encoder): JsonObject {
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

function encodeOverwrite(overwrite: object, place: Place, encoder: Encoder): JsonObject {
  rejectExtra(overwrite, ["lg_name", OVERWRITE_KEY], place);
  return { [OVERWRITE_KEY]: encodeField(overwrite, OVERWRITE_KEY, place, encoder), ...mark("Overwrite") };
}

function encodeCommand(command: object, place: Place, encoder: Encoder): JsonObject {
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
function encodeArgument(command: object, place: Place, encoder: Encoder): JsonValue {
  const argument = readProperty(command, COMMAND_ARGUMENT);
  if (typeof argument !== "object" || argument === null) return null;
  return ownEntries(argument).map(([key, value]) =>
    Object.is(value, readProperty(command, key))
      ? [encoder.encode(key, place)]
      : [encoder.encode(key, place), encoder.encode(value, place.inRecord(key, 4))],
  );
}

function encodeField(value: object, key: string, place: Place, encoder: Encoder): JsonValue {
  return encoder.encode(readProperty(value, key), place.inRecord(key, 1));
}
