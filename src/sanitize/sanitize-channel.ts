import type { CallContext } from "../db/call-context.js";
import { inOneTransaction } from "../db/statements/run-statement.js";
import { type ChangedValue, changesOf } from "../compaction/growth-tally.js";
import {
  type Replacement,
  type ChannelKey,
  selectVersions,
} from "../compaction/queries/values-of-channel.js";
import {
  REWRITTEN_AT_ONCE,
  lockValues,
  readValues,
  storeReplacements,
  type StoredValues,
  wholeReplacement,
} from "../compaction/rewrite-values.js";
import type { ReadValue } from "../saver/codec/read-chain.js";
import { portionsOf } from "../saver/model/portions.js";
import { readUnreplaced } from "../saver/read-long-values.js";
import { innermost } from "../serde/serializer-layer.js";
import type { ContextualSerializer, CheckpointValueContext } from "../serde/serde-context.js";

/** A channel, and what reads and writes its values. */
interface SanitizedChannel {
  readonly key: ChannelKey;
  readonly serde: ContextualSerializer;
  readonly dryRun: boolean;
}

/**
 * Writes the messages of a channel anew. It reads without locks, since nearly all values stay as they are, and changes those of a batch in
 * one transaction.
 *
 * @returns Yields what each transaction has changed.
 */
export async function* sanitizeChannel(
  call: CallContext,
  channel: SanitizedChannel,
): AsyncGenerator<readonly ChangedValue[]> {
  const rows = await selectVersions(call, channel.key);
  for (const batch of portionsOf(rows, ({ whole_bytes, bytes }) => whole_bytes ?? bytes, REWRITTEN_AT_ONCE)) {
    const versions = batch.map(({ version }) => version);
    const found = await replacementsOf(call, channel, versions);
    if (found.length === 0) continue;
    const changed = channel.dryRun ? found : await replace(call, channel, found);
    yield changesOf(changed, rows);
  }
}

/** The values that change, as they would be stored. */
async function replacementsOf(
  call: CallContext,
  { key, serde }: SanitizedChannel,
  versions: readonly string[],
): Promise<Replacement[]> {
  const values = await readValues(call, versions, { key, serde });
  const changes: Replacement[] = [];
  for (const version of versions) {
    const value = await readUnlocked(call, values, { key, serde }, version);
    const clean = value && (await cleanOf(value, { key, serde }, version));
    if (clean !== undefined) changes.push(await wholeReplacement(serde, { ...key, version }, clean));
  }
  return changes;
}

/**
 * Reads a value, with its rows as they are now where one of them was replaced since they were read.
 *
 * @returns `undefined` where it was deleted.
 */
async function readUnlocked(
  call: CallContext,
  first: StoredValues,
  channel: Pick<SanitizedChannel, "key" | "serde">,
  version: string,
): Promise<ReadValue | undefined> {
  let known: StoredValues | undefined = first;
  return readUnreplaced(async () => {
    const values = known ?? (await readValues(call, [version], channel));
    known = undefined;
    return values.rowOf(version) === undefined ? undefined : values.read(version);
  });
}

function cleanOf(
  value: ReadValue,
  { key, serde }: Pick<SanitizedChannel, "key" | "serde">,
  version: string,
): Promise<SerializedValue | undefined> {
  return sanitizedBytes(innermost(serde), value, { ...key, version });
}

/**
 * Stores the values that change. A splice of one of them would be read as something else, so it becomes whole. The lock keeps writers
 * from storing another one.
 */
async function replace(
  call: CallContext,
  { key, serde }: SanitizedChannel,
  found: readonly Replacement[],
): Promise<readonly Replacement[]> {
  return inOneTransaction(call, async (transaction) => {
    const replacements = new Map<string, Replacement>();
    const changed = new Set<string>();
    let versions = found.map(({ version }) => version);
    while (versions.length > 0) {
      await lockValues(transaction, key, versions, "forUpdate");
      const values = await readValues(transaction, versions, { key, serde });
      for (const version of versions) {
        const row = values.rowOf(version);
        if (row === undefined) continue;
        const value = await values.read(version);
        const clean = await cleanOf(value, { key, serde }, version);
        if (clean !== undefined) changed.add(version);
        // It was cleaned meanwhile, unless it is a splice of a value that changes.
        else if (row.base === null || !changed.has(row.base)) continue;
        replacements.set(version, await wholeReplacement(serde, { ...key, version }, clean ?? value));
      }
      versions = (await selectVersions(transaction, key)).flatMap(({ version, base }) =>
        base !== null && changed.has(base) && !replacements.has(version) ? [version] : [],
      );
    }
    const stored = [...replacements.values()];
    await storeReplacements(transaction, key, stored);
    return stored;
  });
}

/** What only values contain in which earlier versions may have kept the arguments of a message: the names of their fields for them. */
const MARKS = ["lc_js", "lc_kwargs"].map((name) => Buffer.from(name));

/** A value as the innermost serializer writes it. */
interface SerializedValue {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * Writes a value anew, so that its messages hold only what they are.
 *
 * @param serde - The innermost serializer.
 * @returns `undefined` where the value stays as it is.
 */
export async function sanitizedBytes(
  serde: ContextualSerializer,
  { type, bytes }: SerializedValue,
  context: CheckpointValueContext,
): Promise<SerializedValue | undefined> {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!MARKS.some((mark) => before.includes(mark))) return undefined;
  const value = await serde.loadsTyped(type, bytes, context);
  const [newType, after] = await serde.dumpsTyped(value, context);
  return before.equals(after) ? undefined : { type: newType, bytes: after };
}
