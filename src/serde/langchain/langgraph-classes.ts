import { readProperty, prototypeDepth } from "../objects/inspect-object.js";
import type { Command, Overwrite, Send } from "@langchain/langgraph";
import { EXT } from "../msgpack/ext-codes.js";
import { pythonOriginOf, rememberOrigin } from "../python/python-origin.js";

/** The classes of @langchain/langgraph that a stored value may be revived as. */
export interface LangGraphClasses {
  readonly Command: typeof Command;
  readonly Overwrite: typeof Overwrite;
  readonly Send: typeof Send;
}

/** Provides the classes of @langchain/langgraph to a decoder. */
export interface LangGraphSource {
  /** The classes, or `null` if @langchain/langgraph is not installed. */
  readonly langGraph: LangGraphClasses | null;
}

let imported: Promise<LangGraphClasses | null> | undefined;

/**
 * Imports the classes of @langchain/langgraph, and returns `null` if it is not installed. The package is an optional peer and
 * slow to load, so it is imported when the first value needs it.
 */
export function importLangGraph(): Promise<LangGraphClasses | null> {
  imported ??= importClasses();
  return imported;
}

async function importClasses(): Promise<LangGraphClasses | null> {
  // Bundlers take a package that is missing for optional in a `try` block only.
  try {
    const { Command, Overwrite, Send } = await import("@langchain/langgraph");
    return { Command, Overwrite, Send };
  } catch {
    return null;
  }
}

/**
 * Calls `read`. If `read` accesses the classes of @langchain/langgraph, imports them and calls `read` again.
 *
 * @returns the result of `read`, or a promise of it if `read` was called again
 */
export function readWithLangGraph<T>(read: (source: LangGraphSource) => T): T | Promise<T> {
  const source = new NotImported();
  const value = read(source);
  return source.isAsked ? importLangGraph().then((langGraph) => read({ langGraph })) : value;
}

class NotImported implements LangGraphSource {
  isAsked = false;

  get langGraph(): null {
    this.isAsked = true;
    return null;
  }
}

/** The symbol under which a Command keeps the argument that its constructor was called with. */
export const COMMAND_ARGUMENT = Symbol.for("langgraph.command");

/** The fields of a Command, in their own order. */
export const COMMAND_FIELDS = ["graph", "update", "resume", "goto"] as const;

/** The key under which an Overwrite keeps its value. */
export const OVERWRITE_KEY = "__overwrite__";

/** Python's module of Send, Command and Overwrite. */
export const LANGGRAPH_TYPES = "langgraph.types";

const CODES = { Command: EXT.PYTHON_KWARGS, Overwrite: EXT.PYTHON_KWARGS, Send: EXT.PYTHON_ARGS } as const;

/**
 * A literal object that represents an object of @langchain/langgraph. The engine creates an instance of its own class from it,
 * so it works with every copy of the package. The serializers write it as that object.
 *
 * @param fields - the fields of the object, without its name
 */
export function langGraphLiteral(name: keyof typeof CODES, fields: object): object {
  const origin = { code: CODES[name], module: LANGGRAPH_TYPES, name };
  return rememberOrigin({ lg_name: name, ...fields }, origin);
}

/** Whether a literal object was made by {@link langGraphLiteral}. */
export function standsForLangGraph(value: object): boolean {
  const origin = pythonOriginOf(value);
  if (origin?.module !== LANGGRAPH_TYPES || !Object.hasOwn(CODES, origin.name)) return false;
  return Reflect.get(value, "lg_name") === origin.name;
}

/**
 * The name of the class of @langchain/langgraph that an object is of, if it is of one; an instance of a subclass would be read back as
 * an instance of the class that it extends. Such an object is known by its `lg_name`, since an application may have loaded the package
 * twice, or not at all.
 */
export function exactLangGraphName(value: object): unknown {
  const name = readProperty(value, "lg_name");
  const isExact = prototypeDepth(value) === (name === "Command" ? 3 : 2) || standsForLangGraph(value);
  return isExact ? name : undefined;
}

/** A Send, or the literal object that represents it where @langchain/langgraph is not installed. */
export function makeSend(
  { langGraph }: LangGraphSource,
  fields: { readonly node: string; readonly args: unknown; readonly timeout: unknown },
): object {
  // The constructor would copy the argument, turn an object with a node and args into another Send, and check the timeout again.
  const send = langGraph === null ? langGraphLiteral("Send", {}) : new langGraph.Send(fields.node, undefined);
  return Object.assign(send, fields);
}

/** An Overwrite, or the literal object that represents it. */
export function makeOverwrite({ langGraph }: LangGraphSource, value: unknown): object {
  return langGraph === null
    ? langGraphLiteral("Overwrite", { [OVERWRITE_KEY]: value })
    : new langGraph.Overwrite(value);
}
