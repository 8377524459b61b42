import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { firstDifference } from "../test-support/first-difference.js";
import { value as anyValue } from "../test-support/values.js";
import { runs } from "../../../test-support/runs.js";
import { DeserializationError } from "../../errors/index.js";
import { JsonSerializer } from "../json/json-serializer.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import type { ValueContext } from "../serde-context.js";
import { CODECS, type CompressionAlgorithm, LAYER_OF } from "./codecs.js";
import { CompressedSerializer } from "./compressed-serializer.js";
import { packFrame } from "./compress.js";

const msgpack = new MsgpackSerializer();
const ALGORITHMS: readonly CompressionAlgorithm[] = ["zstd", "brotli", "gzip"];
/** The algorithms that this version of Node.js supports. */
const SUPPORTED = ALGORITHMS.filter((algorithm) => CODECS[LAYER_OF[algorithm]] !== undefined);

function compressing(algorithm: CompressionAlgorithm, maxDecompressedBytes?: number): CompressedSerializer {
  return new CompressedSerializer(msgpack, { algorithm, thresholdBytes: 0, maxDecompressedBytes });
}

async function refusal(
  type: string,
  data: Uint8Array,
  serializer: CompressedSerializer,
  context?: ValueContext,
): Promise<unknown> {
  const read: unknown = await serializer.loadsTyped(type, data, context).catch((error: unknown) => error);
  expect(read).toBeInstanceOf(DeserializationError);
  // The tag is that of the layer that refuses the value.
  expect(read).toMatchObject({ typeTag: context === undefined ? type : expect.any(String) });
  return read;
}

describe.each(SUPPORTED)("compressed by %s", (algorithm) => {
  const serializer = compressing(algorithm);
  const tag = `msgpack+${LAYER_OF[algorithm]}`;

  test("any value is read back equal, whatever algorithm the reader is configured with", async () => {
    const repeated = anyValue.map((value) => ({ value, padding: "ab".repeat(200) }));
    await fc.assert(
      fc.asyncProperty(repeated, fc.constantFrom(...SUPPORTED), async (value, other) => {
        const [type, data] = await serializer.dumpsTyped(value);
        expect(type).toBe(tag);
        expect(firstDifference(await compressing(other).loadsTyped(type, data), value)).toBeUndefined();
      }),
      runs(100),
    );
  });

  test("a long value is read back equal, also from a Buffer that is a slice of another", async () => {
    const value = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    const [type, data] = await serializer.dumpsTyped(value);
    expect(data.length).toBeLessThan(msgpack.dumps(value)[1].length / 2);
    const row = Buffer.concat([Buffer.alloc(3), data, Buffer.alloc(5)]).subarray(3, 3 + data.length);
    expect(await serializer.loadsTyped(type, row)).toEqual(value);
    expect(await serializer.loadsTyped(type, row.toString("latin1"))).toEqual(value);
  });

  test.each([100, 100_000])("a value of %i bytes is refused when any byte was changed", async (length) => {
    const [type, data] = await serializer.dumpsTyped("ab".repeat(length / 2));
    await fc.assert(
      fc.asyncProperty(fc.nat(data.length - 1), fc.integer({ min: 1, max: 255 }), async (index, change) => {
        const changed = Uint8Array.from(data);
        changed[index] = (changed[index] ?? 0) ^ change;
        const read: unknown = await serializer.loadsTyped(type, changed).catch((error: unknown) => error);
        // Some bits have no meaning, such as those of gzip's time stamp.
        if (read !== "ab".repeat(length / 2)) expect(read).toBeInstanceOf(DeserializationError);
      }),
      runs(100),
    );
  });

  test("a value that is truncated at any byte is refused, also if the algorithm does not notice", async () => {
    const raw = new CompressedSerializer(new JsonSerializer(), { algorithm, thresholdBytes: 0 });
    const [type, data] = await raw.dumpsTyped(new Uint8Array(1_000));
    expect(type).toBe(`bytes+${LAYER_OF[algorithm]}`);
    for (let length = 0; length < data.length; length += 1)
      await refusal(type, data.subarray(0, length), raw);
  });

  test("a value whose header states a length beyond the bound is refused", async () => {
    const [type, data] = await serializer.dumpsTyped("a".repeat(1_000_000));
    const bounded = compressing(algorithm, 999_999);
    expect(String(await refusal(type, data, bounded))).toMatch(/1000005 bytes long, and the bound is 999999/);
  });

  test.each([10, 50_000_000])(
    "a value that is longer than the 10 bytes that its header states is refused: by %i bytes",
    async (extra) => {
      const codec = CODECS[LAYER_OF[algorithm]];
      const stream = (await codec?.compress(new Uint8Array(10 + extra))) ?? new Uint8Array();
      const bomb = packFrame(new Uint8Array(10), stream);
      expect(String(await refusal(tag, bomb, serializer))).toMatch(
        /longer than the 10 bytes that its header states/,
      );
    },
  );

  test("a value longer than the bound is stored uncompressed, since it could not be read", async () => {
    const bounded = compressing(algorithm, 1_000);
    const text = "a".repeat(1_000);
    const [type, data] = await bounded.dumpsTyped(text);
    expect(type).toBe("msgpack");
    expect(await bounded.loadsTyped(type, data)).toBe(text);
  });
});

