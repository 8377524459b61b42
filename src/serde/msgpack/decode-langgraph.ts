import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { OVERWRITE_KEY } from "../langchain/langgraph-layout.js";
import { langGraphLiteral } from "../langchain/langgraph-literals.js";
import { pythonScalarsOf, rememberScalars } from "../python/python-origin.js";
import type { DecodeContext } from "./decode-context.js";
import { isArray, isRecord } from "../objects/type-guards.js";

/** Decodes an extension 7. */
export function decodeDeltaSnapshot(value: unknown): DeltaSnapshot {
  return new DeltaSnapshot(value);
}

/** Decodes `Send(node, arg, timeout?)`. Without @langchain/langgraph it returns a literal object that represents the Send. */
export function decodeSend(args: unknown, context: DecodeContext): object {
  if (!isArray(args) || typeof args[0] !== "string") return context.fail("a Send is malformed");
  const parts = { node: args[0], args: args[1], timeout: decodeTimeout(args[2]) };
  const scalar = pythonScalarsOf(args)?.get("1");
  const scalars = scalar && new Map([["args", scalar]]);
  if (context.langGraph === null) return rememberScalars(langGraphLiteral("Send", parts), scalars);
  // The constructor would copy the argument, and turn an object with a node and args into another Send.
  return rememberScalars(Object.assign(new context.langGraph.Send(args[0], undefined), parts), scalars);
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
export function decodeCommand(kwargs: unknown, context: DecodeContext): object {
  if (!isRecord(kwargs)) return context.fail("a Command is malformed");
  const isFromPython = Object.keys(kwargs)[0] === "graph" && "goto" in kwargs;
  const given = Object.entries(kwargs).filter(([, value]) => !(isFromPython && value === null));
  const args = Object.fromEntries(given);
  const scalars = pythonScalarsOf(kwargs);
  if (context.langGraph === null) return rememberScalars(langGraphLiteral("Command", args), scalars);
  // The constructor copies plain objects key by key, and this key would replace their prototypes.
  if (hasPrototypeKey(args.goto)) return context.fail("a Command is malformed");
  return rememberScalars(new context.langGraph.Command(args), scalars);
}

function hasPrototypeKey(value: unknown): boolean {
  if (!isArray(value) && !isRecord(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeKey);
}

/** Decodes `Overwrite(value)`. */
export function decodeOverwrite(kwargs: unknown, context: DecodeContext): object {
  if (!isRecord(kwargs)) return context.fail("an Overwrite is malformed");
  const { value } = kwargs;
  const overwrite =
    context.langGraph === null
      ? langGraphLiteral("Overwrite", { [OVERWRITE_KEY]: value })
      : new context.langGraph.Overwrite(value);
  return rememberScalars(overwrite, pythonScalarsOf(kwargs));
}
