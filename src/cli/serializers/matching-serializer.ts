import {
  type CompressionAlgorithm,
  type CompressionLayer,
  isCompression,
  LAYER_OF,
} from "../../serde/compressed/codecs.js";
import { CompressedSerializer } from "../../serde/compressed/compressed-serializer.js";
import { KEY_VARIABLE } from "../../serde/encrypted/aes-cipher.js";
import { AES_GCM_LAYER } from "../../serde/encrypted/aes-gcm-layer.js";
import { JsonSerializer } from "../../serde/json-serializer.js";
import { MsgpackSerializer } from "../../serde/msgpack-serializer.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import { aesSerializer, CliSerializer } from "./cli-serializer.js";
import type { CommandIO } from "../command-io.js";
import { IN_HEADER } from "../stored-types.js";

/** The tag of the encryption that Python has as well. */
const AES_LAYER = "aes";

/** Layouts of single values, which don't tell what a service writes its other values in. */
const NEUTRAL: ReadonlySet<string> = new Set(["null", "bytes", "bytearray", "empty", "pickle"]);

/**
 * Makes a serializer that writes what values of these types are written in, so that whoever reads them reads what it writes:
 * JSON where all of them are JSON, else MessagePack; compressed where one of them is; encrypted where one of them is, and
 * where there are none but a key. Where the command line can't write such values, it writes none and says why.
 *
 * @param types - The type tags of the values that a new one will stand beside.
 * @throws InvalidConfigError for a key that is none, without the key.
 */
export function followTypes(types: readonly string[], env: CommandIO["env"]): ContextualSerializer {
  const { [KEY_VARIABLE]: key = "" } = env;
  const tags = types.filter((type) => type !== IN_HEADER).map((type) => type.split("+"));
  const layers = new Set(tags.flatMap(([, ...others]) => others));
  const layouts = new Set(tags.flatMap(([layout = ""]) => (NEUTRAL.has(layout) ? [] : [layout])));
  const isEncrypted = layers.has(AES_LAYER) || (types.length === 0 && key !== "");
  const refusal = refusalOf(layouts, layers) ?? (isEncrypted && key === "" ? NO_KEY : undefined);
  if (refusal !== undefined) return new CliSerializer(env, refusal);
  const isJson = layouts.size === 1 && layouts.has("json") && !types.includes(IN_HEADER);
  const plain = isJson ? new JsonSerializer() : new MsgpackSerializer();
  const compression = [...layers].find(isCompression);
  const serde =
    compression === undefined
      ? plain
      : new CompressedSerializer(plain, { algorithm: algorithmOf(compression) });
  return isEncrypted ? aesSerializer(key, serde) : serde;
}

/** Whether a type names the encryption that {@link followTypes} writes. */
export function isAes(type: string): boolean {
  return type.split("+").includes(AES_LAYER);
}

const NO_KEY = `the thread is encrypted: set the environment variable ${KEY_VARIABLE} to the key, as for Python`;

function refusalOf(layouts: ReadonlySet<string>, layers: ReadonlySet<string>): string | undefined {
  if (layers.has(AES_GCM_LAYER))
    return "the thread is encrypted by AES-256-GCM, whose keys only the service has that wrote it: use a saver that has its serializer";
  const cipher = [...layers].find((layer) => layer !== AES_LAYER && !isCompression(layer));
  const unknown = cipher ?? [...layouts].find((layout) => layout !== "json" && layout !== "msgpack");
  return unknown === undefined
    ? undefined
    : `the thread is written in "${unknown}", which only the service can that wrote it: use a saver that has its serializer`;
}

function algorithmOf(layer: CompressionLayer): CompressionAlgorithm {
  if (layer === LAYER_OF.brotli) return "brotli";
  return layer === LAYER_OF.gzip ? "gzip" : "zstd";
}
