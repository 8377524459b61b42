import { z } from "zod";
import { keyText } from "../../parsing/keys.js";
import { compareChannel, compareCheckpoints } from "../checkpoints/compare-checkpoints.js";
import { checkpointPlace, limitUpTo } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

const DEFAULT_LIMIT = 100;
const compared = z.strictObject({ before: checkpointPlace, after: checkpointPlace });

export const comparisonsCalls: ReadDefinitions<"compare" | "compareChannel"> = {
  compare: { args: compared, run: compareCheckpoints },
  compareChannel: {
    args: compared.extend({ channel: keyText, limit: limitUpTo(500) }),
    run: (run, { channel, limit = DEFAULT_LIMIT, ...places }) => compareChannel(run, places, channel, limit),
  },
};
