import type { CallContext } from "../db/call-context.js";
import { wrapBytes } from "../serde/serializer-layer.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { MIN_SPLICED_BYTES, spliceTypeOf } from "../splices/splice-type.js";
import { type ChainedValue, nextValue, wholeValue } from "../splices/value-chain.js";
import { encodeAt } from "../saver/codec/encode-value.js";
import type { ReadValue } from "../saver/codec/read-chain.js";
import type { GrowthRequest } from "./boundary/parse-growth.js";
import { VersionChains } from "./version-chains.js";
import { type ChannelPlan, eachChannel, type SerializerOf } from "./each-channel.js";
import type { GrowthReport } from "./growth-types.js";
import type { Replacement, ChannelKey, VersionRow } from "./queries/values-of-channel.js";
import { REWRITTEN_AT_ONCE, type StoredValues, wholeReplacement } from "./rewrite-values.js";
import { portionsOf } from "../saver/model/portions.js";
import { compareText } from "../saver/model/keys.js";

/**
 * Stores whole values as splices where that saves at least half of them, and makes chains shorter that are too long; see `compact` of
 * the savers.
 */
export function compact(
  call: CallContext,
  request: GrowthRequest,
  serdeOf: SerializerOf,
): Promise<GrowthReport> {
  return eachChannel(call, request, serdeOf, shortChains);
}

const shortChains: ChannelPlan = {
  repeats: false,
  concerns: ({ splices, long_values: longValues }) => splices + longValues > 1,
  *rewritesOf(key, versions, serde) {
    for (const batch of portionsOf(linksOf(versions), ({ bytes }) => bytes, REWRITTEN_AT_ONCE)) {
      yield {
        targets: batch.map(({ version }) => version),
        context: batch.flatMap(({ previous }) => previous ?? []),
        replacementsOf: (values) => replacementsOf({ key, serde, values }, batch),
      };
    }
  },
};

/** A value that gets another form, and the value that it may become a splice of. */
interface Link {
  readonly version: string;
  /** The length of the whole value. */
  readonly bytes: number;
  /** The version before it. */
  readonly previous: string | undefined;
}

/** The long whole values of a channel, except the first value, and the splices that are made of too many values. */
function linksOf(versions: readonly VersionRow[]): Link[] {
  const chains = new VersionChains(versions);
  const long = versions
    .filter(({ base, bytes }) => base !== null || bytes >= MIN_SPLICED_BYTES)
    .sort((a, b) => compareVersions(a.version, b.version));
  return long.flatMap(({ version, base, bytes, whole_bytes: wholeBytes }, index) => {
    const previous = long[index - 1]?.version;
    const isLink = base === null ? previous !== undefined : chains.isTooLong(version);
    return isLink ? [{ version, bytes: wholeBytes ?? bytes, previous }] : [];
  });
}

interface Compaction {
  readonly key: ChannelKey;
  readonly serde: ContextualSerializer;
  readonly values: StoredValues;
}

/** A value in another form. */
interface Rewritten {
  readonly value: ChainedValue;
  readonly replacement: Replacement;
}

async function replacementsOf(compaction: Compaction, links: readonly Link[]): Promise<Replacement[]> {
  const { rowOf, read, versions } = compaction.values;
  // As they are now: another process may have changed them since the links were chosen.
  const chains = new VersionChains(await versions());
  const replacements: Replacement[] = [];
  let newest: ChainedValue | undefined;
  for (const link of links) {
    const { version, previous } = link;
    const isTooLong = chains.isTooLong(version);
    // Deleted meanwhile, or stored as a splice by another process.
    if (rowOf(version) === undefined || (rowOf(version)?.base !== null && !isTooLong)) continue;
    const isNext = previous !== undefined && rowOf(previous) !== undefined;
    const before =
      newest?.version === previous ? newest : isNext ? (await read(previous)).chained() : undefined;
    const stored = await read(version);
    const next =
      (before && (await spliceOf(compaction, { link, before, stored, chains }))) ??
      (isTooLong ? await wholeOf(compaction, version, stored) : undefined);
    newest = next?.value ?? stored.chained();
    if (next === undefined) continue;
    chains.set(version, next.replacement.base);
    replacements.push(next.replacement);
  }
  return replacements;
}

interface SpliceRequest {
  readonly link: Link;
  /** The value before it. */
  readonly before: ChainedValue;
  readonly stored: ReadValue;
  readonly chains: VersionChains;
}

/** Describes a value as a splice. Returns `undefined` where it is better stored whole. */
async function spliceOf(
  { key, serde }: Compaction,
  { link: { version, bytes }, before, stored, chains }: SpliceRequest,
): Promise<Rewritten | undefined> {
  const { value, splice } = nextValue(before, version, stored.bytes);
  if (splice === undefined || !chains.mayRefer(version, splice.base)) return undefined;
  const context = { ...key, version };
  const { type, blob } = await encodeAt(context, () =>
    wrapBytes(serde, [spliceTypeOf(stored.type), splice.payload], context),
  );
  if (blob.byteLength >= bytes) return undefined;
  const { base, wholeBytes } = splice;
  return { value, replacement: { version, type, blob, base, wholeBytes } };
}

async function wholeOf({ key, serde }: Compaction, version: string, stored: ReadValue): Promise<Rewritten> {
  const replacement = await wholeReplacement(serde, { ...key, version }, stored);
  return { value: wholeValue(version, stored.bytes), replacement };
}

/** Compares two versions of a channel by their number, and then by their text: 9 comes before 10, whatever zeros precede it. */
function compareVersions(a: string, b: string): number {
  const [first, second] = [numberOf(a), numberOf(b)];
  return first.length - second.length || compareText(first, second) || compareText(a, b);
}

function numberOf(version: string): string {
  return /^0*(\d*)/.exec(version)?.[1] ?? "";
}
