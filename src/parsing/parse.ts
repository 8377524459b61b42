import type { z } from "zod";
import { InvalidConfigError } from "../errors/index.js";

/**
 * Parses an argument of a public method. Only this function turns a caller's value into one that the code
 * inside trusts.
 *
 * @param name - The name of the argument, with which an error's field begins.
 * @throws InvalidConfigError naming the first field that is wrong.
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name: string,
): z.output<Schema> {
  try {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw toInvalidConfigError(result.error, name);
  } catch (error) {
    if (error instanceof InvalidConfigError) throw error;
    // A getter or a Proxy of the caller may throw anything when it is read, also while an error message is
    // built.
    throw new InvalidConfigError(name, "could not be read", { cause: error });
  }
}

function toInvalidConfigError({ issues }: z.ZodError, name: string): InvalidConfigError {
  const issue = deepest(issues.map(withUnknownKeyInPath));
  const field = [name, ...(issue?.path ?? []).map(String)].filter((part) => part !== "").join(".");
  return new InvalidConfigError(field, issue?.message ?? "is not valid");
}

/** Reports an unknown option under its name, like an invalid one. */
function withUnknownKeyInPath(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "unrecognized_keys") return issue;
  return { code: "custom", path: [...issue.path, ...issue.keys.slice(0, 1)], message: "unknown option" };
}

// In a union, the error of the alternative that matched furthest is the most helpful.
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue] = issues;
  if (issue?.code !== "invalid_union") return issue;
  const inner = issue.errors.flat().map(withUnknownKeyInPath);
  const furthest = inner.find(({ code }) => code === "custom") ?? inner.find(({ path }) => path.length > 0);
  return furthest === undefined ? issue : { ...furthest, path: [...issue.path, ...furthest.path] };
}
