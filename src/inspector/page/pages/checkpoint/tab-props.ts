import type { CheckpointView } from "../../../api/checkpoints.js";
import type { CheckpointRoute } from "./checkpoint-route.js";

/** What a tab of the page shows. */
export interface TabProps {
  readonly route: CheckpointRoute;
  readonly view: CheckpointView;
}
