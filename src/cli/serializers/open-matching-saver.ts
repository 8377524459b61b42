import { getStoredTypes } from "../../audit/queries/get-stored-types.js";
import { selectTypes } from "../../compaction/queries/select-types.js";
import type { PostgresSaver } from "../../postgres-saver.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { EncryptedSerializer } from "../../serde/encrypted/encrypted-serializer.js";
import { isSplice } from "../../splices/splice-type.js";
import type { CommandContext } from "../command-definition.js";
import { isAes } from "./matching-serializer.js";

/**
 * Opens a saver that writes in the format of the values of checkpoints, so that every reader of the thread can read the new
 * values. If the command line can't write the format, every write fails with the reason.
 *
 * @throws DeserializationError if the values are encrypted with another key than the one in the environment.
 */
export async function openMatchingSaver(
  { openSaver, tables, signal }: CommandContext,
  key: NamespaceKey,
  checkpointIds: readonly string[],
): Promise<PostgresSaver> {
  const types = await getStoredTypes(tables, key, checkpointIds);
  // A splice may refer to values that are also compressed: a short splice is not compressed.
  const isSpliced = types.some(({ type }) => isSplice(type));
  const saver = openSaver({ keepTombstones: true }, [
    ...types.map(({ type }) => type),
    ...(isSpliced ? await selectTypes(tables, key.threadId) : []),
  ]);
  const encrypted = types.find(({ type }) => isAes(type));
  if (encrypted === undefined || !(saver.serde instanceof EncryptedSerializer)) return saver;
  // Reads one encrypted value, which fails if the key is wrong: values encrypted with a wrong key could never be read.
  const { checkpointId, channel } = encrypted;
  const config = {
    configurable: {
      thread_id: key.threadId,
      checkpoint_ns: key.checkpointNs,
      checkpoint_id: checkpointId,
    },
  };
  const read = channel === null ? { values: false } : { channels: [channel], writes: false };
  await saver.getTuple(config, { ...read, signal });
  return saver;
}
