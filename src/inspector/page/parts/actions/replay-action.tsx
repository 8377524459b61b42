import { useEffect, useState } from "preact/hooks";
import type { CheckpointPlace } from "../../../api/places.js";
import { linkToThread } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { useRead } from "../../server/use-read.js";
import { Failure } from "../failure.js";
import { GraphChoice, graphToRun } from "../runs/graph-choice.js";
import { useRun } from "../runs/use-run.js";
import { ActionButton } from "./action-button.js";
import { ActionDialog } from "./action-dialog.js";
import { ActionForm } from "./action-form.js";

interface ReplayProps {
  readonly place: CheckpointPlace;
}

/** Lets a graph go on from a checkpoint, whatever came after it. */
export function ReplayAction({ place }: ReplayProps) {
  return <ActionButton label="Run from here…" action="replay" dialog={ReplayDialog} subject={{ place }} />;
}

function ReplayDialog({ place, onClose }: ReplayProps & { readonly onClose: () => void }) {
  const { threadId, checkpointId } = place;
  const { data, error, refetch } = useRead("graphs", { threadId, checkpointId });
  const [chosen, choose] = useState<string>();
  const { progress, start } = useRun();
  const graph = graphToRun(data, chosen);
  const isRunning = progress?.phase === "running" || progress?.phase === "ended";
  // The thread shows what the run does.
  useEffect(() => {
    if (!isRunning) return;
    onClose();
    navigate(linkToThread(place));
  }, [isRunning]);
  return (
    <ActionDialog
      title="Run from this checkpoint"
      sentence={
        <>
          The graph runs what is next at <bdi class="mono">{checkpointId}</bdi>, on a new branch; the later
          checkpoints stay. What its nodes did outside, such as sending mail, they do again.
        </>
      }
      onClose={onClose}
    >
      {(close) => (
        <ActionForm
          submit="Run"
          isReady={graph !== undefined}
          isPending={progress?.phase === "asked"}
          error={progress?.error}
          onSubmit={() => {
            if (graph !== undefined) start({ threadId, checkpointId, graph, kind: "replay" });
          }}
          onCancel={close}
        >
          {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
          {data !== undefined && <GraphChoice {...data} {...{ chosen }} onChoose={choose} />}
        </ActionForm>
      )}
    </ActionDialog>
  );
}
