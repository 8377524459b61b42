import { z } from "zod";
import { keyText } from "../../parsing/keys.js";
import type { StorageSize } from "../../audit/storage-types.js";
import { VersionChains } from "../../compaction/version-chains.js";
import { groupBy } from "../../db/group-by.js";
import type { SaverCall } from "../../saver/call/saver-call.js";
import type { ChannelChains, MeasuredPart, StepsStorage } from "../api/storage-views.js";
import { channelSizes, type SpliceRow, spliceBases, tableSizes } from "../queries/stored-sizes.js";
import { stepBytes, type StepBytesRow } from "../queries/step-bytes.js";
import { limitUpTo, namespacePlace, threadArgs } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

const DEFAULT_LIMIT = 20;
/** The most entries of a chart. */
const MAX_STEPS = 500;
/** The most channels of a thread. Each call of a subgraph has a namespace of its own, so there may be thousands. */
const MAX_CHANNELS = 500;

export const storageCalls: ReadDefinitions<"tables" | "storage" | "stepBytes" | "chains"> = {
  tables: {
    args: z.strictObject({}),
    run: async ({ call }) => {
      const rows = await tableSizes(call);
      return {
        tables: rows.map((row) => ({
          ...{ table: row.name, rows: row.rows },
          ...{ tableBytes: row.table_bytes, indexBytes: row.index_bytes },
        })),
      };
    },
  },
  storage: {
    args: z.strictObject({ threadId: keyText.optional(), limit: limitUpTo(200) }),
    run: async ({ context, signal }, { threadId, limit = DEFAULT_LIMIT }) => {
      const { total, threads, channels } = await context.saver.storage({
        ...{ threadId, limit, signal, staleReads: !context.write },
      });
      return {
        total: {
          ...partOf("", total),
          ...{ threads: total.threads, checkpoints: total.checkpoints, values: total.blobs },
          ...{ splices: total.splices, writes: total.writes },
          ...{ uncompressedBytes: total.uncompressedBytes, wholeBytes: total.wholeBytes },
        },
        threads: threads.map((each) => partOf(each.threadId, each)),
        channels: channels.map((each) => partOf(each.channel, { headerBytes: 0, ...each })),
      };
    },
  },
  stepBytes: {
    args: namespacePlace,
    run: async ({ call }, { threadId, namespace }) =>
      stepsOf(await stepBytes(call, { threadId, checkpointNs: namespace }, MAX_STEPS)),
  },
  chains: {
    args: threadArgs,
    run: async ({ call }, args) => ({ channels: await chainsOf(call, args.threadId) }),
  },
};

function partOf(
  name: string,
  { headerBytes, blobBytes, writeBytes }: Pick<StorageSize, "headerBytes" | "blobBytes" | "writeBytes">,
): MeasuredPart {
  return { name, headerBytes, valueBytes: blobBytes, writeBytes };
}

function stepsOf(rows: readonly StepBytesRow[]): StepsStorage {
  const steps = rows.flatMap((row) => {
    if (row.checkpoint_id === null) return [];
    const step = Number(row.step ?? Number.NaN);
    return {
      ...{ checkpointId: row.checkpoint_id, checkpoints: row.checkpoints },
      ...(Number.isInteger(step) && { step }),
      ...{ headerBytes: row.header_bytes, valueBytes: row.value_bytes, writeBytes: row.write_bytes },
    };
  });
  const others = rows.find(({ checkpoint_id }) => checkpoint_id === null);
  return { steps, otherBytes: (others?.value_bytes ?? 0) + (others?.write_bytes ?? 0) };
}

async function chainsOf(call: SaverCall, thread: string): Promise<ChannelChains[]> {
  const sizes = await channelSizes(call, { threadId: thread, limit: MAX_CHANNELS });
  const hasSplices = sizes.some(({ splices }) => splices > 0);
  const longest = longestChains(hasSplices ? await spliceBases(call, thread) : []);
  return sizes.map((row) => ({
    ...{ namespace: row.checkpoint_ns, channel: row.channel, versions: row.versions, splices: row.splices },
    longest: longest.get(idOf(row)) ?? Math.min(row.versions, 1),
    ...{ storedBytes: row.stored_bytes, wholeBytes: row.whole_bytes },
  }));
}

/** The rows of the longest chain of each channel that has splices. */
function longestChains(splices: readonly SpliceRow[]): Map<string, number> {
  return new Map(
    [...groupBy(splices, idOf)].map(([id, rows]) => {
      const chains = new VersionChains([...rows.map(({ base }) => ({ version: base, base: null })), ...rows]);
      const longest = rows.reduce((most, row) => Math.max(most, chains.basesOf(row.version)?.size ?? 0), 0);
      return [id, longest + 1];
    }),
  );
}

function idOf({ checkpoint_ns, channel }: Pick<SpliceRow, "checkpoint_ns" | "channel">): string {
  return JSON.stringify([checkpoint_ns, channel]);
}
