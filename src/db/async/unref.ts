/** Lets the process end while a timer waits. A timer of Cloudflare Workers is a number, and holds no process. */
export function unref(timer: NodeJS.Timeout | number): void {
  if (typeof timer === "object") timer.unref();
}
