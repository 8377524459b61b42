import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { runTransaction } from "../db/statements/run-statement.js";
import { SerializationError } from "../errors/index.js";
import { parsePlace, parseTtl } from "./boundary/parse-entries.js";
import type { CacheCall } from "./cache-call.js";
import { encodeEntry } from "./codec/entry-value.js";
import type { EncodedEntry } from "./model/entry.js";
import { type NewEntry, setEntries } from "./queries/set-entries.js";
import { reportUnusedEntry } from "./cache-events.js";

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
    if (entry !== undefined) last.set(JSON.stringify([entry.namespace, entry.key]), entry);
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
    call.settings.tally.add("refused");
    reportUnusedEntry(call.telemetry, "an entry was not cached", error);
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
