import { COMMAND_ARGUMENT, COMMAND_FIELDS, OVERWRITE_KEY } from "../langchain/langgraph-layout.js";
import { LANGGRAPH_TYPES, standsForLangGraph } from "../langchain/langgraph-literals.js";
import { pythonScalarsOf } from "../python/python-origin.js";
import type { EncodeContext } from "./encode-context.js";
import { pythonTuple, rememberedScalar } from "./encode-origin.js";
import { EXT } from "./ext-codes.js";
import { extraSymbol, prototypeDepth } from "../objects/inspect-object.js";
import { isArray, isObject, isRecord } from "../objects/type-guards.js";
import { MARKED, markedToolCall } from "./tool-call-sends.js";
import { float64 } from "./wire.js";

const TIMEOUT_FIELDS: ReadonlySet<string> = new Set(["runTimeout", "idleTimeout", "refreshOn"]);

/**
 * Encodes Send, Command, Overwrite and DeltaSnapshot. It recognizes them by their `lg_name`, not by their class: an application
 * may have loaded @langchain/langgraph twice, or not at all.
 */
export function encodeLangGraph(value: object, context: EncodeContext): unknown {
  const name: unknown = Reflect.get(value, "lg_name");
  // An instance of a subclass would be read back as an instance of the class that it extends.
  const isExact = prototypeDepth(value) === (name === "Command" ? 3 : 2) || standsForLangGraph(value);
  switch (isExact ? name : undefined) {
    case "Send":
      return encodeSend(value, context);
    case "Command":
      return encodeCommand(value, context);
    case "Overwrite":
      return encodeOverwrite(value, context);
    case "DeltaSnapshot":
      return encodeDeltaSnapshot(value, context);
    default:
      return undefined;
  }
}

function encodeSend(value: object, context: EncodeContext): unknown {
  refuseForeign(value, ["lg_name", "node", "args", "timeout"], context);
  const node: unknown = Reflect.get(value, "node");
  // Nothing else could be read as a Send.
  if (typeof node !== "string") return context.fail("the node of a Send is not a text");
  const args: unknown = Reflect.get(value, "args");
  const [name, encoded] = context.within(value, () => [
    context.at("node", node),
    encodePart(value, "args", args, context),
  ]);
  const marked = markedToolCall(args, encoded);
  const parts = [name, marked ?? encoded];
  const timeout: unknown = Reflect.get(value, "timeout");
  if (timeout !== undefined && timeout !== null) parts.push(encodeTimeout(timeout, context));
  const call = pythonTuple(LANGGRAPH_TYPES, "Send", parts);
  return context.extension(EXT.PYTHON_ARGS, marked === undefined ? call : [...call, MARKED]);
}

/** JavaScript counts timeouts in milliseconds, Python in seconds. */
function encodeTimeout(timeout: unknown, context: EncodeContext): unknown {
  if (!isRecord(timeout) || !isPolicy(timeout)) return context.fail("the timeout of a Send is not a policy");
  const policy = {
    run_timeout: encodeSeconds(timeout.runTimeout),
    idle_timeout: encodeSeconds(timeout.idleTimeout),
    refresh_on: timeout.refreshOn ?? "auto",
  };
  return context.extension(EXT.PYTHON_KWARGS, pythonTuple(LANGGRAPH_TYPES, "TimeoutPolicy", policy));
}

function isPolicy(timeout: Record<string, unknown>): boolean {
  const isKnown = Object.keys(timeout).every((key) => TIMEOUT_FIELDS.has(key));
  return isKnown && [timeout.runTimeout, timeout.idleTimeout].every(isMilliseconds);
}

function isMilliseconds(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "number";
}

function encodeSeconds(timeoutMs: unknown): unknown {
  return typeof timeoutMs === "number" ? float64(timeoutMs / 1000) : null;
}

/** Encodes the constructor arguments of a Command, or its own fields if they were changed since. */
function encodeCommand(value: object, context: EncodeContext): unknown {
  refuseForeign(value, ["lg_name", "lc_direct_tool_output", ...COMMAND_FIELDS], context);
  const source = commandSource(value);
  const kwargs = context.within(value, () =>
    givenFields(source).map(
      (field) => [field, encodePart(value, field, Reflect.get(source, field), context)] as const,
    ),
  );
  return context.extension(EXT.PYTHON_KWARGS, pythonTuple(LANGGRAPH_TYPES, "Command", new Map(kwargs)));
}

function commandSource(value: object): object {
  const built: unknown = Reflect.get(value, COMMAND_ARGUMENT);
  if (!isObject(built)) return value;
  const isUnchanged = ["graph", "update", "resume"].every(
    (field) => Reflect.get(built, field) === Reflect.get(value, field),
  );
  return isUnchanged && goesTo(value, Reflect.get(built, "goto")) ? built : value;
}

/** Whether the `goto` of a Command is unchanged. The constructor converts it to a list, and literal objects to Sends. */
function goesTo(command: object, built: unknown): boolean {
  const goto: unknown = Reflect.get(command, "goto");
  const places: unknown[] = isArray(built) ? built : built ? [built] : [];
  return (
    isArray(goto) &&
    goto.length === places.length &&
    goto.every((place, index) => place === places[index] || isRecord(places[index]) || isArray(places[index]))
  );
}

/**
 * The fields to write. Python writes every field, `graph` first, and `None` for fields that were not given. JavaScript writes the
 * given fields, and never `graph` first along with `goto`, so that a reader can recognize a `null` that was given.
 */
function givenFields(source: object): string[] {
  const known: readonly string[] = COMMAND_FIELDS;
  const given = Object.keys(source).filter(
    (field) => known.includes(field) && Reflect.get(source, field) !== undefined,
  );
  return given[0] === "graph" ? [...given.slice(1), "graph"] : given;
}

function encodeOverwrite(value: object, context: EncodeContext): unknown {
  refuseForeign(value, ["lg_name", OVERWRITE_KEY], context);
  const part = context.within(value, () =>
    encodePart(value, "value", Reflect.get(value, OVERWRITE_KEY), context),
  );
  return context.extension(
    EXT.PYTHON_KWARGS,
    pythonTuple(LANGGRAPH_TYPES, "Overwrite", new Map([["value", part]])),
  );
}

function encodeDeltaSnapshot(value: object, context: EncodeContext): unknown {
  refuseForeign(value, ["lg_name", "value"], context);
  const part = context.within(value, () => context.at("value", Reflect.get(value, "value")));
  return context.extension(EXT.DELTA_SNAPSHOT, part);
}

/** Encodes a part of a Send, Command or Overwrite. `name` is the name under which the value keeps the bytes of the part. */
function encodePart(value: object, name: string, part: unknown, context: EncodeContext): unknown {
  return rememberedScalar(pythonScalarsOf(value), name, part) ?? context.at(name, part);
}

function refuseForeign(value: object, known: readonly string[], context: EncodeContext): void {
  const symbol = extraSymbol(value, COMMAND_ARGUMENT);
  const foreign = Object.keys(value).find((key) => !known.includes(key)) ?? symbol;
  if (foreign !== undefined)
    context.fail(`a ${String(Reflect.get(value, "lg_name"))} with the property "${foreign}" can't be stored`);
}
