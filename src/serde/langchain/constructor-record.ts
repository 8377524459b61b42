import { Serializable } from "@langchain/core/load/serializable";
import { BaseMessage } from "@langchain/core/messages";

/** The JSON of a LangChain constructor record, or why there is none. */
export type LangChainRecord = { readonly text: string } | { readonly problem: string };

/**
 * Describes a LangChain object of the core package by the record that LangChain makes of it; `undefined` for any other
 * value. Messages are left out: those that may be stored have an encoding of their own, and a subclass of one would
 * come back as the class that it extends.
 */
export function toLangChainRecord(value: object): LangChainRecord | undefined {
  if (!(value instanceof Serializable) || value instanceof BaseMessage || !value.lc_serializable)
    return undefined;
  const text = JSON.stringify(value);
  const problem = recordProblem(JSON.parse(text), 0);
  return problem === undefined ? { text } : { problem: `a ${value.lc_id.join(".")} ${problem}` };
}

const MAX_DEPTH = 50;

/** Why a record must not or can't be loaded; LangChain itself loads down to 50 levels. */
export function recordProblem(record: unknown, depth: number): string | undefined {
  if (typeof record !== "object" || record === null) return undefined;
  if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH}`;
  if (Reflect.get(record, "lc") === 1) {
    const problem = constructorProblem(record);
    if (problem !== undefined) return problem;
  }
  for (const part of Object.values(record)) {
    const problem = recordProblem(part, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function constructorProblem(record: object): string | undefined {
  const type: unknown = Reflect.get(record, "type");
  const id: unknown = Reflect.get(record, "id");
  if (type === "secret") return "holds a secret, which is never stored";
  if (type !== "constructor" || !Array.isArray(id)) return "does not implement serialization";
  return id[0] === "langchain_core" ? undefined : `is outside langchain_core (${id.join(".")})`;
}
