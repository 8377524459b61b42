/** Returns the pattern of `like` or `ilike` for texts that contain a text. */
export function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
