import { CheckpointError, DeserializationError, SerializationError } from "../../errors/index.js";
import { guardRead } from "../../serde/guard-read.js";
import { encodeJsonb } from "../../serde/jsonb/encode-jsonb.js";
import { textOf, parseJsonText } from "../../serde/json/json-text.js";
import type { ContextualSerializer, ItemContext } from "../../serde/serde-context.js";
import { withPlainNumbers } from "../../serde/jsonb/plain-numbers.js";

/** The only key of a stored state that a serializer has encoded. Its value is the type tag, and the bytes as base64. */
const SEALED = "lc_serde";

/**
 * Encodes a state as JSON text. It reads the state before it first awaits, so that a later change by the caller is not stored.
 *
 * @throws SerializationError naming the path of a part that would not be read back equal.
 */
export function encodeState(
  state: unknown,
  id: string,
  serde: ContextualSerializer | undefined,
): string | Promise<string> {
  if (serde !== undefined) return seal(state, id, serde);
  if (guardRead(() => isSealed(state), {}, "state")) {
    throw new SerializationError("state", `the key "${SEALED}" is reserved`);
  }
  return withPlainNumbers(textOf(encodeJsonb(state, "state"), "state"));
}

async function seal(state: unknown, id: string, serde: ContextualSerializer): Promise<string> {
  try {
    const [type, bytes] = await serde.dumpsTyped(state, contextOf(id));
    return JSON.stringify({ [SEALED]: [type, Buffer.from(bytes).toString("base64")] });
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw new SerializationError("state", "the serializer failed", { cause });
  }
}

/**
 * Decodes a state.
 *
 * @throws DeserializationError for a state that can't be read, that needs a serializer that the store does not have, or that is not
 *   encrypted although the serializer requires it.
 */
export async function decodeState(
  text: string,
  id: string,
  serde: ContextualSerializer | undefined,
): Promise<unknown> {
  const stored: unknown = await parseJsonText(text, "jsonb");
  if (!isSealed(stored)) {
    if (serde?.refusesPlaintext !== true) return stored;
    throw new DeserializationError("the state is not encrypted", { typeTag: "jsonb" });
  }
  const sealed: unknown = Reflect.get(stored, SEALED);
  const [type, base64] = Array.isArray(sealed) ? (sealed as unknown[]) : [];
  if (typeof type !== "string" || typeof base64 !== "string") {
    throw new DeserializationError(`the key "${SEALED}" holds no encoded state`, { typeTag: "jsonb" });
  }
  if (serde === undefined) {
    throw new DeserializationError("the state needs the serializer that stored it: pass it as `serde`", {
      typeTag: type,
    });
  }
  return unseal(serde, type, base64, id);
}

async function unseal(
  serde: ContextualSerializer,
  type: string,
  base64: string,
  id: string,
): Promise<unknown> {
  try {
    return await serde.loadsTyped(type, Buffer.from(base64, "base64"), contextOf(id));
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw new DeserializationError("the serializer failed", { cause, typeTag: type });
  }
}

function isSealed(state: unknown): state is object {
  return typeof state === "object" && state !== null && Object.hasOwn(state, SEALED);
}

/** The place of a state as serializers know it, to which encryption binds it. No store of items has this namespace. */
function contextOf(id: string): ItemContext {
  return { namespace: ["__execution_checkpoint__"], key: id };
}
