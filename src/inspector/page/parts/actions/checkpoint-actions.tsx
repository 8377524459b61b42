import type { CheckpointPlace } from "../../../api/places.js";
import { ReplayAction } from "./replay-action.js";
import { UpdateAction } from "./update-action.js";
import { RollbackAction } from "./rollback-action.js";
import { ActionButton } from "./action-button.js";
import { ForkDialog } from "./fork/fork-dialog.js";

/** What can be done with a checkpoint. */
export function CheckpointActions({ place }: { readonly place: CheckpointPlace }) {
  return (
    <>
      {place.namespace === "" && <ReplayAction place={place} />}
      {place.namespace === "" && <UpdateAction place={place} />}
      <ForkAction place={place} />
      <RollbackAction place={place} />
    </>
  );
}

/** Starts a branch at a checkpoint, with edited values. */
function ForkAction({ place }: { readonly place: CheckpointPlace }) {
  return <ActionButton label="Fork…" action="fork" dialog={ForkDialog} subject={{ place }} />;
}
