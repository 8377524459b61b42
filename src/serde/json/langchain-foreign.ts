import { prototypeOf, readProperty } from "./inspect-object.js";

// The modules of LangChain's core whose classes hold data and can be written. Not among them: models, tools, tracers,
// stores and loaders, whose constructors open connections or read the environment.
const MODULES = ["prompt_values", "prompts", "output_parsers", "runnables"];
const CLASS_NAME = /^[A-Z][A-Za-z0-9]*$/;

/** Whether the `id` of a record names a class of LangChain's core that may be revived through core's own `load`. */
export function isForeignId(id: readonly string[]): boolean {
  const [root, module] = id;
  const name = id.at(-1);
  if (root !== "langchain_core" || module === undefined || name === undefined || id.length < 3) return false;
  return MODULES.includes(module) && CLASS_NAME.test(name);
}

/**
 * Revives an object through core's `load`, which finds the class. The kwargs have been decoded already: they are
 * handed over as a secret, since `load` itself reads none of our records. No secret is taken from the environment.
 *
 * @returns the object, or undefined where core has no such class or its constructor refuses the kwargs
 */
export async function loadForeign(id: readonly string[], kwargs: object): Promise<object | undefined> {
  const record = { lc: 1, type: "constructor", id, kwargs: { lc: 1, type: "secret", id: ["kwargs"] } };
  const { load } = await import("@langchain/core/load");
  try {
    const loaded = await load<unknown>(JSON.stringify(record), { secretsMap: { kwargs } });
    return isWritable(loaded) ? loaded : undefined;
  } catch {
    return undefined;
  }
}

function isWritable(loaded: unknown): loaded is object {
  if (typeof loaded !== "object" || loaded === null || prototypeOf(loaded) === null) return false;
  return readProperty(loaded, "lc_serializable") === true;
}
