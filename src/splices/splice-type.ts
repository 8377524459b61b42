/**
 * A shorter value is stored whole. A conversation is soon longer, and the steps of a state that stays short cost the same each: there
 * a comparison would take longer than it saves.
 */
export const MIN_SPLICED_BYTES = 4_096;

const MARK = "-splice";

/** The type tag of a splice of a value with the tag `inner`, such as `msgpack-splice`. No other reader knows it. */
export function spliceTypeOf(inner: string): string {
  return `${inner}${MARK}`;
}

/** The tag of the whole value, from the tag of a splice without layers. */
export function wholeTypeOf(type: string): string {
  return type.slice(0, -MARK.length);
}

/** Whether a type tag is that of a splice, also below layers of compression and encryption: `msgpack-splice+zstd`. */
export function isSplice(type: string | null): type is string {
  return type !== null && (type.endsWith(MARK) || type.includes(`${MARK}+`));
}

/** The form of a value by its type tag: the format of the whole value, also for a splice, and the layers around it. */
export function formOf(type: string): { readonly format: string; readonly layers: readonly string[] } {
  const [tag = "", ...layers] = type.split("+");
  return { format: isSplice(tag) ? wholeTypeOf(tag) : tag, layers };
}

/** The formats that any bytes would pass for. Serializers of any format write them for single values. */
export const UNCHECKED_FORMATS: ReadonlySet<string> = new Set(["empty", "null", "bytes", "bytearray"]);
