import { useEffect, useState } from "preact/hooks";
import type { CheckpointPlace } from "../../../api/places.js";
import { linkToCheckpoint, linkToThread, navigate } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { useRun } from "../../server/use-run.js";
import { GraphChoice, graphToRun } from "../graph-choice.js";
import { Failure } from "../read-state.js";
import { actionButton, type Closing, FormDialog, useChange } from "./action-dialog.js";
import { ForkDialog } from "./fork-dialog.js";
import { UpdateDialog } from "./update-dialog.js";

/** What can be done with a checkpoint. */
export function CheckpointActions({ place }: PlaceProps) {
  return (
    <>
      {place.namespace === "" && <ReplayAction place={place} />}
      {place.namespace === "" && <UpdateAction place={place} />}
      <ForkAction place={place} />
      <RollbackAction place={place} />
    </>
  );
}

const ReplayAction = actionButton("Run from here…", "replay", ReplayDialog);
const UpdateAction = actionButton("Edit state…", "update", UpdateDialog);
const ForkAction = actionButton("Fork…", "fork", ForkDialog);
const RollbackAction = actionButton("Roll back…", "edit", RollbackDialog);

interface PlaceProps {
  readonly place: CheckpointPlace;
}

/** Lets a graph go on from a checkpoint, whatever came after it. */
function ReplayDialog({ place, onClose }: PlaceProps & Closing) {
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
    <FormDialog
      title="Run from this checkpoint"
      sentence={
        <>
          The graph runs what is next at <bdi class="mono">{checkpointId}</bdi>, on a new branch; the later
          checkpoints stay. What its nodes did outside, such as sending mail, they do again.
        </>
      }
      submit="Run"
      isReady={graph !== undefined}
      sending={[{ isPending: progress?.phase === "asked", error: progress?.error }]}
      onSubmit={() => {
        if (graph !== undefined) start({ threadId, checkpointId, graph, kind: "replay" });
      }}
      onClose={onClose}
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <GraphChoice {...data} {...{ chosen }} onChoose={choose} />}
    </FormDialog>
  );
}

/** Takes a namespace back to one of its checkpoints. */
function RollbackDialog({ place, onClose }: PlaceProps & Closing) {
  const change = useChange("rollback", ({ checkpointId }) => {
    navigate(linkToCheckpoint({ ...place, checkpointId }));
  });
  return (
    <FormDialog
      title="Roll back to this checkpoint"
      sentence={
        <>
          A new checkpoint with the values of <bdi class="mono">{place.checkpointId}</bdi> becomes the newest;
          the later checkpoints stay, on a branch of their own.
        </>
      }
      submit="Roll back"
      sending={[change]}
      onSubmit={(close) => {
        change.mutate(place, { onSuccess: close });
      }}
      onClose={onClose}
    />
  );
}
