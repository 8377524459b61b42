import type { ErrorLocation } from "../../errors/index.js";
import type { ChannelValueContext, ContextualSerializer } from "../../serde/serde-context.js";
import type { ChainedValue } from "../../splices/value-chain.js";
import type { ChainedValues, ValueMemory } from "../../splices/value-memory.js";
import type { CheckedCheckpoint } from "../boundary/parse-checkpoint.js";
import type { PutTarget } from "../boundary/parse-config.js";
import type { EncodedBlob } from "../queries/encoded-checkpoint.js";
import { encodeChained } from "./encode-chained.js";

/** A new checkpoint. */
interface NewCheckpoint extends PutTarget {
  readonly checkpoint: Pick<CheckedCheckpoint, "channel_versions">;
  /** The versions of the new values. */
  readonly newVersions: Record<string, string | number>;
}

/** The values of a new checkpoint, each as the successor of the one in the parent. */
export interface OpenChain {
  /** What to remember: unchanged values of the parent, and new ones once they are encoded. */
  readonly values: ChainedValues;
  /** Encodes a new value; see `encodeChained`. */
  encode(
    serde: ContextualSerializer,
    value: unknown,
    context: ChannelValueContext,
    location: ErrorLocation,
  ): Promise<Omit<EncodedBlob, "channel" | "version">>;
}

/** Looks up what is remembered of the parent of a checkpoint. */
export function openChain(
  { threadId, checkpointNs, parentCheckpointId, checkpoint, newVersions }: NewCheckpoint,
  memory: ValueMemory,
): OpenChain {
  const known =
    parentCheckpointId === undefined
      ? undefined
      : memory.valuesOf({ threadId, checkpointNs, checkpointId: parentCheckpointId });
  const unchanged = [...(known ?? [])].filter(
    ([channel, { version }]) =>
      !Object.hasOwn(newVersions, channel) && String(checkpoint.channel_versions[channel]) === version,
  );
  const values = new Map<string, ChainedValue>(unchanged);
  return {
    values,
    async encode(serde, value, context, location) {
      const { channel } = context;
      const previous = known?.get(channel);
      const { chained, ...encoded } = await encodeChained(serde, { value, context, location, previous });
      if (chained !== undefined) {
        if (parentCheckpointId !== undefined) memory.countLookup(previous !== undefined);
        values.set(channel, chained);
      }
      return encoded;
    },
  };
}
