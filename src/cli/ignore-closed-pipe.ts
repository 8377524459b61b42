/**
 * For the `error` event of standard output: whoever read it has read enough, as `head` does. Any other error, such as a
 * full disk, is thrown, since output that is cut short must not look complete.
 */
export function ignoreClosedPipe(error: Error): void {
  if (!("code" in error) || error.code !== "EPIPE") throw error;
}
