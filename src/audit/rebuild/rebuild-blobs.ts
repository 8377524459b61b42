import { runTransaction } from "../../db/statements/run-statement.js";
import { CheckpointNotFoundError } from "../../errors/index.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointTarget } from "../boundary/parse-audit.js";
import { parseWritesConfig } from "../../saver/boundary/parse-config.js";
import type { ChannelReducers } from "../../saver/model/channel-reducers.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import { toStoredBarrier, mayBeEmpty } from "../../saver/codec/special-values.js";
import { encodeValue } from "../../saver/codec/encode-value.js";
import { readUnreplaced } from "../../saver/read-long-values.js";
import type { BlobRow } from "../../saver/queries/checkpoint-rows.js";
import { holdParents } from "../../saver/queries/hold-parents.js";
import { isInsertedBlob } from "../../saver/queries/put-rows.js";
import { insertingStatements } from "../../saver/storing/store-rows.js";
import { getHeaderPage } from "../queries/get-header-page.js";
import { readTuple } from "../../saver/read-tuple.js";
import type { RebuiltBlob } from "../audit-types.js";
import { DeltaChannels } from "../delta-channels.js";
import { EMPTY } from "./engine-channels.js";
import { UnstoredChannels } from "../unstored-channels.js";
import { type RebuiltChannels, type RebuiltValue, rebuildValues } from "./rebuild-values.js";

/**
 * Rebuilds and stores missing values; see `rebuildBlobs` of the savers.
 *
 * @param only - The channels to rebuild. Default: all without a value.
 */
export async function rebuildBlobs(
  call: CallContext,
  target: CheckpointTarget,
  reducers: ChannelReducers,
  serde: ContextualSerializer,
  only?: readonly string[],
): Promise<RebuiltBlob[]> {
  const { key, versions, ...channels } = await missingValues(call, { target, reducers, only }, serde);
  if (channels.required.length === 0) return [];
  const rebuild = { call, key, serde, reducers };
  const values = await readUnreplaced(() => rebuildValues(rebuild, channels));
  const rows = await Promise.all(
    [...values].map(([channel, value]) => encodeBlob(channel, value, versions.get(channel) ?? "", rebuild)),
  );
  return storeBlobs(call, key, rows);
}

interface MissingValues extends RebuiltChannels {
  readonly key: CheckpointKey;
  /** The version of each channel without a stored value. */
  readonly versions: ReadonlyMap<string, string>;
}

interface MissingRequest {
  readonly target: CheckpointTarget;
  readonly reducers: ChannelReducers;
  readonly only: readonly string[] | undefined;
}

async function missingValues(
  call: CallContext,
  { target, reducers, only }: MissingRequest,
  serde: ContextualSerializer,
): Promise<MissingValues> {
  const tuple = await readTuple(call, target, { channels: [], writes: false }, serde);
  if (tuple === undefined) throw new CheckpointNotFoundError(target);
  const key = parseWritesConfig(tuple.config);
  const [row] = await getHeaderPage(call, {
    threadId: key.threadId,
    begin: { key, inclusive: true },
    pageSize: 1,
  });
  if (row?.checkpoint_id !== key.checkpointId || row.checkpoint_ns !== key.checkpointNs) {
    throw new CheckpointNotFoundError(key);
  }
  // The JSON comes from our own statement.
  const unstored = JSON.parse(row.missing ?? "[]") as [channel: string, version: string][];
  const { channel_versions } = tuple.checkpoint;
  const source = tuple.metadata?.source;
  const isOptional = (channel: string) => mayBeEmpty({ channel, version: channel_versions[channel], source });
  const deltas = await new DeltaChannels(call).among(
    key,
    unstored.map(([channel]) => channel),
  );
  const versions = new Map(
    unstored.filter(([channel]) => !deltas.has(channel) && only?.includes(channel) !== false),
  );
  const required = new Map([...versions].filter(([channel]) => !isOptional(channel)));
  return {
    key,
    versions,
    required: await lostChannels(call, key, required, reducers),
    optional: [...versions.keys()].filter(isOptional),
  };
}

/** Selects the channels that had a value. When the rows don't show it, a reducer from the caller means that there was one. */
async function lostChannels(
  call: CallContext,
  key: CheckpointKey,
  versions: ReadonlyMap<string, string>,
  reducers: ChannelReducers,
): Promise<string[]> {
  const unstored = new UnstoredChannels(call);
  const lost: string[] = [];
  for (const [channel, version] of versions) {
    const state = await unstored.stateOf({ ...key, channel, version });
    if (state === "lost" || (state === "unclear" && Object.hasOwn(reducers, channel))) lost.push(channel);
  }
  return lost;
}

async function encodeBlob(
  channel: string,
  { value, write }: RebuiltValue,
  version: string,
  { key, serde }: { readonly key: CheckpointKey; readonly serde: ContextualSerializer },
): Promise<BlobRow> {
  const { threadId, checkpointNs } = key;
  const context = { threadId, checkpointNs, channel, version };
  if (value === EMPTY) return { ...context, type: "empty", blob: null };
  if (write !== undefined) return { ...context, ...write };
  const encoded = await encodeValue(serde, toStoredBarrier(channel, value), context, { ...key, channel });
  return { ...context, ...encoded };
}

/** Stores all blobs or none, and only while the checkpoint is stored: an unreferenced blob would be an orphan. */
async function storeBlobs(
  call: CallContext,
  key: CheckpointKey,
  rows: readonly BlobRow[],
): Promise<RebuiltBlob[]> {
  const { schema } = call;
  // All writers lock blobs in this order.
  const sorted = [...rows].sort((a, b) => (a.channel < b.channel ? -1 : 1));
  const stored = await runTransaction(call, {
    guard: [
      {
        statement: holdParents(schema, { naming: "parameter", threadId: key.threadId, items: [key] }),
        check: (locked) => {
          if (locked.length === 0) throw new CheckpointNotFoundError(key);
        },
      },
    ],
    statements: await insertingStatements(call, key.threadId, { checkpoints: [], writes: [], blobs: sorted }),
  });
  const restored = new Set(
    stored
      .flat()
      .filter(isInsertedBlob)
      .map(({ channel }) => channel),
  );
  return sorted
    .filter(({ channel }) => restored.has(channel))
    .map(({ channel, version, blob }) => ({ channel, version, bytes: blob?.byteLength ?? 0 }));
}
