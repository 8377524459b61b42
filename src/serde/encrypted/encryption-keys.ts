import { createSecretKey, type KeyObject } from "node:crypto";
import { types } from "node:util";
import { InvalidConfigError } from "../../errors/index.js";

const KEY_BYTES = 32;

/** The length of the id is stored in one byte. */
const MAX_ID_BYTES = 255;

/** A secret key, and the id by which stored values refer to it. */
export interface EncryptionKey {
  /** 1 to 255 bytes of UTF-8, stored with each value in clear text, such as a date or a counter. It must not be secret. */
  readonly id: string;
  /** 32 random bytes. They are copied, so that the caller may overwrite its own. */
  readonly key: Uint8Array;
}

/** Checked keys. Node.js hides the bytes of a KeyObject from inspection and JSON. */
export interface KeyRing {
  /** The key that encrypts. */
  readonly newest: NamedKey;
  /** The key of that id, if it is known. */
  readonly find: (id: string) => KeyObject | undefined;
}

/** A key with its id. */
interface NamedKey {
  readonly id: string;
  readonly key: KeyObject;
}

/**
 * Checks keys, the newest first.
 *
 * @throws {@link InvalidConfigError} that never contains a key
 */
export function keyRing(keys: readonly EncryptionKey[]): KeyRing {
  if (!Array.isArray(keys))
    throw new InvalidConfigError("keys", "must be an array of keys, the newest first");
  const named = keys.map(checkKey);
  const [newest] = named;
  if (newest === undefined) throw new InvalidConfigError("keys", "must hold at least one key");
  const byId = new Map(named.map(({ id, key }) => [id, key]));
  if (byId.size < named.length) throw new InvalidConfigError("keys", "must not hold two keys of one id");
  return { newest, find: (id) => byId.get(id) };
}

function checkKey({ id, key }: EncryptionKey, index: number): NamedKey {
  if (typeof id !== "string" || id === "")
    throw new InvalidConfigError(`keys.${index}.id`, "must be a non-empty string");
  if (Buffer.byteLength(id) > MAX_ID_BYTES)
    throw new InvalidConfigError(`keys.${index}.id`, `must not be longer than ${MAX_ID_BYTES} bytes`);
  if (/\p{Surrogate}/u.test(id))
    throw new InvalidConfigError(`keys.${index}.id`, "must not contain a lone surrogate");
  if (!types.isUint8Array(key))
    throw new InvalidConfigError(
      `keys.${index}.key`,
      `must be a Uint8Array of ${KEY_BYTES} bytes; decode a string first, as with Buffer.from(text, "base64")`,
    );
  if (key.length !== KEY_BYTES)
    throw new InvalidConfigError(
      `keys.${index}.key`,
      `must be ${KEY_BYTES} bytes long, and is ${key.length}`,
    );
  return { id, key: createSecretKey(key) };
}
