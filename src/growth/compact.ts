import type { CallContext } from "../db/call-context.js";
import { wrapBytes } from "../serde/layers/serializer-layer.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { spliceTypeOf } from "../splices/splice-type.js";
import { type ChainedValue, MAX_BASES, MIN_SPLICED_BYTES, nextValue } from "../splices/value-chain.js";
import { encodeAt } from "../saver/codec/encode-value.js";
import type { ReadValue } from "../saver/codec/read-chain.js";
import type { GrowthRequest } from "./boundary/parse-growth.js";
import { chainHeights } from "./chain-heights.js";
import { type ChannelPlan, eachChannel, type SerializerOf } from "./each-channel.js";
import type { GrowthReport } from "./growth-types.js";
import type { Replacement } from "./queries/replace-value.js";
import type { ChannelKey, VersionRow } from "./queries/select-versions.js";
import { batchesOf, type StoredValues } from "./rewrite-values.js";
import { compareVersions } from "./version-order.js";

/** Stores whole values as splices where that saves at least half of them; see `compact` of the savers. */
export function compact(
  call: CallContext,
  request: GrowthRequest,
  serdeOf: SerializerOf,
): Promise<GrowthReport> {
  return eachChannel(call, request, serdeOf, chains);
}

const chains: ChannelPlan = {
  repeats: false,
  concerns: ({ splices, long_values: longValues }) => longValues > 0 && longValues + splices > 1,
  *rewritesOf(key, versions, serde) {
    const heights = chainHeights(versions);
    for (const batch of batchesOf(linksOf(versions), ({ bytes }) => bytes)) {
      yield {
        targets: batch.map(({ version }) => version),
        context: batch.map(({ previous }) => previous),
        replacementsOf: (values) => splicesOf({ key, serde, heights, values }, batch),
      };
    }
  },
};

/** A whole value, and the value that it may become a splice of. */
interface Link {
  readonly version: string;
  readonly bytes: number;
  /** The version before it. */
  readonly previous: string;
}

/** The long whole values of a channel, except the first value. */
function linksOf(versions: readonly VersionRow[]): Link[] {
  const long = versions
    .filter(({ base, bytes }) => base !== null || bytes >= MIN_SPLICED_BYTES)
    .sort((a, b) => compareVersions(a.version, b.version));
  return long.flatMap(({ version, base, bytes }, index) => {
    const previous = long[index - 1]?.version;
    return base !== null || previous === undefined ? [] : [{ version, bytes, previous }];
  });
}

interface Compaction {
  readonly key: ChannelKey;
  readonly serde: ContextualSerializer;
  /** The length of the longest chain that ends at each whole value. */
  readonly heights: ReadonlyMap<string, number>;
  readonly values: StoredValues;
}

async function splicesOf(compaction: Compaction, links: readonly Link[]): Promise<Replacement[]> {
  const { rowOf, read } = compaction.values;
  const replacements: Replacement[] = [];
  let newest: ChainedValue | undefined;
  for (const link of links) {
    const row = rowOf(link.version);
    // Deleted meanwhile, or stored as a splice by another process.
    if (row?.base !== null || rowOf(link.previous) === undefined) continue;
    const previous = newest?.version === link.previous ? newest : (await read(link.previous)).chained();
    const stored = await read(link.version);
    const next = await spliceOf(compaction, link, previous, stored);
    newest = next?.value ?? stored.chained();
    if (next !== undefined) replacements.push(next.replacement);
  }
  return replacements;
}

/** Describes a value as a splice. Returns `undefined` where it is better stored whole. */
async function spliceOf(
  { key, serde, heights }: Compaction,
  { version, bytes }: Link,
  previous: ChainedValue,
  stored: ReadValue,
): Promise<{ readonly value: ChainedValue; readonly replacement: Replacement } | undefined> {
  const { value, splice } = nextValue(previous, version, stored.bytes);
  // The splices of this value become splices of its bases too.
  if (splice === undefined || value.bases.length + (heights.get(version) ?? 0) > MAX_BASES) return undefined;
  const context = { ...key, version };
  const { type, blob } = await encodeAt(context, () =>
    wrapBytes(serde, [spliceTypeOf(stored.type), splice.payload], context),
  );
  if (blob.byteLength >= bytes) return undefined;
  const { base, wholeBytes } = splice;
  return { value, replacement: { version, type, blob, base, wholeBytes } };
}
