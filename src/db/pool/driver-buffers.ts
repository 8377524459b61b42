import { type Duplex, PassThrough } from "node:stream";
import type { Connection } from "pg";

/** Makes buffers of the bytes of others. */
export type ToBuffer = (bytes: Buffer) => Buffer;

/** Drivers of older versions of `pg` take no function for the stream, which the types of `pg` ask for. */
type ConnectionClass = new (config: { readonly stream: Duplex }) => Pick<Connection, "flush">;

/** By the class of the connections of a driver. */
const known = new WeakMap<object, ToBuffer>();

/**
 * Returns what makes the buffers that a driver sends as bytes. A driver for runtimes without `Buffer`, such as `@neondatabase/serverless`,
 * contains a class of its own, and would take ours for texts.
 */
export function toBufferOf(connection: Connection): ToBuffer {
  const Own = connection.constructor as ConnectionClass;
  const toBuffer = known.get(Own) ?? findToBuffer(Own);
  known.set(Own, toBuffer);
  return toBuffer;
}

function findToBuffer(Own: ConnectionClass): ToBuffer {
  const sent: Uint8Array[] = [];
  const write = (bytes: Uint8Array): boolean => sent.push(bytes) > 0;
  const stream = Object.assign(new PassThrough(), { write });
  new Own({ stream }).flush();
  const OwnBuffer = sent[0]?.constructor;
  return OwnBuffer === undefined || OwnBuffer === Buffer || !isBufferClass(OwnBuffer)
    ? (bytes) => bytes
    : ({ buffer, byteOffset, byteLength }) => OwnBuffer.from(buffer, byteOffset, byteLength);
}

function isBufferClass(found: object): found is typeof Buffer {
  return "from" in found && "allocUnsafe" in found;
}
