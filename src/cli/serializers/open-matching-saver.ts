import { EncryptedSerializer } from "../../serde/encrypted/encrypted-serializer.js";
import type { PostgresSaver } from "../../postgres-saver.js";
import type { CommandContext } from "../command-definition.js";
import { isAes } from "./matching-serializer.js";
import { KEEP_TOMBSTONES } from "../keep-tombstones.js";
import { type CheckpointsOfNamespace, storedTypes } from "../stored-types.js";

/**
 * A saver that writes what the values of checkpoints are written in, so that whoever goes on with the thread reads what it
 * writes. Where the command line can't write such values, the saver stores none and says why.
 *
 * @throws DeserializationError where the values are encrypted by another key than the one in the environment.
 */
export async function followingSaver(
  context: CommandContext,
  place: CheckpointsOfNamespace,
): Promise<PostgresSaver> {
  const { openSaver, signal } = context;
  const types = await storedTypes(context, place);
  const saver = openSaver(
    KEEP_TOMBSTONES,
    types.map(({ type }) => type),
  );
  const encrypted = types.find(({ type }) => isAes(type));
  if (encrypted === undefined || !(saver.serde instanceof EncryptedSerializer)) return saver;
  // Nobody could read what a wrong key had encrypted.
  const { checkpointId, channel } = encrypted;
  const config = {
    configurable: { thread_id: place.thread, checkpoint_ns: place.namespace, checkpoint_id: checkpointId },
  };
  const read = channel === null ? { values: false } : { channels: [channel], writes: false };
  await saver.getTuple(config, { ...read, signal });
  return saver;
}
