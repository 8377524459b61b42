import {
  exactLangGraphName,
  type LangGraphSource,
  makeSend,
  makeOverwrite,
  COMMAND_ARGUMENT,
  COMMAND_FIELDS,
  OVERWRITE_KEY,
  LANGGRAPH_TYPES,
  langGraphLiteral,
} from "../langchain/langgraph-classes.js";
import { malformed } from "./byte-reader.js";
import { pythonScalarsOf, rememberScalars } from "../python/python-origin.js";
import { type EncodeContext, pythonTuple, rememberedScalar } from "./encode-context.js";
import { EXT } from "./ext-codes.js";
import { extraSymbol, isArray, isObject, isRecord, readProperty } from "../objects/inspect-object.js";
import { float64 } from "./wire.js";

const TIMEOUT_FIELDS: ReadonlySet<string> = new Set(["runTimeout", "idleTimeout", "refreshOn"]);

/**
 * Encodes Send, Command, Overwrite and DeltaSnapshot. It recognizes them by their `lg_name`, not by their class: an application
 * may have loaded @langchain/langgraph twice, or not at all.
 */
export function encodeLangGraph(value: object, context: EncodeContext): unknown {
  switch (exactLangGraphName(value)) {
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

/** Decodes `Send(node, arg, timeout?)`. Without @langchain/langgraph it returns a literal object that represents the Send. */
export function decodeSend(args: unknown, source: LangGraphSource): object {
  if (!isArray(args) || typeof args[0] !== "string") throw malformed("a Send is malformed");
  const parts = { node: args[0], args: args[1], timeout: decodeTimeout(args[2]) };
  const scalar = pythonScalarsOf(args)?.get("1");
  const scalars = scalar && new Map([["args", scalar]]);
  return rememberScalars(makeSend(source, parts), scalars);
}

/** Python counts timeouts in seconds, JavaScript in milliseconds. */
function decodeTimeout(policy: unknown): object | undefined {
  if (!isRecord(policy)) return undefined;
  return {
    runTimeout: toMilliseconds(policy.run_timeout),
    idleTimeout: toMilliseconds(policy.idle_timeout),
    refreshOn: policy.refresh_on,
  };
}

function toMilliseconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" ? Math.round(seconds * 1e9) / 1e6 : undefined;
}

/** Decodes `Command(graph, update, resume, goto)` from the arguments that were given. Python writes `None` for the others. */
export function decodeCommand(kwargs: unknown, source: LangGraphSource): object {
  if (!isRecord(kwargs)) throw malformed("a Command is malformed");
  const isFromPython = Object.keys(kwargs)[0] === "graph" && "goto" in kwargs;
  const given = Object.entries(kwargs).filter(([, value]) => !(isFromPython && value === null));
  const args = Object.fromEntries(given);
  const scalars = pythonScalarsOf(kwargs);
  if (source.langGraph === null) return rememberScalars(langGraphLiteral("Command", args), scalars);
  // The constructor copies plain objects key by key, and this key would replace their prototypes.
  if (hasPrototypeKey(args.goto)) throw malformed("a Command is malformed");
  return rememberScalars(new source.langGraph.Command(args), scalars);
}

function hasPrototypeKey(value: unknown): boolean {
  if (!isArray(value) && !isRecord(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeKey);
}

/** Decodes `Overwrite(value)`. */
export function decodeOverwrite(kwargs: unknown, source: LangGraphSource): object {
  if (!isRecord(kwargs)) throw malformed("an Overwrite is malformed");
  return rememberScalars(makeOverwrite(source, kwargs.value), pythonScalarsOf(kwargs));
}

/** The key and the value by which the `ToolNode` of Python knows one call with its state. */
const TYPE = "__type";
const ONE_CALL = "tool_call_with_context";
/** The key under which an agent of LangChain.js sends one call to its tools, beside the state. */
const CALL = "lg_tool_call";

/** Says behind a Send that it is marked. Python ignores what is there. */
export const MARKED = ["marked"];

/**
 * Marks one of several calls that an agent of LangChain.js sends to its tools. Python's `ToolNode` doesn't know the key of the call, and
 * would run all calls of the message for each of them. By the mark it looks for the call under its own key, and fails before it runs one.
 *
 * @param args - what is sent
 * @param encoded - the same, encoded
 * @returns `undefined` for what needs no mark
 */
function markedToolCall(args: unknown, encoded: unknown): object | undefined {
  if (!isRecord(args) || !Object.hasOwn(args, CALL) || Object.hasOwn(args, TYPE)) return undefined;
  if (callsIn(args.messages) < 2) return undefined;
  if (encoded instanceof Map) return new Map<unknown, unknown>([...encoded, [TYPE, ONE_CALL]]);
  return encoded === args ? { ...args, [TYPE]: ONE_CALL } : undefined;
}

/** Removes the mark of {@link markedToolCall} from the arguments of a Send. */
export function withoutMarkOfCall(parts: unknown): unknown {
  const args = isArray(parts) ? parts[1] : undefined;
  if (isRecord(args)) Reflect.deleteProperty(args, TYPE);
  return parts;
}

/** The number of calls in the last message that has a list of them, as each message of a model has: Python runs those. */
function callsIn(messages: unknown): number {
  if (!isArray(messages)) return 0;
  const lists: unknown[] = messages.map((each) =>
    isObject(each) ? readProperty(each, "tool_calls") : undefined,
  );
  return lists.findLast(isArray)?.length ?? 0;
}
