import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { langGraphLiteral } from "../langchain/langgraph-literals.js";
import { pythonScalarsOf, rememberScalars } from "../python-origin.js";
import type { DecodeContext } from "./decode-context.js";
import { isArray, isRecord } from "./prototypes.js";

/** A value from an extension 7. */
export function decodeDeltaSnapshot(value: unknown): DeltaSnapshot {
  return new DeltaSnapshot(value);
}

/** `Send(node, arg, timeout?)`. Without @langchain/langgraph the result is a literal object that stands for it. */
export function decodeSend(args: unknown, context: DecodeContext): object {
  if (!isArray(args) || typeof args[0] !== "string") return context.fail("a Send is malformed");
  const parts = { node: args[0], args: args[1], timeout: decodeTimeout(args[2]) };
  const scalar = pythonScalarsOf(args)?.get("1");
  const scalars = scalar && new Map([["args", scalar]]);
  if (context.langGraph === null) return rememberScalars(langGraphLiteral("Send", parts), scalars);
  // The constructor would rebuild the argument, and take an object with a node and args in it for another Send.
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

/** `Command(graph, update, resume, goto)`, built from what was given; Python's `None` means that it was not. */
export function decodeCommand(kwargs: unknown, context: DecodeContext): object {
  if (!isRecord(kwargs)) return context.fail("a Command is malformed");
  const isFromPython = Object.keys(kwargs)[0] === "graph" && "goto" in kwargs;
  const given = Object.entries(kwargs).filter(([, value]) => !(isFromPython && value === null));
  const args = Object.fromEntries(given);
  const scalars = pythonScalarsOf(kwargs);
  if (context.langGraph === null) return rememberScalars(langGraphLiteral("Command", args), scalars);
  // The constructor copies plain objects in it key by key, and this key would replace their prototypes.
  if (hasPrototypeKey(args.goto)) return context.fail("a Command is malformed");
  return rememberScalars(new context.langGraph.Command(args), scalars);
}

function hasPrototypeKey(value: unknown): boolean {
  if (!isArray(value) && !isRecord(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeKey);
}

/** `Overwrite(value)`. */
export function decodeOverwrite(kwargs: unknown, context: DecodeContext): object {
  if (!isRecord(kwargs)) return context.fail("an Overwrite is malformed");
  const { value } = kwargs;
  const overwrite =
    context.langGraph === null
      ? langGraphLiteral("Overwrite", { __overwrite__: value })
      : new context.langGraph.Overwrite(value);
  return rememberScalars(overwrite, pythonScalarsOf(kwargs));
}
