import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { DeserializationError, InvalidConfigError, SerializationError } from "../../errors/index.js";
import { CompressedSerializer } from "../compressed/compressed-serializer.js";
import { JsonSerializer } from "../json/json-serializer.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import { KEY_VARIABLE, EncryptedSerializer } from "./encrypted-serializer.js";

const SHORT_KEY = "sixteen byte key";
const LONG_KEY = "0123456789abcdef0123456789abcdef";
const CITY = { city: "Zürich", sizes: [1, 2.5] };

// Written by langgraph-checkpoint 4.3.2 with PyCryptodome: EncryptedSerializer.from_pycryptodome_aes(key=…).
const PYTHON_ROWS: readonly (readonly [string, string, string, unknown])[] = [
  [
    SHORT_KEY,
    "msgpack+aes",
    "E/zvxXZkUA5QFqvYktvDd/tDO6rJZVhwdFdwmCPAJLW30TmaetrLCYh19PWN/2Vk3WqXZDp/VdQtKuzcz+F6",
    CITY,
  ],
  [SHORT_KEY, "msgpack+aes", "g9KtQpRyL0h+K9CC3m3ezR+EzFfzPqPMSla5JTR/s7EwwqGqbg==", "text"],
  [SHORT_KEY, "bytes+aes", "jIjxYBeTwJin9RFAt+OBelZ7ZFEs2H7UwCZtMxkZQW0UyQ==", Uint8Array.of(0, 1)],
  [SHORT_KEY, "null+aes", "3PC1MCk6iVCrtzoRBXmhlIiqbTMxSzFx5cSyURjZKFU=", null],
  [
    LONG_KEY,
    "msgpack+aes",
    "T9rv2lu7cA35pBQwNqulEhfkgthdZol1m8OyE8fxWo9b3lbllw58ulPVdwr4ywkUtpfx3JZCa7ppjXj/bWaa",
    CITY,
  ],
  [LONG_KEY, "null+aes", "Lka2doHmn0QN8Li/0DsIS3aA3FD692lKRLD/9mWGvMs=", null],
];

let keyBefore: string | undefined;
beforeEach(() => {
  keyBefore = process.env[KEY_VARIABLE];
  Reflect.deleteProperty(process.env, KEY_VARIABLE);
});
afterEach(() => {
  if (keyBefore === undefined) Reflect.deleteProperty(process.env, KEY_VARIABLE);
  else process.env[KEY_VARIABLE] = keyBefore;
});

describe("an encrypted serializer", () => {
  test.each(PYTHON_ROWS)(
    "with the key %s reads a row of Python of the type %s: %s",
    async (key, type, data, value) => {
      const read = await EncryptedSerializer.fromAesKey(key).loadsTyped(type, Buffer.from(data, "base64"));
      expect(read).toEqual(value);
    },
  );

  test.each([CITY, null, "text", undefined, new Map([[1, new Set(["a"])]])])(
    "reads a value back equal: %p",
    async (value) => {
      const serializer = EncryptedSerializer.fromAesKey(LONG_KEY);
      expect(await serializer.loadsTyped(...(await serializer.dumpsTyped(value)))).toEqual(value);
    },
  );

  test("writes the type tag that Python reads, a new nonce each time, and nothing legible", async () => {
    const serializer = EncryptedSerializer.fromAesKey(SHORT_KEY);
    const [type, first] = await serializer.dumpsTyped(CITY);
    const [, second] = await serializer.dumpsTyped(CITY);
    expect(type).toBe("msgpack+aes");
    expect(Buffer.compare(first, second)).not.toBe(0);
    expect(Buffer.from(first).includes("city")).toBe(false);
  });

  test("encodes a value before it returns", async () => {
    const serializer = EncryptedSerializer.fromAesKey(SHORT_KEY);
    const value = { city: "Paris" };
    const writing = serializer.dumpsTyped(value);
    value.city = "Rome";
    expect(await serializer.loadsTyped(...(await writing))).toEqual({ city: "Paris" });
  });

  test("reads rows that were written without encryption", async () => {
    const plain = await new MsgpackSerializer().dumpsTyped(CITY);
    expect(await EncryptedSerializer.fromAesKey(SHORT_KEY).loadsTyped(...plain)).toEqual(CITY);
  });

  test("encrypts compressed values, and reads rows that are only compressed", async () => {
    const compressed = new CompressedSerializer(new MsgpackSerializer(), {
      algorithm: "gzip",
      thresholdBytes: 0,
    });
    const serializer = EncryptedSerializer.fromAesKey(SHORT_KEY, compressed);
    const text = "a".repeat(1_000);
    const [type, data] = await serializer.dumpsTyped(text);
    expect(type).toBe("msgpack+gzip+aes");
    expect(await serializer.loadsTyped(type, data)).toBe(text);
    expect(await serializer.loadsTyped(...(await compressed.dumpsTyped(text)))).toBe(text);
  });

  test("encrypts the output of the given serializer", async () => {
    const serializer = EncryptedSerializer.fromAesKey(SHORT_KEY, new JsonSerializer());
    const [type, data] = await serializer.dumpsTyped(CITY);
    expect(type).toBe("json+aes");
    expect(await serializer.loadsTyped(type, data)).toEqual(CITY);
  });
});

