import type { RunEvent, RunRequest } from "../../api/runs.js";
import { hasType, postOf, send } from "./send.js";

/**
 * Starts a run, and reports what it does until it has ended.
 *
 * @param signal - Ends the reports. The run goes on.
 */
export async function startRun(
  request: RunRequest,
  signal: AbortSignal,
  onEvent: (event: RunEvent) => void,
): Promise<void> {
  // Only an answer of the inspector means that there is a run.
  const body = await send("run", postOf(request, signal), (response) =>
    hasType(response, "text/event-stream") ? (response.body ?? undefined) : undefined,
  );
  let hasEnded = false;
  for await (const text of eventsIn(body)) {
    const event = JSON.parse(text) as RunEvent;
    hasEnded ||= event.kind === "ended" || event.kind === "failed";
    onEvent(event);
  }
  if (!hasEnded)
    throw new Error("The connection was lost. The run goes on, and the thread shows what it does.");
}

/**
 * Yields the data of server-sent events, until they end or the connection breaks. Each has one line of data, since JSON has no line
 * breaks.
 */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }) as const);
    if (done) return undefined;
    const parts = (waiting + decoder.decode(value, { stream: true })).split("\n\n");
    waiting = parts.pop() ?? "";
    for (const part of parts) {
      if (part.startsWith("data: ")) yield part.slice("data: ".length);
    }
  }
}
