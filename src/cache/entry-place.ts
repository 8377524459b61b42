import { z } from "zod";
import { InvalidConfigError } from "../errors/index.js";
import { keyText, MAX_KEY_BYTES } from "../parsing/keys.js";
import { parse } from "../parsing/parse.js";
import type { EntryPlace, TextRange } from "./queries/entries.js";

const namespaceLabels = z.array(z.string());
const fullKey = z.tuple([namespaceLabels, keyText]);

/** A longer time would lead to a date that Postgres does not have. */
const ENDLESS_SECONDS = 1e11;

/**
 * Parses a key of `get` and `set`.
 *
 * @throws InvalidConfigError for one that Postgres can't store.
 */
export function parsePlace(scope: string, key: unknown): EntryPlace {
  const [labels, text] = parse(fullKey, key, "key");
  const namespace = entryNamespace(scope, labels);
  if (Buffer.byteLength(namespace) + Buffer.byteLength(text) > MAX_KEY_BYTES) {
    throw new InvalidConfigError("key", `must not be longer than ${MAX_KEY_BYTES} bytes with its namespace`);
  }
  return { namespace, key: text };
}

/** @throws InvalidConfigError for a namespace that is not an array of texts. */
export function parseEntryNamespace(namespace: unknown): string[] {
  return parse(namespaceLabels, namespace, "namespace");
}

/** @throws InvalidConfigError for anything but an array of namespaces. */
export function parseNamespaces(namespaces: unknown): string[][] {
  return parse(z.array(namespaceLabels), namespaces, "namespaces");
}

/**
 * Parses the `ttl` of an entry.
 *
 * @returns The seconds that it lives; `null` for ever, 0 for not at all.
 * @throws InvalidConfigError for anything but a number.
 */
export function parseTtl(ttl: unknown, defaultTtl: number | undefined): number | null {
  const given = ttl ?? defaultTtl;
  if (given === undefined) return null;
  if (typeof given !== "number" || Number.isNaN(given)) {
    throw new InvalidConfigError("ttl", "must be a number of seconds");
  }
  return given >= ENDLESS_SECONDS ? null : Math.max(0, given);
}

/**
 * The text that precedes the namespaces of one cache, so that it never shares an entry with another one. The tenant comes first, as in the
 * ids of threads, because policies compare it.
 */
export function cacheScope(tenantId: string | undefined, keyPrefix: string | undefined): string {
  const tenant = tenantId === undefined ? "" : `${tenantId}:`;
  return keyPrefix === undefined ? tenant : `${tenant}${JSON.stringify(keyPrefix)}`;
}

/** The column `namespace` of an entry: JSON, in which no two lists of labels have the same text. */
export function entryNamespace(scope: string, namespace: readonly string[]): string {
  return `${scope}${JSON.stringify(namespace)}`;
}

/** The column `namespace` of the lease of an entry. It differs from the namespaces of entries, in which a bracket follows the scope. */
export function leaseText(scope: string, namespace: readonly string[]): string {
  return `${scope}lease${JSON.stringify(namespace)}`;
}

/** All namespaces of a scope. */
export function scopeRange(scope: string): TextRange {
  // "\" follows "[", with which the JSON of each namespace begins.
  return { from: `${scope}[`, beyond: `${scope}\\` };
}

/** All namespaces below one, which has at least one label. */
export function rangeBelow(scope: string, namespace: readonly string[]): TextRange {
  const labels = entryNamespace(scope, namespace).slice(0, -1);
  // "-" follows ",".
  return { from: `${labels},`, beyond: `${labels}-` };
}

/** Returns a text that is the same for the same entry only: JSON has no U+0000. */
export function entryId(namespace: string, key: string): string {
  return `${namespace}\0${key}`;
}
