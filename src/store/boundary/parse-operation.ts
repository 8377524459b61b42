import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { keyText, storedText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { guardRead, isPlainObject } from "../../serde/objects/inspect-object.js";
import { toPrefix } from "../queries/item-rows.js";
import { type CompiledFilter, compileFilter } from "../queries/matches-filter.js";
import type {
  DeleteOperation,
  GetOperation,
  ListOperation,
  PutOperation,
  SearchOperation,
  StoreOperation,
} from "../operations.js";
import type { LabelAt } from "../queries/list-namespaces.js";
import type { StoreSettings } from "../store-call.js";
import { MAX_TTL_MINUTES, indexedPaths } from "./parse-options.js";
import { parseItemFilter } from "./parse-filter.js";
import { parseItemNamespace, parseNamespace, parseStoredNamespace } from "./parse-namespace.js";

const count = z.int().min(0);

const page = { limit: count.nullish(), offset: count.nullish() };

const putOptions = z.strictObject({
  index: indexedPaths.nullish(),
  ttl: z.unknown().optional(),
  ifVersion: z.int().min(0).optional(),
});
const getOptions = z.strictObject({ refreshTtl: z.boolean().optional() });
const countOptions = z.strictObject({ filter: z.unknown().optional() });
const searchOptions = z.strictObject({
  ...page,
  filter: z.unknown().optional(),
  query: z.string().nullish(),
  refreshTtl: z.boolean().optional(),
  mode: z.enum(["auto", "text", "vector", "hybrid"]).optional(),
  vectorWeight: z.number().min(0).max(1).optional(),
  unscored: z.boolean().optional(),
});
const listOptions = z.strictObject({
  ...page,
  matchConditions: z
    .array(
      z.strictObject({
        matchType: z.enum(["prefix", "suffix"]),
        // As a namespace, so that every call refuses a wrong one by the same error.
        path: z.unknown(),
      }),
    )
    .nullish(),
  maxDepth: z.int().min(1).nullish(),
});

const DEFAULT_SEARCH_LIMIT = 10;
const DEFAULT_LIST_LIMIT = 100;
/** Both halves of a hybrid search count alike. */
const DEFAULT_WEIGHT = 0.5;
const WILDCARD = "*";
/** An index of Postgres takes rows of 2,704 bytes, in which a time and headers are as well. */
const MAX_PLACE_BYTES = 2_600;

/**
 * Parses the operations of `batch`. Which one each is depends on its properties, as in every store of LangGraph.
 *
 * @throws InvalidConfigError or InvalidNamespaceError, before any I/O.
 */
export function parseOperations(settings: StoreSettings, operations: unknown): StoreOperation[] {
  return parseEach("operations", operations, (fields) => parseOperation(settings, fields));
}

/**
 * Parses the elements of an argument.
 *
 * @param name - The argument, as an error names it.
 * @param parseOne - Parses an element, given a copy of its properties.
 * @throws InvalidConfigError where the argument is not an array of objects that can be read.
 */
export function parseEach<T>(
  name: string,
  given: unknown,
  parseOne: (fields: Readonly<Record<string, unknown>>) => T,
): T[] {
  const copy = () => (Array.isArray(given) ? Array.from<unknown>(given) : undefined);
  const elements = guardRead(copy, {}, name);
  if (elements === undefined) throw new InvalidConfigError(name, "must be an array");
  return elements.map((element) => {
    if (typeof element !== "object" || element === null) {
      throw new InvalidConfigError(name, "must be an array of objects");
    }
    return parseOne(guardRead(() => fieldsOf(element), {}, name));
  });
}

function parseOperation(settings: StoreSettings, fields: Readonly<Record<string, unknown>>): StoreOperation {
  const { namespace, namespacePrefix, key, value, ...options } = fields;
  if ("value" in fields) {
    return value === null
      ? parseDelete(settings, namespace, key)
      : parseItemPut(settings, { namespace, key, value }, options);
  }
  if ("namespacePrefix" in fields) return parseSearch(settings, namespacePrefix, options);
  if ("key" in fields || "namespace" in fields) return parseGet(settings, namespace, key, options);
  return parseList(settings, options);
}

function fieldsOf(operation: object): Record<string, unknown> {
  return { ...operation };
}

export function parseGet(
  settings: StoreSettings,
  namespace: unknown,
  key: unknown,
  options: unknown = {},
): GetOperation {
  const { refreshTtl = settings.refreshesOnRead } = parse(getOptions, options, "options");
  const labels = parseRead(settings, namespace);
  const text = settings.readsAnyPlace === true ? storedText : keyText;
  return { kind: "get", ...parseKey(settings, labels, key, text), refreshes: refreshTtl };
}

export function parseDelete(settings: StoreSettings, namespace: unknown, key: unknown): DeleteOperation {
  return { kind: "delete", ...parseKey(settings, parseNamespace(namespace), key) };
}

export function parseItemPut(
  settings: StoreSettings,
  { namespace, key, value }: { namespace: unknown; key: unknown; value: unknown },
  options: unknown = {},
): PutOperation {
  const labels = parseItemNamespace(namespace);
  const { ttl, ifVersion, index } = parse(putOptions, options, "options");
  const place = parseKey(settings, labels, key);
  if (Buffer.byteLength(place.prefix) + Buffer.byteLength(place.key) > MAX_PLACE_BYTES) {
    throw new InvalidConfigError(
      "key",
      `must not be longer than ${MAX_PLACE_BYTES} bytes with its namespace`,
    );
  }
  const whole = [...settings.root, ...labels];
  const chosen = index ?? settings.rules.of(whole).index;
  return {
    kind: "put",
    ...place,
    namespace: whole,
    value: parseValue(value),
    ttlMinutes: parseTtl(ttl) ?? ttlOf(settings, whole, ttl),
    paths: chosen === false ? [] : (chosen ?? settings.vectors?.fields ?? []),
    choosesPaths: typeof index === "object" ? index !== null : index === false,
    expectedVersion: ifVersion,
  };
}

function parseKey({ root }: StoreSettings, namespace: readonly string[], key: unknown, text = keyText) {
  return { prefix: toPrefix([...root, ...namespace]), key: parse(text, key, "key") };
}

function parseRead({ readsAnyPlace }: StoreSettings, namespace: unknown): string[] {
  return readsAnyPlace === true ? parseStoredNamespace(namespace) : parseNamespace(namespace);
}

// What an instance of a class inherits, or a Map holds, would be lost.
function parseValue(value: unknown): Record<string, unknown> {
  const isPlain = guardRead(
    () => typeof value === "object" && value !== null && isPlainObject(value),
    {},
    "value",
  );
  if (isPlain) return value as Record<string, unknown>;
  throw new InvalidConfigError("value", "must be a plain object");
}

/** @throws RangeError for a time that is over already or beyond all dates, as a mistyped unit makes it. */
function parseTtl(ttl: unknown): number | undefined {
  if (ttl === undefined || ttl === null) return undefined;
  if (typeof ttl !== "number" || !(ttl > 0 && ttl <= MAX_TTL_MINUTES)) {
    throw new RangeError(
      `ttl: must be a positive number of minutes up to ${MAX_TTL_MINUTES}, or null for ever`,
    );
  }
  return ttl;
}

function ttlOf(settings: StoreSettings, namespace: readonly string[], given: unknown): number | null {
  if (given === null) return null;
  const { ttl } = settings.rules.of(namespace);
  return ttl === undefined ? settings.defaultTtl : ttl;
}

export function parseSearch(
  settings: StoreSettings,
  namespacePrefix: unknown,
  options: unknown = {},
): SearchOperation {
  const parsed = parse(searchOptions, options ?? {}, "options");
  const { limit, offset, filter, refreshTtl } = parsed;
  return {
    kind: "search",
    ...scopeOf(settings, namespacePrefix, filter),
    limit: limit ?? DEFAULT_SEARCH_LIMIT,
    offset: offset ?? 0,
    refreshes: refreshTtl ?? settings.refreshesOnRead,
    ...parseQuery(settings, parsed),
  };
}

/** A parsed call of `count`. */
interface ItemCount {
  readonly prefix: string;
  readonly filter: CompiledFilter;
}

export function parseCount(
  settings: StoreSettings,
  namespacePrefix: unknown,
  options: unknown = {},
): ItemCount {
  const { filter } = parse(countOptions, options, "options");
  return scopeOf(settings, namespacePrefix, filter);
}

function scopeOf(settings: StoreSettings, namespacePrefix: unknown, filter: unknown): ItemCount {
  const { root, sealing } = settings;
  return {
    prefix: toPrefix([...root, ...parseRead(settings, namespacePrefix)]),
    filter: compileFilter(parseItemFilter(filter ?? undefined, sealing?.visibleKeys)),
  };
}

/** How a search finds items: by text, by embeddings, or by both. */
function parseQuery(
  { vectors, textSearchLanguage }: StoreSettings,
  { query: given, mode = "auto", unscored, vectorWeight = DEFAULT_WEIGHT }: z.output<typeof searchOptions>,
): Pick<SearchOperation, "text" | "vector"> {
  if (vectors === undefined && (mode === "vector" || mode === "hybrid")) {
    throw new InvalidConfigError("options.mode", `the mode "${mode}" needs the option "index" of the store`);
  }
  if (given === undefined || given === null || given === "") return { text: undefined, vector: undefined };
  const query = given.replaceAll("\0", " ").toWellFormed();
  const byVector = mode === "vector" || mode === "hybrid" || (mode === "auto" && vectors !== undefined);
  const byText = mode === "text" || mode === "hybrid" || !byVector;
  const everyWord = mode === "text";
  const appends = unscored ?? !everyWord;
  return {
    text: byText ? { query, language: textSearchLanguage, everyWord, unscored: appends } : undefined,
    vector: byVector ? { query, unscored: appends, weight: vectorWeight } : undefined,
  };
}

export function parseList(settings: StoreSettings, options: unknown = {}): ListOperation {
  const { root } = settings;
  const { matchConditions, maxDepth, limit, offset } = parse(listOptions, options ?? {}, "options");
  const pathsOf = (type: "prefix" | "suffix") =>
    (matchConditions ?? [])
      .filter(({ matchType }) => matchType === type)
      .map(({ path }) => parseRead(settings, path));
  const prefixes = pathsOf("prefix");
  const suffixes = pathsOf("suffix");
  const beginning = [...root, ...literalBeginning(prefixes[0] ?? [])];
  const labels = [
    ...prefixes.flatMap((path) => labelsAt(path, root.length + 1)),
    ...suffixes.flatMap((path) => labelsAt(path, -path.length)),
  ];
  return {
    kind: "list",
    prefix: toPrefix(beginning),
    // The walk of the index answers for the beginning.
    labels: labels.filter(({ label, position }) => label !== WILDCARD && label !== beginning[position - 1]),
    minDepth: Math.max(0, ...[...prefixes, ...suffixes].map(({ length }) => root.length + length)),
    maxDepth: maxDepth === null || maxDepth === undefined ? undefined : root.length + maxDepth,
    limit: limit ?? DEFAULT_LIST_LIMIT,
    offset: offset ?? 0,
  };
}

function literalBeginning(path: readonly string[]): readonly string[] {
  const wildcard = path.indexOf(WILDCARD);
  return wildcard === -1 ? path : path.slice(0, wildcard);
}

function labelsAt(path: readonly string[], first: number): LabelAt[] {
  return path.map((label, nth) => ({ position: first + nth, label }));
}
