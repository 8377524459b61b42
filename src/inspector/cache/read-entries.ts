import { decodeEntry } from "../../cache/entry-values.js";
import type { EntryPlace, SentEntry } from "../../cache/queries/entries.js";
import { isArray } from "../../serde/objects/inspect-object.js";
import { CheckpointError } from "../../errors/index.js";
import type {
  CacheEntriesPage,
  CacheEntriesQuery,
  CacheEntryRow,
  CacheNamespaceRow,
  CacheNamespaces,
  CacheNamespacesQuery,
} from "../api/cache.js";
import type { ValueNode } from "../api/value-node.js";
import type { CallRun } from "../calls/call-definition.js";
import type { InspectorContext } from "../inspector-context.js";
import {
  type CacheNamespaceSums,
  type CacheRow,
  getEntry,
  listEntries,
  sumNamespaces,
} from "../queries/cache-rows.js";
import { valueNodeOf } from "../values/describe-value.js";
import { cacheCallOf } from "./cache-call.js";
import { parseNamespaceText, scopeOfText } from "./parse-namespace-text.js";

const DEFAULT_NAMESPACES = 100;
const DEFAULT_ENTRIES = 50;
/** A list reads no larger value. */
const MAX_LISTED_BYTES = 65_536;

/** Lists the namespaces of the caches with what they hold, without those of leases. */
export async function listCacheNamespaces(
  { context, signal }: CallRun,
  { after, limit = DEFAULT_NAMESPACES }: CacheNamespacesQuery,
): Promise<CacheNamespaces> {
  const call = await cacheCallOf(context, signal);
  const rows = await sumNamespaces(call, after, limit + 1);
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? page.at(-1)?.namespace : undefined;
  return {
    namespaces: page.flatMap((row) => namespaceRow(row, call.policy.tenantId)),
    ...(next !== undefined && { next }),
  };
}

function namespaceRow(row: CacheNamespaceSums, tenantId: string | undefined): CacheNamespaceRow[] {
  const { isOfLeases, ...parsed } = parseNamespaceText(row.namespace, tenantId);
  if (isOfLeases) return [];
  return [
    {
      ...{ namespace: row.namespace, ...parsed },
      ...{ entries: row.entries, expired: row.expired, bytes: row.bytes },
      ...{ oldestAt: Number(row.oldest_ms), newestAt: Number(row.newest_ms) },
      ...(row.next_expiry_ms !== null && { nextExpiryAt: Number(row.next_expiry_ms) }),
    },
  ];
}

/** Lists the entries of a namespace. */
export async function listCacheEntries(
  { context, signal }: CallRun,
  { namespace, key, offset = 0, limit = DEFAULT_ENTRIES }: CacheEntriesQuery,
): Promise<CacheEntriesPage> {
  const call = await cacheCallOf(context, signal);
  const query = { namespace, key, offset, limit: limit + 1, maxBytes: MAX_LISTED_BYTES };
  const rows = await listEntries(call, query);
  const { isOfLeases: _, ...parsed } = parseNamespaceText(namespace, call.policy.tenantId);
  return {
    ...parsed,
    entries: await Promise.all(rows.slice(0, limit).map((row) => entryRow(context, namespace, row))),
    hasMore: rows.length > limit,
  };
}

async function entryRow(context: InspectorContext, namespace: string, row: CacheRow): Promise<CacheEntryRow> {
  const { key, type, base64 } = row;
  return {
    ...{ key, createdAt: Number(row.created_ms), isExpired: row.is_expired, bytes: row.bytes },
    ...(row.expires_ms !== null && { expiresAt: Number(row.expires_ms) }),
    ...(base64 !== null && {
      value: describeListed(await decoded(context, { namespace, key }, { type, base64 })),
    }),
  };
}

/** Reads the value of an entry. Returns `undefined` where there is none. */
export async function readEntryValue(
  { context, signal }: CallRun,
  { namespace, key }: EntryPlace,
): Promise<{ readonly value: unknown } | undefined> {
  const sent = await getEntry(await cacheCallOf(context, signal), { namespace, key });
  return sent && { value: await decoded(context, { namespace, key }, sent) };
}

/** Decodes a value by the serializer of the saver. One that it can't read becomes the error that says why. */
async function decoded(
  { saver, call }: InspectorContext,
  place: EntryPlace,
  sent: SentEntry,
): Promise<unknown> {
  const scope = scopeOfText(place.namespace, call.policy.tenantId);
  try {
    return await decodeEntry({ serde: saver.serde, scope }, place, sent);
  } catch (error) {
    if (error instanceof CheckpointError) return error;
    throw error;
  }
}

/** LangGraph caches the writes of a task, which are pairs of a channel and a value. Without their channels a list would say nothing. */
function describeListed(value: unknown): ValueNode {
  const areWrites = isArray(value) && value.length > 0 && value.every(isWrite);
  return valueNodeOf(areWrites ? new Map(value) : value);
}

function isWrite(value: unknown): value is [string, unknown] {
  return isArray(value) && value.length === 2 && typeof value[0] === "string";
}
