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
