import { getNeighbours } from "../queries/get-neighbours.js";
import { checkpointPlace } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

export const neighboursCalls: ReadDefinitions<"neighbours"> = {
  neighbours: {
    args: checkpointPlace,
    run: async ({ call }, place) => {
      const rows = await getNeighbours(call, place);
      const older = rows.find(({ is_newer: isNewer }) => !isNewer)?.checkpoint_id;
      const newer = rows.find(({ is_newer: isNewer }) => isNewer)?.checkpoint_id;
      return { ...(older !== undefined && { older }), ...(newer !== undefined && { newer }) };
    },
  },
};
