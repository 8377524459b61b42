import { TASKS } from "@langchain/langgraph-checkpoint";
import { langGraphLiteral } from "../../serde/langchain/langgraph-classes.js";
import { isArray, isObject, isRecord } from "../../serde/objects/inspect-object.js";

/**
 * Converts the value of a channel so that every copy of @langchain/langgraph runs the tasks in it. An application may
 * have loaded several copies: one by `import` and one by `require`, or one from a nested `node_modules`.
 *
 * When the engine starts a task, it creates a Send of its own from another copy's. It leaves the Sends and Commands
 * in the arguments as they are, and later drops those of another copy without an error. From literal objects it
 * creates its own. It copies the arguments then, and the copies lose what they were in Python. So a Send that
 * contains no other stays as it is.
 *
 * @param channel - The channel. The value of any channel other than that of the tasks is returned unchanged.
 */
export function portableSends(channel: string, value: unknown): unknown {
  if (channel !== TASKS) return value;
  return isArray(value) ? value.map(portableSend) : portableSend(value);
}

function portableSend(value: unknown): unknown {
  return isSend(value) && holdsTask(value.args) ? withLiterals(value) : value;
}

/** Whether a Send or Command is where the engine looks for one. */
function holdsTask(value: unknown): boolean {
  if (isArray(value)) return value.some(holdsTask);
  if (isRecord(value)) return Object.values(value).some(holdsTask);
  return isSend(value) || isCommand(value);
}

function withLiterals(value: unknown): unknown {
  if (!holdsTask(value)) return value;
  if (isArray(value)) return value.map(withLiterals);
  if (isSend(value)) {
    const { node, args, timeout } = value;
    return langGraphLiteral("Send", { node, args: withLiterals(args), timeout });
  }
  if (isCommand(value)) {
    const { graph, update, resume, goto } = value;
    return langGraphLiteral("Command", { graph, update, resume, goto: withLiterals(goto) });
  }
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withLiterals(part)]))
    : value;
}

interface SendFields {
  readonly node: unknown;
  readonly args: unknown;
  readonly timeout?: unknown;
}

interface CommandFields {
  readonly graph?: unknown;
  readonly update?: unknown;
  readonly resume?: unknown;
  readonly goto: unknown;
}

function isSend(value: unknown): value is SendFields {
  return isInstance(value, "Send");
}

function isCommand(value: unknown): value is CommandFields {
  return isInstance(value, "Command");
}

/** Recognized by the name that each object of LangGraph carries, because `instanceof` knows only one copy. */
function isInstance(value: unknown, name: string): boolean {
  return isObject(value) && !isRecord(value) && Reflect.get(value, "lg_name") === name;
}
