import { z } from "zod";
import { keyText } from "../../parsing/keys.js";
import { readConversation } from "../checkpoints/read-conversation.js";
import { viewCheckpoint } from "../checkpoints/view-checkpoint.js";
import { checkpointPlace, limitUpTo } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

const DEFAULT_LIMIT = 50;

export const checkpointsCalls: ReadDefinitions<"checkpoint" | "conversation"> = {
  checkpoint: { args: checkpointPlace, run: viewCheckpoint },
  conversation: {
    args: checkpointPlace.extend({
      channel: keyText,
      offset: z.number().int().min(0).optional(),
      limit: limitUpTo(200),
    }),
    run: (run, { offset = 0, limit = DEFAULT_LIMIT, ...place }) =>
      readConversation(run, place, { offset, limit }),
  },
};
