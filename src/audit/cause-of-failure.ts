import type { ChannelValueContext } from "../serde/serde-context.js";
import { canRead, decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import type { ChainRows } from "../saver/codec/read-chain.js";

/**
 * Finds the version to blame for a value that can't be read: of the values that it is made of, the last one that can't be read itself, or
 * that is not stored. Where values are made of each other it is the first of them in the order of their texts.
 */
export async function causeOfFailure(place: ChannelValueContext, reader: ValueReader): Promise<string> {
  const rows = await reader.fetchChain(place);
  const seen = new Set<string>();
  let { version } = place;
  for (;;) {
    seen.add(version);
    const base = rows(version)?.base ?? null;
    if (base === null || (await isReadable({ ...place, version: base }, rows, reader))) return version;
    if (seen.has(base)) return [...seen].toSorted()[0] ?? base;
    version = base;
  }
}

async function isReadable(
  place: ChannelValueContext,
  rows: ChainRows,
  reader: ValueReader,
): Promise<boolean> {
  const row = rows(place.version);
  if (row === undefined) return false;
  return canRead(() => decodeValue(reader, { ...row, chain: rows }, place, place));
}
