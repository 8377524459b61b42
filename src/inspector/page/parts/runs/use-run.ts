import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import type { RunEvent, RunRequest } from "../../../api/runs.js";
import { startRun } from "../../server/start-run.js";

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
export interface PageRun {
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
