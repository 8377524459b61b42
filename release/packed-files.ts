/** What the published package may contain. A file that matches none of these was packed by mistake. */
const ALLOWED: readonly RegExp[] = [
  /^(?:package\.json|README\.md|LICENSE)$/,
  /^bin\/langgraph-checkpoint-kysely\.js$/,
  /^dist\/third-party-licenses\.txt$/,
  // An entry point, or a part of several with the hash of its content: code and declarations for each module system.
  /^dist\/(?:checkpoint-store\/)?[a-z\d-]+(?:-[\w-]{8})?\.(?:js|cjs|d\.ts|d\.cts)$/,
];

/** The most bytes of the tarball and of its content: a tenth more than it has. A larger package needs a reason. */
export const MAX_PACKED_BYTES = 1_550_000;
export const MAX_UNPACKED_BYTES = 5_100_000;

/**
 * Returns the files that must not be published.
 *
 * @param paths - The paths of all packed files, from the folder of the package.
 */
export function unexpectedFiles(paths: readonly string[]): string[] {
  return paths.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)));
}
