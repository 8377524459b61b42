/**
 * A process of an earlier version. Its argument is the folder where that is installed. Each message of its parent is a call of a method of
 * {@link Side}, which it answers by what that returns or by the code and the message of the error.
 */
import { importRelease } from "../release.js";
import { Side } from "./side.js";
import type { Answer, Call, Opening } from "./old-side.js";

const release = await importRelease(process.argv[2] ?? "");
let side: Side | undefined;

process.on("message", (message: Call | Opening) => {
  if ("url" in message) {
    side = new Side(release, message.url, message);
    process.send?.({ id: 0, value: side.abilities } satisfies Answer);
  } else void answer(message);
});

async function answer({ id, method, args }: Call): Promise<void> {
  try {
    if (side === undefined) throw new Error("Nothing was opened");
    const run = side[method] as (...args: unknown[]) => Promise<unknown>;
    process.send?.({ id, value: await run.apply(side, [...args]) } satisfies Answer);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    process.send?.({ id, error: { code: String(code), message: String(message) } } satisfies Answer);
  }
}
