import { construct, LANGCHAIN_CLASSES, type LangChainClassName } from "../langchain/classes.js";
import { defineOwn, ownEntries, readProperty } from "./inspect-object.js";
import { fieldsFromKwargs, type Kwarg } from "./langchain-kwargs.js";
import { isSameData } from "./same-data.js";

/** What has to be done to an object made from its kwargs so that it equals the one that was written. */
export interface Difference {
  /** The own properties to set. */
  readonly fields: Record<string, unknown>;
  /** The own properties to remove. */
  readonly absent: string[];
}

/**
 * Makes the object that a reader would make from the kwargs, and compares. They differ where a field was set after
 * construction, or where core's mapping of names between JSON and class changes a name.
 */
export function differenceFromRebuilt(value: object, name: LangChainClassName, kwargs: Kwarg[]): Difference {
  const rebuilt = rebuild(name, kwargs);
  const changed = ownEntries(value).filter(
    ([key, field]) => !Object.hasOwn(rebuilt, key) || !isSameData(field, readProperty(rebuilt, key)),
  );
  const fields: Record<string, unknown> = {};
  for (const [key, field] of changed) defineOwn(fields, key, field);
  return { fields, absent: Object.keys(rebuilt).filter((key) => !Object.hasOwn(value, key)) };
}

/** Some constructors add to the arrays that they are given: they get copies. */
function rebuild(name: LangChainClassName, kwargs: Kwarg[]): object {
  const copies = kwargs.map(({ jsonKey, value }): [string, unknown] => [
    jsonKey,
    Array.isArray(value) ? Array.from<unknown>(value) : value,
  ]);
  const fields = fieldsFromKwargs(Object.fromEntries(copies), LANGCHAIN_CLASSES[name].prototype);
  return Array.isArray(fields.tool_calls) ? constructQuietly(name, fields) : construct(name, fields);
}

/** A message that has tool calls only prints a warning about raw ones among the additional kwargs: hide those from it. */
function constructQuietly(name: LangChainClassName, fields: Record<string, unknown>): object {
  if (typeof fields.additional_kwargs !== "object") return construct(name, fields);
  const hidden = {};
  const instance = construct(name, { ...fields, additional_kwargs: hidden });
  for (const holder of [instance, readProperty(instance, "lc_kwargs")]) {
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
