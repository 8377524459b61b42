import type { CheckpointPlace } from "../../../../api/places.js";
import { ActionButton } from "../action-button.js";
import { ForkDialog } from "./fork-dialog.js";

/** Starts a branch at a checkpoint, with edited values. */
export function ForkAction({ place }: { readonly place: CheckpointPlace }) {
  return <ActionButton label="Fork…" dialog={ForkDialog} subject={{ place }} />;
}