describe("a compressed serializer", () => {
  test("does not compress short values, nor values that would not become smaller", async () => {
    const serializer = new CompressedSerializer();
    expect((await serializer.dumpsTyped("a".repeat(1_020)))[0]).toBe("msgpack");
    expect((await serializer.dumpsTyped("a".repeat(1_021)))[0]).toMatch(/^msgpack\+(zstd|br)$/);
    const eager = new CompressedSerializer(msgpack, { thresholdBytes: 0 });
    for (const value of [null, 0, "", "a", { a: 1 }])
      expect(await eager.dumpsTyped(value)).toEqual(msgpack.dumps(value));
  });

  test("writes zstd by default if Node.js has it, otherwise Brotli", async () => {
    const [type] = await new CompressedSerializer().dumpsTyped("a".repeat(5_000));
    expect(type).toBe(SUPPORTED.includes("zstd") ? "msgpack+zstd" : "msgpack+br");
  });

  test("encodes a value before it returns", async () => {
    const value = { text: "a".repeat(100_000), city: "Paris" };
    const writing = new CompressedSerializer().dumpsTyped(value);
    value.city = "Rome";
    expect(await new CompressedSerializer().loadsTyped(...(await writing))).toMatchObject({ city: "Paris" });
  });

  test("reads uncompressed rows, and passes other layers on to the wrapped serializer", async () => {
    const serializer = new CompressedSerializer();
    expect(await serializer.loadsTyped(...msgpack.dumps({ a: 1 }))).toEqual({ a: 1 });
    expect(String(await refusal("msgpack+aes", new Uint8Array(40), serializer))).toMatch(
      /encrypted by "aes"/,
    );
  });

  test("compresses a long value on another thread", async () => {
    const long = "0123456789".repeat(2_000_000);
    let isDone = false;
    const writing = new CompressedSerializer().dumpsTyped(long).finally(() => (isDone = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    expect((await writing)[1].length).toBeLessThan(100_000);
  });

  test("counts each layer of a value that was compressed twice", async () => {
    const once = compressing("gzip", 100_000);
    const twice = new CompressedSerializer(once, {
      algorithm: "gzip",
      thresholdBytes: 0,
      maxDecompressedBytes: 100_000,
    });
    const [inner, stream] = await once.dumpsTyped("a".repeat(90_000));
    const frame = packFrame(stream, gzipSync(stream));
    const place = { threadId: "1", checkpointNs: "", channel: "a", version: "1", read: {} };
    expect(await twice.loadsTyped(`${inner}+gzip`, frame, place)).toHaveLength(90_000);
    expect(String(await refusal(`${inner}+gzip`, frame, twice, place))).toMatch(/read together/);
    expect(await twice.loadsTyped(`${inner}+gzip`, frame, { ...place, read: {} })).toHaveLength(90_000);
  });

  test("refuses bytes that it did not write", async () => {
    const serializer = new CompressedSerializer();
    const error = await refusal("msgpack+gzip", gzipSync(msgpack.dumps(1)[1]), serializer);
    expect(String(error)).toMatch(/it is not a compressed value/);
  });
});

const withoutZstd = SUPPORTED.includes("zstd") ? test.skip : test;

withoutZstd("zstd is refused with the reason if Node.js does not have it", async () => {
  const serializer = new CompressedSerializer();
  expect(String(await refusal("msgpack+zstd", new Uint8Array(20), serializer))).toMatch(
    /compressed by zstd, which Node\.js v20\..* does not have/,
  );
  expect(() => compressing("zstd")).toThrow(/algorithm: Node\.js v20\..* has no zstd/);
});
