const ISO_DATETIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?(?:Z|([+-])(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/;

/** The first and the last instant that Python's `datetime` can hold in UTC, in milliseconds since 1970. */
const MIN_TIME_MS = Date.UTC(2000, 0, 1) - 63_082_281_600_000;
const MAX_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The text that Python's `datetime.fromisoformat` reads as the same instant, or `undefined` if `datetime` can't hold it. */
export function toPythonDatetime(date: Date): string | undefined {
  const timeMs = date.getTime();
  if (!(timeMs >= MIN_TIME_MS && timeMs <= MAX_TIME_MS)) return undefined;
  return date.toISOString().replace("Z", "+00:00");
}

/**
 * Parses the output of Python's `datetime.isoformat()`, truncated to milliseconds. A datetime without an offset is read as UTC,
 * so that the result does not depend on the time zone of the reader.
 */
export function fromPythonDatetime(text: string): Date | undefined {
  const match = ISO_DATETIME.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(toNumber);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, Number((match[7] ?? "").padEnd(3, "0").slice(0, 3)));
  date.setTime(date.getTime() - offsetMs(match));
  return date;
}

function offsetMs(match: RegExpExecArray): number {
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(9, 12).map(toNumber);
  const size = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return match[8] === "-" ? -size : size;
}

function toNumber(digits: string | undefined): number {
  return Number(digits ?? 0);
}

/** Flags of Python's `re` module. */
const RE = { IGNORECASE: 2, MULTILINE: 8, DOTALL: 16, UNICODE: 32, ASCII: 256 } as const;
const KNOWN_FLAGS = RE.IGNORECASE | RE.MULTILINE | RE.DOTALL | RE.UNICODE | RE.ASCII;

/**
 * Matches patterns that match the same strings in both languages: ASCII literals, classes, groups, alternatives, quantifiers and
 * `^`. It excludes `.`, `$`, `\d`, `\w`, `\s` and `\b`, which differ on line ends or outside ASCII.
 */
const SAME_IN_BOTH =
  /^\^?(?:(?:[\w !"#%&',\-/:;<=>@`~]|\\[.*+?^$|()[\]{}/\\]|\[[\w ]+\]|\))(?:[*+?]\??)?|\((?:\?:)?|\|)*$/;

/** The arguments of Python's `re.compile`. */
type PythonPattern = readonly [pattern: string, flags: number];

/**
 * The Python pattern that matches the same strings as `regexp`, if there is one that is read back as the same RegExp. The flag
 * `i` folds case inside ASCII only, as Python does with its ASCII flag.
 */
export function toPythonPattern(regexp: RegExp): PythonPattern | undefined {
  if (!Object.is(regexp.lastIndex, 0) || !SAME_IN_BOTH.test(regexp.source)) return undefined;
  if (regexp.flags === "") return [regexp.source, RE.UNICODE];
  if (regexp.flags === "i") return [regexp.source, RE.IGNORECASE | RE.ASCII];
  return undefined;
}

/** The RegExp nearest to a Python pattern, or `undefined` if JavaScript lacks the pattern or the flag. */
export function fromPythonPattern([pattern, flags]: PythonPattern): RegExp | undefined {
  if ((flags & ~KNOWN_FLAGS) !== 0 || /\(\?[aiLmsux-]+[:)]|\\[AZ]|\(\?\(|\(\?#|[*+?}]\+|\(\?>/.test(pattern))
    return undefined;
  const source = pattern.replace(/\(\?P</g, "(?<").replace(/\(\?P=(\w+)\)/g, "\\k<$1>");
  try {
    return new RegExp(source, toFlags(flags));
  } catch {
    return undefined;
  }
}

function toFlags(flags: number): string {
  const letters: [number, string][] = [
    [RE.IGNORECASE, "i"],
    [RE.MULTILINE, "m"],
    [RE.DOTALL, "s"],
  ];
  return letters
    .filter(([flag]) => (flags & flag) !== 0)
    .map(([, letter]) => letter)
    .join("");
}
