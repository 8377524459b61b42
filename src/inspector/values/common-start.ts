/** The characters before the first difference that are still shown. */
const SHOWN_BEFORE = 100;

/**
 * Returns how many characters two texts begin with alike, apart from the last of them: what can be left out before their difference is
 * shown. Never between the halves of a character.
 */
export function commonStart(before: string, after: string): number {
  const length = Math.min(before.length, after.length);
  let position = 0;
  while (position < length && before.charCodeAt(position) === after.charCodeAt(position)) position++;
  const skipped = Math.max(0, position - SHOWN_BEFORE);
  return skipped > 0 && /^[\uDC00-\uDFFF]/.test(before.slice(skipped, skipped + 1)) ? skipped - 1 : skipped;
}
