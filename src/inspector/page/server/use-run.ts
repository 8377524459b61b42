import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import type { RunEvent, RunRequest } from "../../api/runs.js";
import { hasType, postOf, send } from "./call-server.js";

/** What a run has done so far. */
export interface RunProgress {
  readonly phase: "asked" | "running" | "ended" | "failed";
  /** The nodes that have ended, in their order. */
  readonly nodes: readonly string[];
  /** What models have written, by message. */
  readonly texts: ReadonlyMap<string, string>;
  readonly error?: unknown;
}

/** A run that a person starts from the page. */
interface PageRun {
  readonly progress: RunProgress | undefined;
  readonly start: (request: RunRequest) => void;
}

const ASKED: RunProgress = { phase: "asked", nodes: [], texts: new Map() };

/** Starts runs, and tells what they do. A run goes on when the page goes away. */
export function useRun(): PageRun {
  const client = useQueryClient();
  const [progress, setProgress] = useState<RunProgress>();
  const gone = useRef(new AbortController());
  useEffect(
    () => () => {
      gone.current.abort();
    },
    [],
  );
  const start = (request: RunRequest): void => {
    const { signal } = gone.current;
    setProgress(ASKED);
    startRun(request, signal, (event) => {
      setProgress((now) => afterEvent(now ?? ASKED, event));
    })
      .catch((error: unknown) => {
        if (!signal.aborted) setProgress((now) => ({ ...(now ?? ASKED), phase: "failed", error }));
      })
      .finally(() => void client.invalidateQueries());
  };
  return { progress, start };
}

/** Starts a run, and waits for its end. Throws why it failed. */
export async function runToEnd(request: RunRequest): Promise<void> {
  const events: RunEvent[] = [];
  await startRun(request, new AbortController().signal, (event) => events.push(event));
  const last = events.at(-1);
  if (last?.kind === "failed") throw new Error(last.message);
}

function afterEvent(now: RunProgress, event: RunEvent): RunProgress {
  switch (event.kind) {
    case "started":
      return { ...now, phase: "running" };
    case "node":
      return event.isInner ? now : { ...now, nodes: [...now.nodes, event.node] };
    case "text": {
      const written = (now.texts.get(event.messageId) ?? "") + event.text;
      return { ...now, texts: new Map(now.texts).set(event.messageId, written) };
    }
    case "ended":
      return { ...now, phase: "ended" };
    case "failed":
      return { ...now, phase: "failed", error: new Error(event.message) };
  }
}

/**
 * Starts a run, and reports what it does until it has ended.
 *
 * @param signal - Ends the reports. The run goes on.
 */
async function startRun(
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
