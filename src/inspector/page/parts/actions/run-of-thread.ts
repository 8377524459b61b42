import { useEffect } from "preact/hooks";
import type { CheckpointPlace } from "../../../api/places.js";
import { linkToThread, navigate } from "../../routes/route.js";
import { useRun } from "../../server/use-run.js";
import type { Closing } from "./action-dialog.js";

/** What an action on a step is about. */
export interface StepProps {
  /** The checkpoint of the step. */
  readonly place: CheckpointPlace;
}

/** Starts a run from a checkpoint, and then shows the thread, which tells what the run does. */
export function useRunOfThread({ place, onClose }: StepProps & Closing) {
  const { progress, start } = useRun();
  const isRunning = progress?.phase === "running" || progress?.phase === "ended";
  useEffect(() => {
    if (!isRunning) return;
    onClose();
    navigate(linkToThread(place));
  }, [isRunning]);
  return {
    sending: { isPending: progress?.phase === "asked" || isRunning, error: progress?.error },
    start: (graph: string, checkpointId: string): void => {
      start({ threadId: place.threadId, checkpointId, graph, kind: "replay" });
    },
  };
}
