import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { langGraphLiteral } from "../langchain/langgraph-literals.js";
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
  if (context.langGraph === null) return langGraphLiteral("Send", parts);
  // The constructor would rebuild the argument, and take an object with a node and args in it for another Send.
  return Object.assign(new context.langGraph.Send(args[0], undefined), parts);
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
  if (context.langGraph === null) return langGraphLiteral("Command", args);
  // The constructor copies plain objects in it key by key, and this key would replace their prototypes.
  if (hasPrototypeKey(args.goto)) return context.fail("a Command is malformed");
  return new context.langGraph.Command(args);
}

function hasPrototypeKey(value: unknown): boolean {
  if (!isArray(value) && !isRecord(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeKey);
}

/** `Overwrite(value)`. */
export function decodeOverwrite(kwargs: unknown, context: DecodeContext): object {
  if (!isRecord(kwargs)) return context.fail("an Overwrite is malformed");
  const value = kwargs.value;
  if (context.langGraph !== null) return new context.langGraph.Overwrite(value);
  return langGraphLiteral("Overwrite", { __overwrite__: value });
}
