import { useState } from "preact/hooks";
import { linkToThread, navigate } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";
import { useRead } from "../../server/use-read.js";
import { GraphChoice, graphToRun } from "../graph-choice.js";
import { countText } from "../number-texts.js";
import { Failure } from "../read-state.js";
import { actionButton, type Closing, FormDialog, useChange } from "./action-dialog.js";
import { ChangeDialog, NextNodes } from "./change-dialog.js";
import { type StepProps, useRunOfThread } from "./run-of-thread.js";

interface CheckpointActionsProps extends StepProps {
  /** Whether it is known that no step is newer. */
  readonly isNewest?: boolean;
}

/** What can be done from a step on. */
export function CheckpointActions({ place, isNewest = false }: CheckpointActionsProps) {
  const { may } = useOverview();
  const isRoot = place.namespace === "";
  return (
    <>
      {isRoot && <ReplayAction place={place} />}
      {isRoot && may.replay && <ChangeAndRunAction place={place} />}
      {!(isRoot && may.replay) && (isRoot || may.fork) && <ChangeAction place={place} />}
      {!isNewest && <UndoAction place={place} />}
    </>
  );
}

const ReplayAction = actionButton("Run again from here…", ["replay"], ReplayDialog);
const ChangeAndRunAction = actionButton("Change values and continue…", ["fork", "update"], ChangeDialog);
const ChangeAction = actionButton("Change values…", ["fork", "update"], ChangeDialog);
const UndoAction = actionButton("Undo everything after this…", ["edit"], UndoDialog);

/** Lets a graph go on from a checkpoint, whatever came after it. */
function ReplayDialog({ place, onClose }: StepProps & Closing) {
  const { threadId, checkpointId } = place;
  const { data, error, refetch } = useRead("graphs", { threadId, checkpointId });
  const view = useRead("checkpoint", place);
  const [chosen, choose] = useState<string>();
  const { sending, start } = useRunOfThread({ place, onClose });
  const graph = graphToRun(data, chosen);
  return (
    <FormDialog
      title="Run again from this step"
      sentence="The graph runs what came next at this step, on a new branch; the later steps stay. What its nodes did outside, such as sending mail, they do again."
      submit="Run"
      isReady={graph !== undefined && (view.data?.next.length ?? 0) > 0}
      sending={[sending]}
      onSubmit={() => {
        if (graph !== undefined) start(graph, checkpointId);
      }}
      onClose={onClose}
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <GraphChoice {...data} {...{ chosen }} onChoose={choose} />}
      {view.error !== null && <Failure error={view.error} onRetry={() => void view.refetch()} />}
      {view.data !== undefined && <NextNodes next={view.data.next} />}
    </FormDialog>
  );
}

/** Takes a namespace back to one of its checkpoints. */
function UndoDialog({ place, onClose }: StepProps & Closing) {
  const { threadId, namespace } = place;
  const { data } = useRead("history", { threadId, namespace });
  const change = useChange("rollback", () => {
    navigate(linkToThread(place));
  });
  return (
    <FormDialog
      title="Undo everything after this step"
      sentence={
        <>
          The thread goes on with the values of this step.{" "}
          {data && laterText(data.points, place.checkpointId)} What nodes did outside, such as sending mail,
          is not undone.
        </>
      }
      submit="Undo"
      sending={[change]}
      onSubmit={(close) => {
        change.mutate(place, { onSuccess: close });
      }}
      onClose={onClose}
    />
  );
}

/** Says what a thread loses, from the newest checkpoints of a namespace. */
function laterText(points: readonly { readonly checkpointId: string }[], checkpointId: string): string {
  const later = points.filter((point) => point.checkpointId > checkpointId).length;
  if (later === 0) return "No step is later.";
  const isAll = later < points.length;
  return `It leaves ${isAll ? "" : "more than "}${countText(later, "later step")}, which stay on a branch of their own.`;
}
