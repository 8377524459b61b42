import { INLINE, getStoredTypes } from "../../audit/queries/get-stored-types.js";
import {
  type CompressionAlgorithm,
  type CompressionLayer,
  isCompression,
  LAYER_OF,
} from "../../serde/compressed/codecs.js";
import { CompressedSerializer } from "../../serde/compressed/compressed-serializer.js";
import { KEY_VARIABLE, EncryptedSerializer } from "../../serde/encrypted/encrypted-serializer.js";
import { AES_GCM_LAYER } from "../../serde/encrypted/aes-gcm.js";
import { JsonSerializer } from "../../serde/json/json-serializer.js";
import { MsgpackSerializer } from "../../serde/msgpack/msgpack-serializer.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import { formOf, isSplice, UNCHECKED_FORMATS } from "../../splices/splice-type.js";
import type { CommandIO } from "../command-io.js";
import { aesSerializer, CliSerializer } from "./cli-serializer.js";
import { selectTypes } from "../../compaction/queries/values-of-channel.js";
import type { PostgresSaver } from "../../postgres-saver.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import type { CommandContext } from "../command-definition.js";

/** The type tag of the encryption that Python's saver supports too. */
const AES_LAYER = "aes";

/** Formats of single values. They don't show in which format a service writes its other values. */
const SPECIAL_FORMATS: ReadonlySet<string> = new Set([...UNCHECKED_FORMATS, "pickle"]);

const NO_KEY = `the thread is encrypted; set the environment variable ${KEY_VARIABLE} to the key, as for Python's saver`;

/**
 * Creates a serializer that writes in the format of stored values, so that every reader of those can read the new ones: JSON if
 * all of them are JSON, else MessagePack; compressed if one of them is; encrypted if one of them is, or if there are none and
 * the environment has a key. If the command line can't write the format, every write fails with the reason.
 *
 * @param types - The type tags of the stored values.
 * @throws InvalidConfigError if the key in the environment is invalid. The message does not quote the key.
 */
export function matchingSerializer(types: readonly string[], env: CommandIO["env"]): ContextualSerializer {
  const { [KEY_VARIABLE]: key = "" } = env;
  const forms = types.filter((type) => type !== INLINE).map(formOf);
  const layers = new Set(forms.flatMap((form) => form.layers));
  const formats = new Set(forms.map(({ format }) => format).filter((format) => !SPECIAL_FORMATS.has(format)));
  const isEncrypted = layers.has(AES_LAYER) || (types.length === 0 && key !== "");
  const refusal = refusalOf(formats, layers) ?? (isEncrypted && key === "" ? NO_KEY : undefined);
  if (refusal !== undefined) return new CliSerializer(env, refusal);
  const isJson = formats.size === 1 && formats.has("json") && !types.includes(INLINE);
  const plain = isJson ? new JsonSerializer() : new MsgpackSerializer();
  const compression = [...layers].find(isCompression);
  const serde =
    compression === undefined
      ? plain
      : new CompressedSerializer(plain, { algorithm: algorithmOf(compression) });
  return isEncrypted ? aesSerializer(key, serde) : serde;
}

/** Whether a type tag names the encryption that {@link matchingSerializer} can write. */
export function isAes(type: string): boolean {
  return type.split("+").includes(AES_LAYER);
}

function refusalOf(formats: ReadonlySet<string>, layers: ReadonlySet<string>): string | undefined {
  if (layers.has(AES_GCM_LAYER))
    return "the thread is encrypted with AES-256-GCM, and only the service that wrote it has the keys; use a saver with that service's serializer";
  const cipher = [...layers].find((layer) => layer !== AES_LAYER && !isCompression(layer));
  const unknown = cipher ?? [...formats].find((format) => format !== "json" && format !== "msgpack");
  return unknown === undefined
    ? undefined
    : `the thread's values have the type "${unknown}", which only the service that wrote them supports; use a saver with that service's serializer`;
}

function algorithmOf(layer: CompressionLayer): CompressionAlgorithm {
  if (layer === LAYER_OF.brotli) return "brotli";
  return layer === LAYER_OF.gzip ? "gzip" : "zstd";
}

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
  const types = await getStoredTypes(tables, { ...key, checkpointIds });
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
