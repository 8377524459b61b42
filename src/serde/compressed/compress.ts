import { type Codec, SYNC_BYTES } from "./codecs.js";
import { packFrame } from "./frame.js";

/** Compresses a value, or returns `undefined` if that does not make it smaller. */
export async function compress(codec: Codec, data: Uint8Array): Promise<Uint8Array | undefined> {
  const stream = data.length <= SYNC_BYTES ? codec.compressSync(data) : await codec.compress(data);
  const frame = packFrame(data, stream);
  return frame.length < data.length ? frame : undefined;
}
