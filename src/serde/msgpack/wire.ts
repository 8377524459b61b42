import { addExtension, Packr } from "msgpackr";

/** The part of msgpackr's buffer that an extension may write to. */
interface Allocation {
  readonly target: Uint8Array;
  readonly position: number;
}

type Allocate = (size: number) => Allocation;

/** Encoded bytes in a tree of values. They are copied into the output unchanged. */
export class Wire {
  readonly #head: Uint8Array;
  readonly #body: Uint8Array;

  constructor(head: Uint8Array, body: Uint8Array = new Uint8Array()) {
    this.#head = head;
    this.#body = body;
  }

  /** Copies the bytes to the place that msgpackr allocates for them. */
  writeTo(allocate: Allocate): void {
    const { target, position } = allocate(this.#head.length + this.#body.length);
    target.set(this.#head, position);
    target.set(this.#body, position + this.#head.length);
  }
}

/** The header of an extension: its length, in the shortest form, and its code. */
function extHead(code: number, length: number): Uint8Array {
  const fixed = { 1: 0xd4, 2: 0xd5, 4: 0xd6, 8: 0xd7, 16: 0xd8 }[length];
  if (fixed !== undefined) return Uint8Array.of(fixed, code);
  if (length < 0x100) return Uint8Array.of(0xc7, length, code);
  if (length < 0x10000) return Uint8Array.of(0xc8, length >> 8, length & 0xff, code);
  return Uint8Array.of(0xc9, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff, code);
}

/** Encodes an extension with the given code and payload. */
export function extension(code: number, payload: Uint8Array = new Uint8Array()): Wire {
  return new Wire(extHead(code, payload.length), payload);
}

/** Encodes a float64, also for a whole number. */
export function float64(value: number): Wire {
  return new Wire(float64Bytes(value));
}

/** The bytes of a float64. */
export function float64Bytes(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(9);
  bytes[0] = 0xcb;
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

// The whole process shares msgpackr's extension table. Only this file uses the class `Wire`, so no other user's value matches
// it, and no stored byte can hold code 256, so no other user's decoder meets it. The extension writes its own header, because
// msgpackr refuses code 0. It returns nothing, so that msgpackr writes none.
const wireExtension = {
  Class: Wire,
  type: 256,
  pack: (wire: Wire, allocate: Allocate): void => {
    wire.writeTo(allocate);
  },
};
// msgpackr's declaration has neither the second argument nor the missing result, so the type hides `pack`.
const registration: Pick<typeof wireExtension, "Class" | "type"> = wireExtension;
addExtension(registration);

const packr = new Packr({ useRecords: false, variableMapSize: true, useToJSON: false });

/** Packs a tree of plain values and {@link Wire}s. A Map becomes a map with the same keys. */
export function pack(value: unknown): Uint8Array {
  return packr.pack(value);
}
