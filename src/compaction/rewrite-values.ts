import type { CallContext } from "../db/call-context.js";
import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { ContextualSerializer, ChannelValueContext } from "../serde/serde-context.js";
import { decodeAt, rowReaderOf } from "../saver/codec/decode-value.js";
import { readChain, type ReadValue } from "../saver/codec/read-chain.js";
import { type ChainRows, chainRowsOf } from "../saver/codec/stored-value.js";
import { valueReader, ReplacedValueError, readUnreplaced } from "../saver/read-long-values.js";
import { getChains } from "../saver/queries/get-chains.js";
import { type BlobLock, type BlobsKey, lockBlobs, type LockedBlob } from "../saver/queries/lock-blobs.js";
import { type LockRow, refuseSnapshots, takeLocks } from "../saver/queries/take-locks.js";
import {
  type Replacement,
  replaceValue,
  type ChannelKey,
  selectVersions,
  type VersionRow,
} from "./queries/values-of-channel.js";
import { encodeAt } from "../saver/codec/encode-value.js";
import { wrapBytes } from "../serde/serializer-layer.js";

/** What one transaction stores at most. */
export const REWRITTEN_AT_ONCE = { rows: 100, size: 8 * 2 ** 20 };

/** Values of a channel that one transaction stores in another form. */
export interface Rewrite {
  readonly key: ChannelKey;
  readonly serde: ContextualSerializer;
  /** The versions of the values. */
  readonly targets: readonly string[];
  /** The versions of other values that are read with them. */
  readonly context?: readonly string[];
  readonly dryRun: boolean;
  /** Returns the new forms of those values that change. It is called again where the transaction is. */
  readonly replacementsOf: (values: StoredValues) => Promise<Replacement[]>;
}

/** The values that a transaction has read. */
export interface StoredValues {
  /** The row of a value. `undefined` where it was deleted. */
  readonly rowOf: ChainRows;
  /** Reads a value through the rows that it is made of. */
  readonly read: (version: string) => Promise<ReadValue>;
  /** Selects all values of the channel, as they are stored now. */
  readonly versions: () => Promise<VersionRow[]>;
}

/**
 * Stores values in another form in one transaction, so that a reader sees either form, and each value stays equal. It locks the
 * values, and those that new splices refer to. Readers don't wait for it, and neither do writers of new checkpoints.
 *
 * @returns What was stored.
 */
export async function rewriteValues(call: CallContext, rewrite: Rewrite): Promise<readonly Replacement[]> {
  const { key, targets, context = [], dryRun, replacementsOf } = rewrite;
  const versions = [...new Set([...context, ...targets])];
  // Without locks, a long value may be replaced or deleted before it is fetched.
  if (dryRun) return readUnreplaced(async () => replacementsOf(await readValues(call, versions, rewrite)));
  return inOneTransaction(call, async (transaction) => {
    await lockValues(transaction, key, versions, "forNoKeyUpdate");
    const replacements = await replacementsOf(await readValues(transaction, versions, rewrite));
    await storeReplacements(transaction, key, replacements);
    return replacements;
  });
}

/** Locks values of a channel until the transaction ends. */
export async function lockValues(
  transaction: CallContext,
  key: ChannelKey,
  versions: readonly string[],
  lock: BlobLock,
): Promise<void> {
  const { schema } = transaction;
  await runTransaction(transaction, {
    guard: [threadLock(schema, key)],
    statements: [lockBlobs(schema, blobsOf(key, versions), lock)],
  });
}

/** Stores values in another form, which the transaction has locked. */
export async function storeReplacements(
  transaction: CallContext,
  key: ChannelKey,
  replacements: readonly Replacement[],
): Promise<void> {
  const { schema } = transaction;
  await runTransaction(transaction, {
    guard: [baseLocks(schema, key, replacements)],
    statements: replacements.map((replacement) => replaceValue.bind(schema, { ...key, ...replacement })),
  });
}

/** One transaction of a thread at a time, so that two can't make values refer to each other. */
function threadLock(schema: string, { threadId }: ChannelKey): GuardStep<LockRow> {
  return {
    statement: takeLocks(schema, [{ name: ["growth", threadId], shared: false }]),
    check: (rows) => {
      refuseSnapshots(rows, "expand, compact and sanitize need");
    },
  };
}

function baseLocks(
  schema: string,
  key: ChannelKey,
  replacements: readonly Replacement[],
): GuardStep<LockedBlob> {
  const bases = [...new Set(replacements.flatMap(({ base }) => base ?? []))];
  return {
    statement: lockBlobs(schema, blobsOf(key, bases), "forKeyShare"),
    check: (locked) => {
      const missing = bases.find((base) => !locked.some(({ version }) => version === base));
      if (missing !== undefined) throw new ReplacedValueError({ ...key, version: missing });
    },
  };
}

function blobsOf({ channel, ...namespace }: ChannelKey, versions: readonly string[]): BlobsKey {
  return { ...namespace, channels: versions.map(() => channel), versions };
}

/** Reads values of a channel, with the rows that they are made of. */
export async function readValues(
  call: CallContext,
  versions: readonly string[],
  { key, serde }: Pick<Rewrite, "key" | "serde">,
): Promise<StoredValues> {
  const places = versions.map((version) => ({ ...key, version }));
  const rowOf = chainRowsOf(await getChains(call, places));
  const reader = rowReaderOf(valueReader(call, serde));
  return {
    rowOf,
    read: (version) => {
      const context = { ...key, version };
      const type = rowOf(version)?.type ?? null;
      return decodeAt(context, type, () => readChain(reader, context, rowOf));
    },
    versions: () => selectVersions(call, key),
  };
}

/** Stores a value whole. */
export async function wholeReplacement(
  serde: ContextualSerializer,
  context: ChannelValueContext,
  { type, bytes }: Pick<ReadValue, "type" | "bytes">,
): Promise<Replacement> {
  const whole = await encodeAt(context, () => wrapBytes(serde, [type, bytes], context));
  return { version: context.version, ...whole, base: null, wholeBytes: null };
}
