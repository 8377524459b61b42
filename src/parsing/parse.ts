import type { z } from "zod";
import { InvalidConfigError } from "../errors/index.js";

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
  try {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw refusal(result.error, name);
  } catch (error) {
    if (error instanceof InvalidConfigError) throw error;
    // A getter or a Proxy of the caller's may throw anything while it is looked at, for an error's text as well.
    throw new InvalidConfigError(name, "could not be read", { cause: error });
  }
}

function refusal({ issues }: z.ZodError, name: string): InvalidConfigError {
  const issue = deepest(issues.map(named));
  const field = [name, ...(issue?.path ?? []).map(String)].filter((part) => part !== "").join(".");
  return new InvalidConfigError(field, issue?.message ?? "is not valid");
}

/** An option that there is not is named like one that is wrong. */
function named(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "unrecognized_keys") return issue;
  return { code: "custom", path: [...issue.path, ...issue.keys.slice(0, 1)], message: "is no option" };
}

// Of a union, the alternative that came furthest says best what is wrong.
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue] = issues;
  if (issue?.code !== "invalid_union") return issue;
  const inner = issue.errors.flat().map(named);
  const furthest = inner.find(({ code }) => code === "custom") ?? inner.find(({ path }) => path.length > 0);
  return furthest === undefined ? issue : { ...furthest, path: [...issue.path, ...furthest.path] };
}
