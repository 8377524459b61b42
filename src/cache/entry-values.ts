import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { runTransaction } from "../db/statements/run-statement.js";
import { entryId, parsePlace, parseTtl } from "./entry-place.js";
import { type CacheCall, reportUnused } from "./cache-call.js";
import {
  type EntryPlace,
  type SentEntry,
  getEntries,
  type EncodedEntry,
  type NewEntry,
  setEntries,
} from "./queries/entries.js";
import { SerializationError, CheckpointError, DeserializationError } from "../errors/index.js";
import type { ChannelValueContext, ContextualSerializer } from "../serde/serde-context.js";

/** An entry that was found. */
interface FoundEntry {
  readonly key: CacheFullKey;
  readonly value: unknown;
}

/** A place, and the key that a caller has asked for it with. */
interface WantedEntry {
  readonly place: EntryPlace;
  readonly key: CacheFullKey;
}

/**
 * Reads entries in one statement, each of them once even if `keys` name it several times: a graph would add it to its state each time.
 * What can't be decoded counts as missing.
 */
export async function readEntries(call: CacheCall, keys: readonly CacheFullKey[]): Promise<FoundEntry[]> {
  const wanted = [...distinct(call, keys)];
  if (wanted.length === 0) return [];
  const places = wanted.map(({ place }) => place);
  const [rows = []] = await runTransaction(call, { statements: [getEntries(call.schema, places)] });
  call.settings.tally.add("miss", wanted.length - rows.length);
  const sent = new Map(rows.map((row) => [row.position, row]));
  const found: FoundEntry[] = [];
  for (const [index, { place, key }] of wanted.entries()) {
    const row = sent.get(index + 1);
    const read = row && (await readEntry(call, place, row));
    if (read !== undefined) found.push({ key, value: read.value });
  }
  return found;
}

/** Decodes an entry. Returns `undefined` for one that can't be decoded. */
export async function readEntry(
  call: CacheCall,
  place: EntryPlace,
  sent: SentEntry,
): Promise<{ readonly value: unknown } | undefined> {
  const { serde, settings, observer } = call;
  try {
    const value = await decodeEntry({ serde, scope: settings.scope }, place, sent);
    observer?.addBytes(Buffer.byteLength(sent.base64, "base64"));
    settings.tally.add("hit");
    return { value };
  } catch (error) {
    reportUnused(call, "unreadable", "an entry of the cache can't be read", error);
    return undefined;
  }
}

/** The keys that Postgres can hold, each once. */
function distinct(call: CacheCall, keys: readonly CacheFullKey[]): Iterable<WantedEntry> {
  const wanted = new Map<string, WantedEntry>();
  for (const key of keys) {
    const place = placeOrNone(call, key);
    if (place === undefined) continue;
    const id = entryId(place.namespace, place.key);
    if (!wanted.has(id)) wanted.set(id, { place, key });
  }
  return wanted.values();
}

function placeOrNone(call: CacheCall, key: CacheFullKey): EntryPlace | undefined {
  try {
    return parsePlace(call.settings.scope, key);
  } catch (error) {
    reportUnused(call, "refused", "a key of the cache can't be used", error);
    return undefined;
  }
}

/** An entry as a caller gives it. */
export interface GivenEntry {
  readonly key: CacheFullKey;
  readonly value: unknown;
  readonly ttl?: number;
}

const REMOVED: EncodedEntry = { type: "null", value: new Uint8Array() };

/**
 * Encodes entries, of which the last one of a place counts. It calls the serializer before it first awaits. What can't be stored is left
 * out: no caller awaits a `set`, so an error would reach no caller.
 */
export async function encodeEntries(call: CacheCall, given: readonly GivenEntry[]): Promise<NewEntry[]> {
  const encoded = await Promise.all(given.map((entry) => encodeOrRefuse(call, entry)));
  const last = new Map<string, NewEntry>();
  for (const entry of encoded) {
    if (entry !== undefined) last.set(entryId(entry.namespace, entry.key), entry);
  }
  return [...last.values()];
}

/** Stores entries in one statement. */
export async function storeEntries(call: CacheCall, entries: readonly NewEntry[]): Promise<void> {
  await runTransaction(call, { statements: [setEntries(call.schema, entries)] });
  call.observer?.addBytes(entries.reduce((sum, { value }) => sum + value.byteLength, 0));
  call.settings.tally.add("stored", entries.filter(({ ttl }) => ttl !== 0).length);
}

async function encodeOrRefuse(call: CacheCall, entry: GivenEntry): Promise<NewEntry | undefined> {
  try {
    return await encode(call, entry);
  } catch (error) {
    reportUnused(call, "refused", "an entry was not cached", error);
    return undefined;
  }
}

async function encode(
  { serde, settings }: CacheCall,
  { key, value: given, ttl: givenTtl }: GivenEntry,
): Promise<NewEntry> {
  const { scope, defaultTtl, maxValueBytes } = settings;
  const place = parsePlace(scope, key);
  const ttl = parseTtl(givenTtl, defaultTtl);
  if (ttl === 0) return { ...place, ...REMOVED, ttl };
  const { type, value } = await encodeEntry({ serde, scope }, place, given);
  if (value.byteLength > maxValueBytes) {
    throw new SerializationError(
      "",
      `the value takes ${value.byteLength} bytes, and maxValueBytes is ${maxValueBytes}`,
    );
  }
  return { ...place, type, value, ttl };
}

/** What encodes and decodes the values of a cache. */
interface EntryCodec {
  readonly serde: ContextualSerializer;
  /** What precedes the namespaces of the cache. */
  readonly scope: string;
}

/**
 * Encodes a value. It calls the serializer before it first awaits, so that a later change by the caller is not stored.
 *
 * @throws SerializationError for a value that can't be stored.
 */
async function encodeEntry(
  { serde, scope }: EntryCodec,
  place: EntryPlace,
  given: unknown,
): Promise<EncodedEntry> {
  try {
    const [type, value] = await serde.dumpsTyped(given, contextOf(scope, place));
    // Some serializers return the caller's own bytes, and they are sent only when a connection is free.
    return { type, value: value === given ? Uint8Array.from(value) : value };
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw new SerializationError("", "the serializer failed", { cause });
  }
}

/**
 * Decodes a value.
 *
 * @throws DeserializationError for a value that can't be read.
 */
export async function decodeEntry(
  { serde, scope }: EntryCodec,
  place: EntryPlace,
  { type, base64 }: SentEntry,
): Promise<unknown> {
  try {
    return await serde.loadsTyped(type, Buffer.from(base64, "base64"), contextOf(scope, place));
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw new DeserializationError("the serializer failed", { cause, typeTag: type });
  }
}

/** No channel of a graph has this name. */
const CHANNEL = "__cache_entry__";

/**
 * The place of an entry as serializers know it, to which encryption binds the value. Serializers know only places of checkpoints, so an
 * entry is a channel of a thread that does not exist.
 *
 * @param scope - What precedes the namespaces of the cache: with tenants it begins as the ids of their threads.
 */
function contextOf(scope: string, { namespace, key }: EntryPlace): ChannelValueContext {
  return { threadId: scope, checkpointNs: namespace, channel: CHANNEL, version: key };
}
