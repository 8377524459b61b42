import { construct, type LangChainClassName } from "./classes.js";

/** The fields that every instance of a message class has, whatever arguments it was built from. A spread message passes them on. */
export const CONSTANT_KEYS: ReadonlySet<string> = new Set([
  "lc_serializable",
  "lc_kwargs",
  "lc_namespace",
  "lc_direct_tool_output",
  "type",
]);

/**
 * The constructor arguments of a LangChain object as they are now. LangChain keeps the arguments, and names from them what its JSON
 * has. A field may have changed since, or may be gone: then the object no longer has what it was built from, and it must not be stored.
 * So an argument has the value of the field of its name. An argument that the class doesn't know has no such field, and keeps its own.
 *
 * @returns Names and values, in order. Arguments without a value, and those that are the same in each object of the class, are left out.
 */
export function currentArguments(object: object, name: LangChainClassName): [string, unknown][] {
  const current: [string, unknown][] = [];
  const given = argumentsOf(object);
  for (const key of Object.keys(given)) {
    if (CONSTANT_KEYS.has(key)) continue;
    const holder = key in object ? object : isFieldOf(name, key) ? undefined : given;
    const value: unknown = holder && Reflect.get(holder, key);
    if (value !== undefined) current.push([key, value]);
  }
  return current;
}

/** The arguments that an object keeps. */
export function argumentsOf(object: object): object {
  const kwargs: unknown = Reflect.get(object, "lc_kwargs");
  return typeof kwargs === "object" && kwargs !== null ? kwargs : {};
}

const fieldsOfClasses = new Map<LangChainClassName, ReadonlySet<string>>();

/** Whether each object of a class has the field, if only as `undefined`. */
function isFieldOf(name: LangChainClassName, key: string): boolean {
  let fields = fieldsOfClasses.get(name);
  if (fields === undefined) {
    fields = new Set(Object.keys(construct(name, {})));
    fieldsOfClasses.set(name, fields);
  }
  return fields.has(key);
}
