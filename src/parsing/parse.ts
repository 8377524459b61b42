import { z } from "zod";
import { InvalidConfigError } from "../errors/index.js";
import { isRecord } from "../serde/objects/inspect-object.js";

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

/** A schema for a function. It does not check the parameters or the result. */
export function functionSchema<Fn extends (...args: never[]) => unknown>() {
  return z.custom<Fn>((value) => typeof value === "function", "must be a function");
}

/** Any object of JSON. A record of zod would leave out a key that is named `__proto__`, so that a filter by it would match everything. */
export const jsonObject = z.custom<Record<string, unknown>>(isRecord, "must be an object");

/**
 * The interface of Standard Schema (https://standardschema.dev), which zod, valibot, arktype and others implement. Only the part that a
 * store needs.
 */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Checks a value, and returns it as the schema has it, or what is wrong with it. */
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** The result of a validation: the value as the schema returns it, or what is wrong with it. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** The lines of a backup: an iterable. A string is refused, since iterating it would yield characters. */
export const linesOfBackup = z.custom<AsyncIterable<unknown> | Iterable<unknown>>(
  (lines) => typeof lines === "object" && lines !== null && isIterable(lines),
  "must be an iterable of lines",
);

/** Parses the lines of a backup. */
export function parseLines(lines: unknown): AsyncIterable<unknown> | Iterable<unknown> {
  return parse(linesOfBackup, lines, "lines");
}

function isIterable(value: object): boolean {
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}

/** Whether a value can be used as a {@link StandardSchema}: some are functions. */
export function isStandardSchema(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = Reflect.get(value, "~standard");
  return typeof standard === "object" && standard !== null && "validate" in standard;
}