describe("a row that is not authentic", () => {
  const refused = (type: string, data: Uint8Array, key = SHORT_KEY): Promise<unknown> =>
    EncryptedSerializer.fromAesKey(key)
      .loadsTyped(type, data)
      .catch((error: unknown) => error);

  test("is refused with another key", async () => {
    const [type, data] = await EncryptedSerializer.fromAesKey(SHORT_KEY).dumpsTyped(CITY);
    expect(await refused(type, data, LONG_KEY)).toMatchObject({
      constructor: DeserializationError,
      typeTag: "msgpack+aes",
      message: expect.stringMatching(/another key, or changed since/),
    });
  });

  test("is refused with any byte changed, and truncated at any byte", async () => {
    const [type, data] = await EncryptedSerializer.fromAesKey(SHORT_KEY).dumpsTyped(CITY);
    for (let index = 0; index < data.length; index += 1) {
      const changed = Uint8Array.from(data);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(await refused(type, changed)).toBeInstanceOf(DeserializationError);
      expect(await refused(type, data.subarray(0, index))).toBeInstanceOf(DeserializationError);
    }
  });

  test("is refused if another cipher wrote it", async () => {
    expect(String(await refused("msgpack+rot13", new Uint8Array(40)))).toMatch(/encrypted by "rot13"/);
  });

  test("is refused if it is an encrypted pickle", async () => {
    const [, data] = await EncryptedSerializer.fromAesKey(SHORT_KEY).dumpsTyped(null);
    expect(String(await refused("pickle+aes", data))).toMatch(/Python pickle, which is never read/);
  });
});

describe("the key", () => {
  test("is read from the environment by default, as in Python", async () => {
    process.env[KEY_VARIABLE] = SHORT_KEY;
    const written = await EncryptedSerializer.fromAesKey().dumpsTyped(CITY);
    expect(await EncryptedSerializer.fromAesKey(Buffer.from(SHORT_KEY)).loadsTyped(...written)).toEqual(CITY);
  });

  test("is required, and must be 16, 24 or 32 bytes long", () => {
    expect(() => EncryptedSerializer.fromAesKey()).toThrow(InvalidConfigError);
    expect(() => EncryptedSerializer.fromAesKey()).toThrow(/LANGGRAPH_AES_KEY: is not set/);
    expect(() => EncryptedSerializer.fromAesKey("short")).toThrow(
      /key: must be 16, 24 or 32 bytes long, and is 5/,
    );
    // The length counts bytes, not characters.
    expect(() => EncryptedSerializer.fromAesKey("é".repeat(16))).not.toThrow();
  });

  test("may be overwritten by the caller afterwards", async () => {
    const key = Buffer.from(SHORT_KEY);
    const serializer = EncryptedSerializer.fromAesKey(key);
    key.fill(0);
    const written = await serializer.dumpsTyped(CITY);
    expect(await EncryptedSerializer.fromAesKey(SHORT_KEY).loadsTyped(...written)).toEqual(CITY);
  });
});

describe("a custom cipher", () => {
  const failing = new EncryptedSerializer({
    encrypt: () => Promise.reject(new Error("vault is sealed")),
    decrypt: () => Promise.reject(new Error("vault is sealed")),
  });

  test("may return promises, and provides its name for the type tag", async () => {
    const flip = (data: Uint8Array): Uint8Array => data.map((byte) => byte ^ 0xff);
    const serializer = new EncryptedSerializer({
      encrypt: (plaintext) => Promise.resolve(["flip", flip(plaintext)]),
      decrypt: (_name, ciphertext) => Promise.resolve(flip(ciphertext)),
    });
    const [type, data] = await serializer.dumpsTyped(CITY);
    expect(type).toBe("msgpack+flip");
    expect(await serializer.loadsTyped(type, data)).toEqual(CITY);
  });

  test.each(["a+b", "gzip"])(
    "is refused with a name that has another meaning in type tags: %s",
    async (name) => {
      const serializer = new EncryptedSerializer({
        encrypt: (plaintext) => [name, plaintext],
        decrypt: (_name, ciphertext) => ciphertext,
      });
      await expect(serializer.dumpsTyped(1)).rejects.toMatchObject({
        constructor: SerializationError,
        message: expect.stringContaining(`"${name}"`),
      });
    },
  );

  test("that throws is the cause of the error", async () => {
    const cause = expect.objectContaining({ message: "vault is sealed" });
    await expect(failing.dumpsTyped(1)).rejects.toMatchObject({ constructor: SerializationError, cause });
    await expect(failing.loadsTyped("msgpack+vault", new Uint8Array())).rejects.toMatchObject({
      constructor: DeserializationError,
      cause,
    });
  });
});
