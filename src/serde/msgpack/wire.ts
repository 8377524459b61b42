import { addExtension, Packr } from "msgpackr";

/** The room in msgpackr's buffer that an extension may write to. */
interface Room {
  readonly target: Uint8Array;
  readonly position: number;
}

type Allocate = (size: number) => Room;

/** Encoded bytes that stand in a tree of values and are copied into the output as they are. */
export class Wire {
  readonly #head: Uint8Array;
  readonly #body: Uint8Array;

  constructor(head: Uint8Array, body: Uint8Array = new Uint8Array()) {
    this.#head = head;
    this.#body = body;
  }

  /** Copies the bytes to where msgpackr makes room for them. */
  writeTo(allocate: Allocate): void {
    const { target, position } = allocate(this.#head.length + this.#body.length);
    target.set(this.#head, position);
    target.set(this.#body, position + this.#head.length);
  }
}

/** The bytes that announce an extension: its length, in the shortest form there is, and its code. */
function extHead(code: number, length: number): Uint8Array {
  const fixed = { 1: 0xd4, 2: 0xd5, 4: 0xd6, 8: 0xd7, 16: 0xd8 }[length];
  if (fixed !== undefined) return Uint8Array.of(fixed, code);
  if (length < 0x100) return Uint8Array.of(0xc7, length, code);
  if (length < 0x10000) return Uint8Array.of(0xc8, length >> 8, length & 0xff, code);
  return Uint8Array.of(0xc9, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff, code);
}

/** An extension with the given code and payload. */
export function extension(code: number, payload: Uint8Array = new Uint8Array()): Wire {
  return new Wire(extHead(code, payload.length), payload);
}

/** A float64, also for a number that is whole. */
export function float64(value: number): Wire {
  const bytes = Buffer.allocUnsafe(9);
  bytes[0] = 0xcb;
  bytes.writeDoubleBE(value, 1);
  return new Wire(bytes);
}

// msgpackr's extension table is shared by the whole process. `Wire` is known to this file alone, so no other user's
// value matches it, and no stored byte can hold code 256, so no other user's decoding meets it. What is registered
// writes its own framing, because msgpackr refuses code 0, and returns nothing, because it is then left alone.
const wireExtension = {
  Class: Wire,
  type: 256,
  pack: (wire: Wire, allocate: Allocate): void => {
    wire.writeTo(allocate);
  },
};
// msgpackr's declaration knows neither the second argument nor the missing result, so `pack` is kept out of its sight.
const registration: Pick<typeof wireExtension, "Class" | "type"> = wireExtension;
addExtension(registration);

const packr = new Packr({ useRecords: false, variableMapSize: true, useToJSON: false });

/** Packs a tree of plain values and {@link Wire}s; Maps become maps with the same keys. */
export function pack(value: unknown): Uint8Array {
  return packr.pack(value);
}
