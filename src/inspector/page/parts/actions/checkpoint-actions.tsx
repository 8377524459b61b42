import type { CheckpointPlace } from "../../../api/places.js";
import { ForkAction } from "./fork/fork-action.js";
import { RollbackAction } from "./rollback-action.js";

/** What can be done with a checkpoint. */
export function CheckpointActions({ place }: { readonly place: CheckpointPlace }) {
  return (
    <>
      <ForkAction place={place} />
      <RollbackAction place={place} />
    </>
  );
}
