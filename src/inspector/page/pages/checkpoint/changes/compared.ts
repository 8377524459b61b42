import type { CheckpointPlace } from "../../../../api/places.js";

/** The two checkpoints that are compared. */
export interface Compared {
  readonly before: CheckpointPlace;
  readonly after: CheckpointPlace;
}
