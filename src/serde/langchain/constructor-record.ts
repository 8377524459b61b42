import { isObject } from "../objects/type-guards.js";

/**
 * The reason why a stored LangChain record is refused, or `undefined`. A record that is not refused is read like any other: only
 * the classes on the list are revived.
 */
export function recordProblem(record: unknown): string | undefined {
  if (!isObject(record)) return undefined;
  if (Reflect.get(record, "lc") === 1) {
    const problem = constructorProblem(record);
    if (problem !== undefined) return problem;
  }
  for (const part of Object.values(record)) {
    const problem = recordProblem(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function constructorProblem(record: object): string | undefined {
  const type: unknown = Reflect.get(record, "type");
  const id: unknown = Reflect.get(record, "id");
  if (type === "secret") return "holds a secret, which is never stored";
  if (type !== "constructor" || !Array.isArray(id)) return "does not implement serialization";
  return id[0] === "langchain_core" ? undefined : `is outside langchain_core (${id.map(String).join(".")})`;
}
