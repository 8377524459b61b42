/** The digits of the counter, padded as in Python's saver. Versions of one length compare like their counters. */
const COUNTER_DIGITS = 32;
const TAIL_DIGITS = 16;
/** The text of {@link nextVersion}. Python's has two points. */
const TEXT_VERSION = new RegExp(`^\\d{${COUNTER_DIGITS}}\\.\\d{${TAIL_DIGITS}}$`);

/**
 * The version of a value without one, such as the sends of a checkpoint before version 4 of the format. It has no
 * random tail, because each read of the checkpoint computes it again and must get the same one.
 */
export const FIRST_VERSION = `${"1".padStart(COUNTER_DIGITS, "0")}.${(0).toFixed(TAIL_DIGITS)}`;

/**
 * Returns the version that follows `current`: the counter plus one, with a random tail.
 *
 * The tail is required. A value is stored under (channel, version). With a bare counter, two branches that were
 * forked from one checkpoint would reach the same version, and the second would read the value of the first.
 *
 * Versions are text, as in Python's saver. A thread that the official JavaScript saver began has numbers. It continues with numbers, whose
 * fraction is the tail. The text is that of a number too, so that LangGraph can compare a first version with the numbers of other channels.
 *
 * @example
 * ```ts
 * nextVersion(undefined); // "00000000000000000000000000000001.0384719283746192"
 * nextVersion(7); // 8.4193847561
 * ```
 */
export function nextVersion(current: number): number;
export function nextVersion(current: string | undefined): string;
export function nextVersion(current: string | number | undefined): string | number;
export function nextVersion(current: string | number | undefined): string | number {
  if (typeof current === "number") return Math.floor(current) + 1 + Math.random();
  const digits = /^\d+/.exec(current ?? "")?.[0] ?? "";
  return `${String(BigInt(digits) + 1n).padStart(widthOf(digits), "0")}.${tail()}`;
}

/**
 * Text compares like its counters only at one width. A thread that another saver began continues at that saver's
 * width.
 */
function widthOf(digits: string): number {
  return /^0\d/.test(digits) ? digits.length : COUNTER_DIGITS;
}

function tail(): string {
  return Math.random().toFixed(TAIL_DIGITS).slice("0.".length);
}

/**
 * The number that a version is in a thread that counts in numbers. LangGraph asks for the first version of a channel by `undefined`, so
 * {@link nextVersion} answered with text. A version of another form stays as it is.
 */
export function asNumber(version: string | number): string | number {
  return typeof version === "string" && TEXT_VERSION.test(version) ? Number(version) : version;
}

/**
 * Like {@link nextVersion}, but a new thread begins with a number. The official JavaScript saver counts in numbers
 * and does not continue a thread with text, so a thread that it will take over must begin with a number.
 *
 * @example
 * ```ts
 * nextNumericVersion(undefined); // 1.3847192837
 * ```
 */
export function nextNumericVersion(current: number | undefined): number;
export function nextNumericVersion(current: string): string;
export function nextNumericVersion(current: string | number | undefined): string | number;
export function nextNumericVersion(current: string | number | undefined): string | number {
  return nextVersion(current ?? 0);
}
