import { construct, LANGCHAIN_CLASSES, type LangChainClassName } from "../langchain/classes.js";
import { currentArguments } from "../langchain/current-arguments.js";
import { defineOwn, ownEntries, prototypeOf, readProperty } from "../objects/inspect-object.js";
import { isPlainObject } from "../plain-object.js";
import { fieldsFromKwargs, type Kwarg } from "./langchain-kwargs.js";

/** The changes that turn an object built from the kwargs into the object that was written. */
export interface Difference {
  /** The own properties to set. */
  readonly fields: Record<string, unknown>;
  /** The own properties to remove. */
  readonly absent: string[];
}

/**
 * Builds the object that a reader would build from the kwargs, and compares it with `value`. They differ if a field was set after
 * construction, or if core's mapping of names between JSON and class changes a name.
 */
export function differenceFromRebuilt(value: object, name: LangChainClassName, kwargs: Kwarg[]): Difference {
  const rebuilt = rebuild(name, kwargs);
  const changed = currentEntries(value, name).filter(
    ([key, field]) => !Object.hasOwn(rebuilt, key) || !isSameData(field, currentValue(rebuilt, key, name)),
  );
  const fields: Record<string, unknown> = {};
  for (const [key, field] of changed) defineOwn(fields, key, field);
  return { fields, absent: Object.keys(rebuilt).filter((key) => !Object.hasOwn(value, key)) };
}

/** The own properties. The constructor arguments are those of {@link currentArguments}, as values that the object no longer has aren't stored. */
function currentEntries(value: object, name: LangChainClassName): [string, unknown][] {
  return Object.keys(value).map((key) => [key, currentValue(value, key, name)]);
}

function currentValue(value: object, key: string, name: LangChainClassName): unknown {
  return key === ARGUMENTS ? Object.fromEntries(currentArguments(value, name)) : readProperty(value, key);
}

const ARGUMENTS = "lc_kwargs";

/** Passes copies of arrays, since some constructors add elements to them. */
function rebuild(name: LangChainClassName, kwargs: Kwarg[]): object {
  const copies = kwargs.map(({ jsonKey, value }): [string, unknown] => [
    jsonKey,
    Array.isArray(value) ? Array.from<unknown>(value) : value,
  ]);
  const fields = fieldsFromKwargs(Object.fromEntries(copies), LANGCHAIN_CLASSES[name].prototype);
  return Array.isArray(fields.tool_calls) ? constructQuietly(name, fields) : construct(name, fields);
}

/** Hides raw tool calls in the additional kwargs, since the constructor of a message would only print a warning about them. */
function constructQuietly(name: LangChainClassName, fields: Record<string, unknown>): object {
  if (typeof fields.additional_kwargs !== "object") return construct(name, fields);
  const hidden = {};
  const instance = construct(name, { ...fields, additional_kwargs: hidden });
  for (const holder of [instance, readProperty(instance, ARGUMENTS)]) {
    if (
      typeof holder === "object" &&
      holder !== null &&
      readProperty(holder, "additional_kwargs") === hidden
    ) {
      defineOwn(holder, "additional_kwargs", fields.additional_kwargs);
    }
  }
  return instance;
}

/** Whether two values are the same data: identical, or arrays or plain objects of the same data in the same order. */
function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (prototypeOf(a) !== prototypeOf(b) || !isData(a)) return false;
  const left = ownEntries(a);
  const right = ownEntries(b);
  return left.length === right.length && left.every((entry, index) => isSameEntry(entry, right[index]));
}

function isSameEntry([key, value]: [string, unknown], other: [string, unknown] | undefined): boolean {
  return key === other?.[0] && isSameData(value, other[1]);
}

function isData(value: object): boolean {
  return Array.isArray(value) || isPlainObject(value);
}
