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
export type PythonPattern = readonly [pattern: string, flags: number];

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
