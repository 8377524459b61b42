import type { z } from "zod";
import { InvalidConfigError } from "../../errors.js";

/**
 * Parses an argument of a public method: the only place where what a caller gave becomes what the code inside trusts.
 *
 * @param name - What the argument is called, the beginning of the field that an error names.
 * @throws InvalidConfigError naming the first field that is wrong.
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = deepest(result.error.issues);
  const field = [name, ...(issue?.path ?? []).map(String)].filter((part) => part !== "").join(".");
  throw new InvalidConfigError(field, issue?.message ?? "is not valid");
}

// Of a union, the alternative that came furthest says best what is wrong.
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue] = issues;
  if (issue?.code !== "invalid_union") return issue;
  const custom = issue.errors.flat().find((inner) => inner.code === "custom");
  return custom === undefined ? issue : { ...custom, path: [...issue.path, ...custom.path] };
}
