import { describe, expect, it } from "@jest/globals";
import { bytePieces, fileResponse, textPieces } from "./file-response.js";

const LONGEST = 65_536;
const decoded = (pieces: Iterable<Uint8Array>) => [...pieces].map((piece) => new TextDecoder().decode(piece));

describe("a file of the inspector", () => {
  it.each([0, 1, LONGEST, LONGEST + 1, 3 * LONGEST])(
    "is sent in pieces of at most 64 KiB: %d bytes",
    (size) => {
      const bytes = Buffer.from(Array.from({ length: size }, (_, n) => n % 251));
      const pieces = [...bytePieces(bytes)];
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      expect(pieces.map(({ length }) => length)).toEqual(
        Array.from({ length: Math.ceil(size / LONGEST) }, (_, n) => Math.min(LONGEST, size - n * LONGEST)),
      );
    },
  );

  it("collects short texts, and sends them once they are long enough", () => {
    const short = "x".repeat(LONGEST / 2 - 1);
    expect(decoded(textPieces([short, "y", "", short, "z", "end"]))).toEqual([`${short}y${short}z`, "end"]);
    expect(decoded(textPieces([short, "y", short]))).toEqual([`${short}y${short}`]);
    const whole = "x".repeat(LONGEST);
    expect(decoded(textPieces([whole, "y", "z"]))).toEqual([whole, "yz"]);
    expect(decoded(textPieces(["", ""]))).toEqual([]);
  });

  it("cuts no character of a long text in half", () => {
    const long = `${"x".repeat(LONGEST - 1)}😀${"y".repeat(LONGEST)}`;
    const pieces = decoded(textPieces(["", long]));
    expect(pieces.join("")).toBe(long);
    expect(pieces.map(({ length }) => length)).toEqual([LONGEST - 1, LONGEST, 2]);
  });

  it("is read as it is asked for, and left when nobody asks any more", async () => {
    const state = { read: 0, isLeft: false };
    function* endless(): Generator<Uint8Array, undefined> {
      try {
        for (;;) yield new Uint8Array([state.read++]);
      } finally {
        state.isLeft = true;
      }
    }
    const response = fileResponse("value.bin", endless());
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="value.bin"',
      "cache-control": "no-store, no-transform",
    });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toEqual(new Uint8Array([0]));
    await reader?.cancel();
    expect(state.isLeft).toBe(true);
    expect(state.read).toBeLessThan(3);
  });
});
