import { pythonText } from "./python-text.js";

/** The path of the whole value. */
export const WHOLE_VALUE = "$";

/**
 * Splits a path into its tokens, as every store of LangGraph does: `a.b` into `a` and `b`, `list[0]` into `list` and `[0]`, `m.{a,b.c}`
 * into `m` and `{a,b.c}`.
 */
export function tokenizePath(path: string): string[] {
  const tokens: string[] = [];
  let name = "";
  const endName = (): void => {
    if (name !== "") tokens.push(name);
    name = "";
  };
  for (let at = 0; at < path.length; at++) {
    const char = path.charAt(at);
    if (char === "[" || char === "{") {
      endName();
      const end = closingAt(path, at, char, char === "[" ? "]" : "}");
      tokens.push(path.slice(at, end + 1));
      at = end;
    } else if (char === ".") endName();
    else name += char;
  }
  endName();
  return tokens;
}

/**
 * Returns the texts of a value at a path.
 *
 * @param path - `title`, `meta.a`, `list[0]`, `list[-1]`, `list[*].text`, `meta.*`, `{title,meta.a}`, or `$` for the whole value.
 */
export function textsAtPath(value: unknown, path: string): string[] {
  const found = path === WHOLE_VALUE ? [value] : valuesAt(value, tokenizePath(path));
  return found.flatMap((inner) => pythonText(inner) ?? []);
}

function valuesAt(value: unknown, [token, ...rest]: readonly string[]): unknown[] {
  if (token === undefined) return [value];
  return innerValues(value, token).flatMap((inner) => valuesAt(inner, rest));
}

function innerValues(value: unknown, token: string): unknown[] {
  if (token === "*") return Array.isArray(value) ? value : Object.values(recordOf(value));
  if (isEnclosed(token, "[", "]")) return elements(value, token.slice(1, -1));
  if (isEnclosed(token, "{", "}")) return fields(value, token.slice(1, -1));
  return ownValue(value, token);
}

function elements(value: unknown, index: string): unknown[] {
  if (!Array.isArray(value)) return [];
  if (index === "*") return value;
  if (!/^-?\d+$/.test(index)) return [];
  const found: unknown = value.at(Number(index));
  return found === undefined ? [] : [found];
}

/** The values of several paths, each of which has names only. */
function fields(value: unknown, list: string): unknown[] {
  const paths = list.split(",").map((field) => tokenizePath(field.trim()));
  return paths
    .filter(({ length }) => length > 0)
    .flatMap((names) =>
      names.reduce<unknown[]>((found, name) => found.flatMap((inner) => ownValue(inner, name)), [value]),
    );
}

function ownValue(value: unknown, name: string): unknown[] {
  const record = recordOf(value);
  return Object.hasOwn(record, name) ? [record[name]] : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEnclosed(token: string, first: string, last: string): boolean {
  return token.startsWith(first) && token.endsWith(last);
}

/** Where the bracket closes that opens at `from`; the end of the path where it never does. */
function closingAt(path: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < path.length; at++) {
    if (path[at] === open) depth++;
    if (path[at] === close) depth--;
    if (depth === 0) return at;
  }
  return path.length - 1;
}
