import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { keyText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { isPlainObject } from "../../serde/plain-object.js";
import { toPrefix } from "../codec/namespace-text.js";
import { compileFilter } from "../filters/matches-filter.js";
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
import { parseFilter } from "./parse-filter.js";
import { indexedPaths } from "./parse-index-option.js";
import { parseItemNamespace, parseNamespace } from "./parse-namespace.js";

const count = z.int().min(0);

const page = { limit: count.nullish(), offset: count.nullish() };

const putOptions = z.strictObject({
  index: indexedPaths.nullish(),
  ttl: z.unknown().optional(),
  ifVersion: z.int().min(0).optional(),
});
const getOptions = z.strictObject({ refreshTtl: z.boolean().optional() });
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

/**
 * Parses an operation of `batch`. Which one it is depends on its properties, as in every store of LangGraph.
 *
 * @throws InvalidConfigError or InvalidNamespaceError, before any I/O.
 */
export function parseOperation(settings: StoreSettings, operation: unknown): StoreOperation {
  if (typeof operation !== "object" || operation === null) {
    throw new InvalidConfigError("operations", "must be operations of a store");
  }
  const { namespace, namespacePrefix, key, value, ...options } = fieldsOf(operation);
  if ("value" in operation) {
    return value === null
      ? parseDelete(settings, namespace, key)
      : parsePut(settings, { namespace, key, value }, options);
  }
  if ("namespacePrefix" in operation) return parseSearch(settings, namespacePrefix, options);
  if ("key" in operation || "namespace" in operation) return parseGet(settings, namespace, key, options);
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
  return { kind: "get", ...parseKey(settings, parseNamespace(namespace), key), refreshes: refreshTtl };
}

export function parseDelete(settings: StoreSettings, namespace: unknown, key: unknown): DeleteOperation {
  return { kind: "delete", ...parseKey(settings, parseNamespace(namespace), key) };
}

export function parsePut(
  settings: StoreSettings,
  { namespace, key, value }: { namespace: unknown; key: unknown; value: unknown },
  options: unknown = {},
): PutOperation {
  const labels = parseItemNamespace(namespace);
  const { ttl, ifVersion, index } = parse(putOptions, options, "options");
  const whole = [...settings.root, ...labels];
  const chosen = index ?? settings.rules.of(whole).index;
  return {
    kind: "put",
    ...parseKey(settings, labels, key),
    namespace: whole,
    value: parseValue(value),
    ttlMinutes: parseTtl(ttl) ?? ttlOf(settings, whole, ttl),
    paths: chosen === false ? [] : (chosen ?? settings.vectors?.fields ?? []),
    choosesPaths: typeof index === "object" ? index !== null : index === false,
    expectedVersion: ifVersion,
  };
}

function parseKey({ root }: StoreSettings, namespace: readonly string[], key: unknown) {
  return { prefix: toPrefix([...root, ...namespace]), key: parse(keyText, key, "key") };
}

// What an instance of a class inherits, or a Map holds, would be lost.
function parseValue(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && isPlainObject(value)) return value;
  throw new InvalidConfigError("value", "must be a plain object");
}

/** @throws RangeError for a time that is over already, as a mistyped unit makes it. */
function parseTtl(ttl: unknown): number | undefined {
  if (ttl === undefined || ttl === null) return undefined;
  if (typeof ttl !== "number" || !(ttl > 0)) {
    throw new RangeError("ttl: must be a positive number of minutes, or null for ever");
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
    prefix: toPrefix([...settings.root, ...parseNamespace(namespacePrefix)]),
    filter: compileFilter(parseFilter(filter ?? undefined, settings.sealing?.visibleKeys)),
    limit: limit ?? DEFAULT_SEARCH_LIMIT,
    offset: offset ?? 0,
    refreshes: refreshTtl ?? settings.refreshesOnRead,
    ...parseQuery(settings, parsed),
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

export function parseList({ root }: StoreSettings, options: unknown = {}): ListOperation {
  const { matchConditions, maxDepth, limit, offset } = parse(listOptions, options ?? {}, "options");
  const pathsOf = (type: "prefix" | "suffix") =>
    (matchConditions ?? [])
      .filter(({ matchType }) => matchType === type)
      .map(({ path }) => parseNamespace(path));
  const prefixes = pathsOf("prefix");
  const suffixes = pathsOf("suffix");
  const literal = literalBeginning(prefixes[0] ?? []);
  const labels = [
    ...prefixes.flatMap((path) => labelsAt(path, root.length + 1)),
    ...suffixes.flatMap((path) => labelsAt(path, -path.length)),
  ];
  return {
    kind: "list",
    prefix: toPrefix([...root, ...literal]),
    labels: labels.filter(
      // The walk of the index answers for the beginning.
      ({ label, position }) =>
        label !== WILDCARD && !(position > 0 && position <= root.length + literal.length),
    ),
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
