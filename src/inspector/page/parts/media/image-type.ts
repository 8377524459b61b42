/** The beginnings of the images that the page shows. SVG is none of them: it is a document with scripts and addresses. */
const BEGINNINGS = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638(?:37|39)61/],
  ["image/webp", /^52494646.{8}57454250/],
] as const;

/** Returns the type of an image by what it is, whatever the message says; `undefined` for anything else. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const start = Array.from(bytes.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return BEGINNINGS.find(([, beginning]) => beginning.test(start))?.[0];
}
