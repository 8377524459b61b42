import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { runTransaction } from "../db/statements/run-statement.js";
import { parsePlace } from "./boundary/parse-entries.js";
import type { CacheCall } from "./cache-call.js";
import { decodeEntry } from "./codec/entry-value.js";
import type { EntryPlace, SentEntry } from "./model/entry.js";
import { getEntries } from "./queries/get-entries.js";
import { reportUnusedEntry } from "./cache-events.js";

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
  const { serde, settings, telemetry, observer } = call;
  try {
    const value = await decodeEntry({ serde, scope: settings.scope }, place, sent);
    observer?.addBytes(Buffer.byteLength(sent.base64, "base64"));
    settings.tally.add("hit");
    return { value };
  } catch (error) {
    settings.tally.add("unreadable");
    reportUnusedEntry(telemetry, "an entry of the cache can't be read", error);
    return undefined;
  }
}

/** The keys that Postgres can hold, each once. */
function distinct(call: CacheCall, keys: readonly CacheFullKey[]): Iterable<WantedEntry> {
  const wanted = new Map<string, WantedEntry>();
  for (const key of keys) {
    const place = placeOrNone(call, key);
    if (place === undefined) continue;
    const id = JSON.stringify([place.namespace, place.key]);
    if (!wanted.has(id)) wanted.set(id, { place, key });
  }
  return wanted.values();
}

function placeOrNone({ settings, telemetry }: CacheCall, key: CacheFullKey): EntryPlace | undefined {
  try {
    return parsePlace(settings.scope, key);
  } catch (error) {
    settings.tally.add("refused");
    reportUnusedEntry(telemetry, "a key of the cache can't be used", error);
    return undefined;
  }
}
