import { isPlainObject } from "../../serde/objects/inspect-object.js";

/** A text of an item, which gets a vector of its own. */
export interface ItemText {
  /** The name of the vector, as Python's store names it: the path, with a number behind it where the path has several texts. */
  readonly fieldName: string;
  readonly text: string;
}

/** The field name of the row that says that a put has chosen the paths of its item, perhaps none. No path has it. */
export const CHOSEN = "";

/** The field name of a row that only says that `reembed()` has seen an item without texts. No path has it. */
export const SEEN = ".";

/** Returns the texts of a value at some paths. An empty text gets no vector. */
export function embeddedTexts(value: unknown, paths: readonly string[]): ItemText[] {
  const found = new Map<string, string>();
  for (const path of paths) {
    const texts = textsAtPath(value, path);
    for (const [nth, text] of texts.entries()) {
      if (text.trim() !== "") found.set(texts.length > 1 ? `${path}.${nth}` : path, text.toWellFormed());
    }
  }
  return [...found].map(([fieldName, text]) => ({ fieldName, text }));
}

/**
 * Returns the paths of the texts of an item, from the names of its vectors: the tables do not store the paths that a put has chosen.
 *
 * @param fieldNames - The names of its vectors.
 */
export function pathsOfFields(value: unknown, fieldNames: readonly string[]): string[] {
  const paths = fieldNames.flatMap((name) => {
    if (name === CHOSEN || name === SEEN) return [];
    const numbered = /^(.+)\.\d+$/s.exec(name)?.[1];
    return numbered !== undefined && textsAtPath(value, name).length === 0 ? [numbered] : [name];
  });
  return [...new Set(paths)];
}

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
  return isKeyed(value) ? value : {};
}

/** Whether a value has keys. */
export function isKeyed(value: unknown): value is Record<string, unknown> {
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

/**
 * The text of a value that is embedded, as Python's store makes it, so that both embed the same text: a text as it is, a number or a
 * boolean as Python prints it, an object or an array as JSON. `undefined` for what has no text, such as null.
 */
function pythonText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "object" && value !== null ? pythonJson(value) : undefined;
}

/** JSON as `json.dumps(value, sort_keys=True, ensure_ascii=False)` of Python writes it. */
function pythonJson(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (!isPlainObject(value)) return pythonJson(jsonForm(value));
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => compareCodePoints(one, other));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}: ${pythonJson(inner)}`).join(", ")}}`;
}

/** Python begins to print an exponent earlier than JavaScript, with two digits at least. */
function numberText(value: number | bigint): string {
  const text = String(value);
  const size = Math.abs(Number(value));
  if (size === 0 || size >= 1e-4) return text;
  return Number(value)
    .toExponential()
    .replace(/e-(\d)$/, "e-0$1");
}

/** What JSON makes of an object of a class, such as a message. */
function jsonForm(value: object): unknown {
  const text: unknown = JSON.stringify(value);
  return typeof text === "string" ? JSON.parse(text) : null;
}

/** Orders texts as Python does. JavaScript compares UTF-16 units, which order characters beyond U+FFFF differently. */
function compareCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
