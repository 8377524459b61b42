import type { ByteReader } from "./byte-reader.js";
import type { DecodeContext } from "./decode-context.js";
import { decodeNumpyArray } from "./decode-numpy.js";
import { OWN_DECODERS } from "./decode-own.js";
import { decodePython } from "./decode-python.js";
import { decodeDeltaSnapshot } from "./decode-langgraph.js";
import { EXT } from "./ext-codes.js";

/**
 * Decodes an extension whose payload is the next `length` bytes.
 *
 * @param readValue - reads the next MessagePack value
 */
export function decodeExtension(
  code: number,
  length: number,
  reader: ByteReader,
  readValue: () => unknown,
  context: DecodeContext,
): unknown {
  const own = OWN_DECODERS.get(code);
  if (own?.payload === "bytes") return own.decode(reader.bytes(length), context);
  if (own === undefined && code > EXT.DELTA_SNAPSHOT)
    return context.fail(`the extension code ${code} is unknown`);
  const payload = reader.window(length, readValue);
  if (own !== undefined) return own.decode(payload, context);
  if (code === EXT.DELTA_SNAPSHOT) return decodeDeltaSnapshot(payload);
  return code === EXT.NUMPY_ARRAY ? decodeNumpyArray(payload, context) : decodePython(code, payload, context);
}
