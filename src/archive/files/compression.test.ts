import * as zlib from "node:zlib";
import { expect, it } from "@jest/globals";
import { noop } from "../../db/async/noop.js";
import {
  compressed,
  decompressed,
  DEFAULT_FORMAT,
  formatsOf,
  UnsupportedCompression,
} from "./compression.js";

const { gzip } = formatsOf(zlib);
const without = formatsOf({ ...zlib, createZstdCompress: undefined });

async function* inPieces(content: Uint8Array, onClosed = noop): AsyncGenerator<Uint8Array> {
  try {
    for (const byte of content) yield await Promise.resolve(Buffer.of(byte));
  } finally {
    onClosed();
  }
}

async function collected(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

it.each(["", "a", "abc", "abcd", "\u001F is no gzip", "(\u00B5 is no zstd"])(
  "content that is not compressed passes as it is: %j",
  async (text) => {
    const content = Buffer.from(text, "latin1");
    expect(await collected(decompressed(inPieces(content)))).toEqual(content);
  },
);

it.each([
  { name: "without its compression", functions: { createZstdCompress: undefined } },
  { name: "without its decompression", functions: { createZstdDecompress: undefined } },
])("a Node.js $name of zstd has only gzip", ({ functions }) => {
  expect(formatsOf({ ...zlib, ...functions })).toEqual({ zstd: undefined, gzip });
});

it("a Node.js without zstd reads gzip", async () => {
  const content = Buffer.from("a line\n");
  if (gzip === undefined) throw new Error("every Node.js has gzip");
  const packed = await collected(compressed(inPieces(content), gzip));
  expect(await collected(decompressed(inPieces(packed), without))).toEqual(content);
});

it("a Node.js without zstd refuses zstd, and closes what it read", async () => {
  let closed = 0;
  const content = inPieces(Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0), () => closed++);
  await expect(collected(decompressed(content, without))).rejects.toThrow(UnsupportedCompression);
  expect(closed).toBe(1);
});

it("a Node.js with zstd writes it by default, and another one gzip", () => {
  expect(DEFAULT_FORMAT.extension).toBe("createZstdCompress" in zlib ? "zst" : "gz");
});
